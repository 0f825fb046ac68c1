/* SPDX-License-Identifier: Apache-2.0 */
/* What all searches on one map share: the terrain, and which cells are connected. */
#ifndef WORLD_H
#define WORLD_H

#include "terrain.h"

#include <stdexcept>
#include <vector>

/* A route begins or ends where no mover can be. */
class RouteError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/* Cells between which there is a path have the same component. */
class Components {
public:
    explicit Components(const Terrain& terrain);

    bool connected(Cell a, Cell b) const { return label_[a] == label_[b]; }
    int count() const { return static_cast<int>(sizes_.size()); }
    int open_cells() const;
    int largest_size() const;
    Cell first_of_largest() const { return first_of_largest_; }

private:
    std::vector<int> label_;    /* -1 for closed cells */
    std::vector<int> sizes_;
    Cell first_of_largest_ = 0;
};

class World {
public:
    explicit World(const Terrain& terrain) : terrain_(terrain), components_(terrain) {}

    const Terrain& terrain() const { return terrain_; }
    const Grid& grid() const { return terrain_.grid(); }
    const Components& components() const { return components_; }

    /* Throws RouteError when the cell is closed. */
    Cell open_cell(Position position) const;

private:
    const Terrain& terrain_;
    Components components_;
};

#endif
