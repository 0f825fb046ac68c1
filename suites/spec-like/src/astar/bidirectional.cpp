/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search from both ends, each aimed at the other with half of the difference of the two heuristics:
 * T. Ikeda and others, "A fast algorithm for finding better routes by AI search techniques", VNIS 1994.
 * All keys are doubled, so that they stay whole numbers.
 */
#include "algorithm.h"
#include "heuristic.h"
#include "queue.h"
#include "table.h"

namespace {

class Bidirectional final : public Algorithm {
public:
    explicit Bidirectional(const World& world)
        : world_(world), to_goal_(world.terrain()), to_start_(world.terrain()), forward_(world.grid().size(), 1),
          backward_(world.grid().size(), -1)
    {
    }

    Path find(Cell from, Cell to) override
    {
        best_ = Table::infinite;
        to_goal_.aim(to);
        to_start_.aim(from);
        begin(forward_, from);
        begin(backward_, to);
        if (from == to)
            return {true, 0, {from}};
        while (!forward_.queue.empty() && !backward_.queue.empty()) {
            const std::int64_t least = std::int64_t{forward_.queue.top().key} + backward_.queue.top().key;

            if (best_ != Table::infinite && least >= 2 * std::int64_t{best_})
                break;
            if (forward_.queue.size() <= backward_.queue.size())
                expand(forward_, backward_);
            else
                expand(backward_, forward_);
        }
        return best_ == Table::infinite ? Path{} : joined();
    }

private:
    struct Side {
        Side(Cell size, Cost given_sign) : table(size), sign(given_sign) {}

        Table table;
        HeapQueue queue;
        Cost sign;              /* of the potential, which falls towards the goal */
    };

    const World& world_;
    OctileHeuristic to_goal_, to_start_;
    Side forward_, backward_;
    Cost best_ = 0;
    Cell meeting_ = 0;

    Cost key(const Side& side, Cell cell, Cost cost) const
    {
        return 2 * cost + side.sign * (to_goal_.estimate(cell) - to_start_.estimate(cell));
    }

    void begin(Side& side, Cell cell)
    {
        side.table.clear();
        side.queue.clear();
        side.table.improve(cell, 0, cell);
        side.queue.push({key(side, cell, 0), 0, cell});
    }

    void expand(Side& side, const Side& other)
    {
        const Entry entry = side.queue.pop();

        if (entry.cost != side.table.cost(entry.cell))
            return;
        effort_.expanded++;
        world_.terrain().for_each_neighbour(entry.cell, [&](Cell neighbour, Cost step) {
            const Cost cost = entry.cost + step;

            effort_.looked++;
            if (!side.table.improve(neighbour, cost, entry.cell))
                return;
            effort_.queued++;
            side.queue.push({key(side, neighbour, cost), cost, neighbour});
            const Cost rest = other.table.cost(neighbour);
            if (rest != Table::infinite && cost + rest < best_) {
                best_ = cost + rest;
                meeting_ = neighbour;
            }
        });
    }

    Path joined() const
    {
        std::vector<Cell> cells = forward_.table.trace(meeting_);
        const std::vector<Cell> rest = backward_.table.trace(meeting_);

        cells.insert(cells.end(), rest.rbegin() + 1, rest.rend());
        return {true, best_, std::move(cells)};
    }
};

const Registration bidirectional("bidirectional", "octile distances from both ends, binary heaps",
                                 [](const World& world) { return std::make_unique<Bidirectional>(world); });

}  // namespace
