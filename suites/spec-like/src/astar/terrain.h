/* SPDX-License-Identifier: Apache-2.0 */
/* What a step costs: terrains differ by mover. */
#ifndef TERRAIN_H
#define TERRAIN_H

#include "grid.h"

#include <memory>
#include <string>
#include <vector>

constexpr Cost straight_step = 10;      /* over the lightest ground; 14 is a little less than 10 times the root of 2 */
constexpr Cost diagonal_step = 14;
constexpr int heaviest_weight = 8;
constexpr Cost longest_step = diagonal_step * heaviest_weight;

/* A step between cells next to each other costs the same both ways. A diagonal step needs both cells
   beside it open. */
class Terrain {
public:
    virtual ~Terrain() = default;
    Terrain(const Terrain&) = delete;
    Terrain& operator=(const Terrain&) = delete;

    virtual std::string name() const = 0;
    virtual bool is_even() const = 0;   /* does every step in a direction cost the same? */
    virtual Cost straight(Cell from, Cell to) const = 0;
    virtual Cost diagonal(Cell from, Cell to) const = 0;

    const Grid& grid() const { return grid_; }
    bool open(Cell cell) const { return weight_[cell] != 0; }
    int weight(Cell cell) const { return weight_[cell]; }
    int lightest() const { return lightest_; }

    /* Call visit(neighbour, cost) for each cell that one step leads to. */
    template <class Visit>
    void for_each_neighbour(Cell cell, Visit visit) const
    {
        const Cell stride = grid_.stride();
        const Cell north = cell - stride, south = cell + stride, west = cell - 1, east = cell + 1;
        const bool to_north = open(north), to_south = open(south), to_west = open(west), to_east = open(east);

        if (to_north)
            visit(north, straight(cell, north));
        if (to_south)
            visit(south, straight(cell, south));
        if (to_west)
            visit(west, straight(cell, west));
        if (to_east)
            visit(east, straight(cell, east));
        if (to_north && to_west && open(north - 1))
            visit(north - 1, diagonal(cell, north - 1));
        if (to_north && to_east && open(north + 1))
            visit(north + 1, diagonal(cell, north + 1));
        if (to_south && to_west && open(south - 1))
            visit(south - 1, diagonal(cell, south - 1));
        if (to_south && to_east && open(south + 1))
            visit(south + 1, diagonal(cell, south + 1));
    }

protected:
    /* `weights`: symbols and digits in turn, such as ".1G2"; other symbols are closed. */
    Terrain(const Grid& grid, const std::string& weights);

private:
    const Grid& grid_;
    int lightest_ = heaviest_weight;
    std::vector<std::uint8_t> weight_;
};

/* Throws std::invalid_argument for a name that there is not. */
std::unique_ptr<Terrain> make_terrain(const std::string& name, const Grid& grid);

#endif
