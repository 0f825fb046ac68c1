/* SPDX-License-Identifier: Apache-2.0 */
/* Square clusters of cells, and searches that stay inside one. */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "queue.h"
#include "terrain.h"

#include <array>
#include <vector>

constexpr int cluster_side = 16;

/* Clusters lie in rows from the map's upper left corner; those at the right and at the bottom may be smaller. */
class Clusters {
public:
    explicit Clusters(const Grid& grid);

    int across() const { return across_; }
    int down() const { return down_; }
    int count() const { return across_ * down_; }
    int of(Position p) const { return p.y / cluster_side * across_ + p.x / cluster_side; }

private:
    int across_, down_;
};

/* Dijkstra's algorithm on the cells of one cluster. */
class ClusterSearch {
public:
    explicit ClusterSearch(const Terrain& terrain) : terrain_(terrain) {}

    /* Costs from a cell to all cells of its cluster; returns how many cells were expanded. */
    int run(Cell start);

    /* After run(): the cost, or -1 where there is no way inside the cluster. */
    Cost cost(Cell cell) const { return cost_[index(cell)]; }

    /* After run(): append the way from the start, which is left out, to a cell that can be reached. */
    void append_way(Cell to, std::vector<Cell>& cells) const;

private:
    const Terrain& terrain_;
    Position corner_{0, 0};
    HeapQueue queue_;
    std::array<Cost, cluster_side * cluster_side> cost_{};
    std::array<Cell, cluster_side * cluster_side> parent_{};

    bool inside(Cell cell) const
    {
        const Position p = terrain_.grid().position(cell);

        return p.x >= corner_.x && p.x < corner_.x + cluster_side && p.y >= corner_.y &&
               p.y < corner_.y + cluster_side;
    }

    std::size_t index(Cell cell) const
    {
        const Position p = terrain_.grid().position(cell);

        return static_cast<std::size_t>((p.y - corner_.y) * cluster_side + p.x - corner_.x);
    }
};

#endif
