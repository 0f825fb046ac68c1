/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Best-first search with a heuristic and a queue to be chosen. P. E. Hart, N. J. Nilsson and
 * B. Raphael, "A formal basis for the heuristic determination of minimum cost paths", IEEE
 * Transactions on Systems Science and Cybernetics 4(2), 1968.
 */
#include "algorithm.h"
#include "heuristic.h"
#include "queue.h"
#include "table.h"

#include <utility>

namespace {

template <class Queue>
class BestFirst final : public Algorithm {
public:
    BestFirst(const World& world, std::unique_ptr<Heuristic> heuristic)
        : world_(world), heuristic_(std::move(heuristic)), table_(world.grid().size())
    {
    }

    Path find(Cell from, Cell to) override
    {
        table_.clear();
        queue_.clear();
        heuristic_->aim(to);
        table_.improve(from, 0, from);
        queue_.push({heuristic_->estimate(from), 0, from});
        while (!queue_.empty()) {
            const Entry entry = queue_.pop();

            if (entry.cell == to)
                return {true, entry.cost, table_.trace(to)};
            if (entry.cost == table_.cost(entry.cell))
                expand(entry);
        }
        return {};
    }

private:
    const World& world_;
    std::unique_ptr<Heuristic> heuristic_;
    Table table_;
    Queue queue_;

    void expand(const Entry& entry)
    {
        effort_.expanded++;
        world_.terrain().for_each_neighbour(entry.cell, [&](Cell neighbour, Cost step) {
            const Cost cost = entry.cost + step;

            effort_.looked++;
            if (table_.improve(neighbour, cost, entry.cell)) {
                effort_.queued++;
                queue_.push({cost + heuristic_->estimate(neighbour), cost, neighbour});
            }
        });
    }
};

constexpr int landmarks = 4;

const Registration dijkstra("dijkstra", "no heuristic, buckets", [](const World& world) {
    return std::make_unique<BestFirst<BucketQueue>>(world, std::make_unique<ZeroHeuristic>());
});

const Registration astar("astar", "octile distance, binary heap", [](const World& world) {
    return std::make_unique<BestFirst<HeapQueue>>(world, std::make_unique<OctileHeuristic>(world.terrain()));
});

const Registration bucket("bucket", "octile distance, buckets", [](const World& world) {
    return std::make_unique<BestFirst<BucketQueue>>(world, std::make_unique<OctileHeuristic>(world.terrain()));
});

const Registration landmark("landmark", "distances from four landmarks, binary heap", [](const World& world) {
    return std::make_unique<BestFirst<HeapQueue>>(world, std::make_unique<LandmarkHeuristic>(world, landmarks));
});

}  // namespace
