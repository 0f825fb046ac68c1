/* SPDX-License-Identifier: Apache-2.0 */
/* Searches inside a cluster. */
#include "cluster.h"

#include <algorithm>

Clusters::Clusters(const Grid& grid)
    : across_((grid.width() + cluster_side - 1) / cluster_side), down_((grid.height() + cluster_side - 1) / cluster_side)
{
}

int ClusterSearch::run(Cell start)
{
    const Position p = terrain_.grid().position(start);
    int expanded = 0;

    corner_ = {p.x / cluster_side * cluster_side, p.y / cluster_side * cluster_side};
    cost_.fill(-1);
    queue_.clear();
    cost_[index(start)] = 0;
    parent_[index(start)] = start;
    queue_.push({0, 0, start});
    while (!queue_.empty()) {
        const Entry entry = queue_.pop();

        if (entry.cost != cost(entry.cell))
            continue;
        expanded++;
        terrain_.for_each_neighbour(entry.cell, [&](Cell neighbour, Cost step) {
            if (!inside(neighbour))
                return;
            const std::size_t place = index(neighbour);
            const Cost cost = entry.cost + step;
            if (cost_[place] == -1 || cost < cost_[place]) {
                cost_[place] = cost;
                parent_[place] = entry.cell;
                queue_.push({cost, cost, neighbour});
            }
        });
    }
    return expanded;
}

void ClusterSearch::append_way(Cell to, std::vector<Cell>& cells) const
{
    const auto before = static_cast<std::ptrdiff_t>(cells.size());

    for (Cell cell = to; parent_[index(cell)] != cell; cell = parent_[index(cell)])
        cells.push_back(cell);
    std::reverse(cells.begin() + before, cells.end());
}
