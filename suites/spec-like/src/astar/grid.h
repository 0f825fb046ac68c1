/* SPDX-License-Identifier: Apache-2.0 */
/* Grid maps, and files of a map and routes to be found on it. */
#ifndef GRID_H
#define GRID_H

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

using Cell = std::uint32_t;
using Cost = std::int32_t;

/* A file is not as it should be. */
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Position {
    int x, y;
};

struct Route {
    Position from, to;
};

/* A rectangle of symbols with a wall around it. A row's length is a power of two, so that a cell's number
   tells its position with a shift and a mask. */
class Grid {
public:
    explicit Grid(const std::vector<std::string>& rows);

    int width() const { return width_; }
    int height() const { return height_; }
    Cell size() const { return static_cast<Cell>(symbols_.size()); }
    Cell stride() const { return Cell{1} << shift_; }
    char symbol(Cell cell) const { return symbols_[cell]; }
    bool holds(Position p) const { return p.x >= 0 && p.x < width_ && p.y >= 0 && p.y < height_; }

    Cell cell(Position p) const
    {
        return (static_cast<Cell>(p.y + 1) << shift_) + static_cast<Cell>(p.x + 1);
    }

    Position position(Cell cell) const
    {
        return {static_cast<int>(cell & (stride() - 1)) - 1, static_cast<int>(cell >> shift_) - 1};
    }

private:
    int width_, height_, shift_;
    std::string symbols_;
};

struct Scenario {
    Grid grid;
    std::vector<Route> routes;
};

/* Throws InputError, with the name and the line. */
Scenario read_scenario(std::istream& input, const std::string& name);

std::ostream& operator<<(std::ostream& output, Position position);

#endif
