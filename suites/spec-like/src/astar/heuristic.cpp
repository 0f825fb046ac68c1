/* SPDX-License-Identifier: Apache-2.0 */
/* The octile distance and landmarks. */
#include "heuristic.h"

#include "queue.h"

#include <algorithm>
#include <cstdlib>

Cost OctileHeuristic::estimate(Cell cell) const
{
    const Position here = grid_.position(cell);
    const Cost dx = std::abs(here.x - goal_.x), dy = std::abs(here.y - goal_.y);

    return lightest_ * (straight_step * std::max(dx, dy) + (diagonal_step - straight_step) * std::min(dx, dy));
}

std::vector<Cost> distances_from(const Terrain& terrain, Cell start)
{
    std::vector<Cost> distance(terrain.grid().size(), unreached);
    BucketQueue queue;

    distance[start] = 0;
    queue.push({0, 0, start});
    while (!queue.empty()) {
        const Entry entry = queue.pop();

        if (entry.cost > distance[entry.cell])
            continue;
        terrain.for_each_neighbour(entry.cell, [&](Cell neighbour, Cost step) {
            const Cost cost = entry.cost + step;

            if (distance[neighbour] == unreached || cost < distance[neighbour]) {
                distance[neighbour] = cost;
                queue.push({cost, cost, neighbour});
            }
        });
    }
    return distance;
}

/* Each landmark is as far as can be from those before; the first, from any cell. All are in the largest
   component; elsewhere they say nothing. */
LandmarkHeuristic::LandmarkHeuristic(const World& world, int count)
    : octile_(world.terrain()), distance_(world.grid().size() * static_cast<std::size_t>(count), 0)
{
    if (world.components().count() == 0)
        return;
    std::vector<Cost> nearest = distances_from(world.terrain(), world.components().first_of_largest());

    for (int i = 0; i < count; i++) {
        const auto farthest = std::max_element(nearest.begin(), nearest.end());
        const auto landmark = static_cast<Cell>(farthest - nearest.begin());
        const std::vector<Cost> distance = distances_from(world.terrain(), landmark);

        for (Cell cell = 0; cell < world.grid().size(); cell++) {
            if (distance[cell] == unreached)
                continue;
            distance_[cell * static_cast<std::size_t>(count) + count_] = distance[cell];
            nearest[cell] = i == 0 ? distance[cell] : std::min(nearest[cell], distance[cell]);
        }
        count_++;
    }
    of_goal_.resize(count_);
}

void LandmarkHeuristic::aim(Cell goal)
{
    octile_.aim(goal);
    std::copy_n(distance_.begin() + static_cast<std::ptrdiff_t>(goal * count_), count_, of_goal_.begin());
}

Cost LandmarkHeuristic::estimate(Cell cell) const
{
    const Cost* distance = &distance_[cell * count_];
    Cost most = octile_.estimate(cell);

    for (std::size_t i = 0; i < count_; i++)
        most = std::max(most, std::abs(distance[i] - of_goal_[i]));
    return most;
}
