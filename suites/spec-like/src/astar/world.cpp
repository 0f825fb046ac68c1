/* SPDX-License-Identifier: Apache-2.0 */
/* Connected components by union and find: B. A. Galler and M. J. Fischer, "An improved equivalence
   algorithm", CACM 7(5), 1964, with halved paths. */
#include "world.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace {

class DisjointSets {
public:
    explicit DisjointSets(Cell count) : parent_(count)
    {
        std::iota(parent_.begin(), parent_.end(), Cell{0});
    }

    Cell find(Cell cell)
    {
        while (parent_[cell] != cell) {
            parent_[cell] = parent_[parent_[cell]];
            cell = parent_[cell];
        }
        return cell;
    }

    /* The lower number stays the root. */
    void unite(Cell a, Cell b)
    {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<Cell> parent_;
};

}  // namespace

/* Diagonal steps connect nothing that straight ones do not. */
Components::Components(const Terrain& terrain) : label_(terrain.grid().size(), -1)
{
    const Cell size = terrain.grid().size(), stride = terrain.grid().stride();
    std::vector<Cell> first;
    DisjointSets sets(size);

    for (Cell cell = stride; cell < size; cell++) {
        if (terrain.open(cell) && terrain.open(cell - 1))
            sets.unite(cell, cell - 1);
        if (terrain.open(cell) && terrain.open(cell - stride))
            sets.unite(cell, cell - stride);
    }
    for (Cell cell = 0; cell < size; cell++) {
        if (!terrain.open(cell))
            continue;
        const Cell root = sets.find(cell);
        if (root == cell) {
            label_[cell] = count();
            sizes_.push_back(0);
            first.push_back(cell);
        }
        label_[cell] = label_[root];
        sizes_[static_cast<std::size_t>(label_[cell])]++;
    }
    if (!sizes_.empty())
        first_of_largest_ = first[static_cast<std::size_t>(
            std::max_element(sizes_.begin(), sizes_.end()) - sizes_.begin())];
}

int Components::open_cells() const
{
    return std::accumulate(sizes_.begin(), sizes_.end(), 0);
}

int Components::largest_size() const
{
    return sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end());
}

Cell World::open_cell(Position position) const
{
    const Cell cell = grid().cell(position);

    if (!terrain_.open(cell)) {
        std::ostringstream message;

        message << "nobody can be at " << position;
        throw RouteError(message.str());
    }
    return cell;
}
