/* SPDX-License-Identifier: Apache-2.0 */
/* The registry, and the check of paths. */
#include "algorithm.h"

#include <stdexcept>
#include <utility>

Registry& Registry::instance()
{
    static Registry registry;

    return registry;
}

void Registry::add(const std::string& name, Item item)
{
    if (!items_.emplace(name, std::move(item)).second)
        throw std::logic_error("two algorithms are called " + name);
}

Registration::Registration(const std::string& name, const std::string& description, Factory factory)
{
    Registry::instance().add(name, {description, std::move(factory)});
}

void check_path(const World& world, Cell from, Cell to, const Path& path)
{
    const Terrain& terrain = world.terrain();
    Cost sum = 0;

    if (!path.found || path.cells.empty() || path.cells.front() != from || path.cells.back() != to)
        throw std::logic_error("a path does not lead from the start to the goal");
    for (std::size_t i = 1; i < path.cells.size(); i++) {
        Cost step = 0;

        terrain.for_each_neighbour(path.cells[i - 1], [&](Cell neighbour, Cost cost) {
            if (neighbour == path.cells[i])
                step = cost;
        });
        if (step == 0)
            throw std::logic_error("a path makes a step that is not allowed");
        sum += step;
    }
    if (sum != path.cost)
        throw std::logic_error("a path's cost is not the sum of its steps");
}
