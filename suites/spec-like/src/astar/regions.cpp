/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The region graph of hierarchical path finding: A. Botea, M. Müller and J. Schaeffer, "Near optimal
 * hierarchical path-finding", Journal of Game Development 1(1), 2004.
 */
#include "regions.h"

#include <algorithm>

namespace {

constexpr int wide = 6;         /* an entrance of so many cells has a gate at either end, not one in the middle */

}  // namespace

RegionGraph::RegionGraph(const World& world)
    : world_(world), clusters_(world.grid()), members_(static_cast<std::size_t>(clusters_.count()))
{
    find_gates();
    for (const auto& gates : members_)
        link_gates(gates);
}

int RegionGraph::gate_at(Cell cell)
{
    const auto [place, is_new] = gate_at_.emplace(cell, static_cast<int>(gates_.size()));

    if (is_new) {
        const int cluster = clusters_.of(world_.grid().position(cell));

        gates_.push_back({cell, cluster, {}});
        members_[static_cast<std::size_t>(cluster)].push_back(place->second);
    }
    return place->second;
}

void RegionGraph::cross(Cell here, Cell there)
{
    const Cost cost = world_.terrain().straight(here, there);
    const int a = gate_at(here), b = gate_at(there);

    gates_[static_cast<std::size_t>(a)].links.push_back({b, cost, true});
    gates_[static_cast<std::size_t>(b)].links.push_back({a, cost, true});
}

/* Along a border from `start`; the other side is at (dx, dy) from each cell. */
void RegionGraph::open_border(Position start, int dx, int dy, int length)
{
    const auto here = [&](int i) { return world_.grid().cell({start.x + i * dy, start.y + i * dx}); };
    const auto there = [&](int i) { return world_.grid().cell({start.x + i * dy + dx, start.y + i * dx + dy}); };
    const auto passes = [&](int i) { return world_.terrain().open(here(i)) && world_.terrain().open(there(i)); };
    int first = 0;

    while (first < length) {
        int end = first;

        while (end < length && passes(end))
            end++;
        if (end - first >= wide) {
            cross(here(first), there(first));
            cross(here(end - 1), there(end - 1));
        } else if (end > first) {
            cross(here((first + end - 1) / 2), there((first + end - 1) / 2));
        }
        first = end + 1;
    }
}

void RegionGraph::find_gates()
{
    const Grid& grid = world_.grid();

    for (int row = 0; row < clusters_.down(); row++) {
        for (int column = 0; column < clusters_.across(); column++) {
            const int left = column * cluster_side, top = row * cluster_side;
            const int right = left + cluster_side - 1, bottom = top + cluster_side - 1;

            if (column + 1 < clusters_.across())
                open_border({right, top}, 1, 0, std::min(cluster_side, grid.height() - top));
            if (row + 1 < clusters_.down())
                open_border({left, bottom}, 0, 1, std::min(cluster_side, grid.width() - left));
        }
    }
}

/* Join all gates of one cluster between which there is a way inside it. */
void RegionGraph::link_gates(const std::vector<int>& gates)
{
    ClusterSearch search(world_.terrain());

    for (const int from : gates) {
        Gate& gate = gates_[static_cast<std::size_t>(from)];

        search.run(gate.cell);
        for (const int to : gates) {
            const Cost cost = search.cost(gates_[static_cast<std::size_t>(to)].cell);

            if (to != from && cost >= 0)
                gate.links.push_back({to, cost, false});
        }
    }
}
