/* SPDX-License-Identifier: Apache-2.0 */
/* Search in the region graph, then cluster by cluster. Its paths are a little longer than the shortest. */
#include "algorithm.h"
#include "heuristic.h"
#include "queue.h"
#include "regions.h"
#include "table.h"

#include <algorithm>
#include <utility>

namespace {

/* The nodes are the gates and, after them, the start and the goal. */
class Hierarchical final : public Algorithm {
public:
    explicit Hierarchical(const World& world)
        : world_(world), graph_(world), heuristic_(world.terrain()), local_(world.terrain()),
          to_goal_(graph_.gates().size(), -1), table_(gate_count() + 2)
    {
    }

    bool is_exact() const override { return false; }

    Path find(Cell from, Cell to) override
    {
        from_ = from;
        to_ = to;
        attach_goal();
        table_.clear();
        queue_.clear();
        heuristic_.aim(to);
        table_.improve(start(), 0, start());
        queue_.push({heuristic_.estimate(from), 0, start()});
        while (!queue_.empty()) {
            const Entry entry = queue_.pop();

            if (entry.cell == goal())
                return {true, entry.cost, refined(table_.trace(goal()))};
            if (entry.cost != table_.cost(entry.cell))
                continue;
            effort_.expanded++;
            if (entry.cell == start())
                leave_start();
            else
                leave_gate(entry);
        }
        return {};
    }

private:
    const World& world_;
    RegionGraph graph_;
    OctileHeuristic heuristic_;
    ClusterSearch local_;
    std::vector<Cost> to_goal_;         /* by gate: the cost inside the goal's cluster, or -1 */
    Table table_;
    HeapQueue queue_;
    Cell from_ = 0, to_ = 0;

    Cell gate_count() const { return static_cast<Cell>(graph_.gates().size()); }
    Cell start() const { return gate_count(); }
    Cell goal() const { return gate_count() + 1; }

    Cell cell_of(Cell node) const
    {
        return node == start() ? from_ : node == goal() ? to_ : graph_.gates()[node].cell;
    }

    int cluster_of(Cell cell) const
    {
        return graph_.clusters().of(world_.grid().position(cell));
    }

    /* Steps cost the same both ways, so the search begins at the goal. */
    void attach_goal()
    {
        std::fill(to_goal_.begin(), to_goal_.end(), -1);
        effort_.looked += local_.run(to_);
        for (const int gate : graph_.gates_of(cluster_of(to_))) {
            const auto node = static_cast<std::size_t>(gate);

            to_goal_[node] = local_.cost(graph_.gates()[node].cell);
        }
    }

    void reach(Cell node, Cost cost, Cell parent)
    {
        if (table_.improve(node, cost, parent)) {
            effort_.queued++;
            queue_.push({cost + heuristic_.estimate(cell_of(node)), cost, node});
        }
    }

    void leave_start()
    {
        effort_.looked += local_.run(from_);
        for (const int gate : graph_.gates_of(cluster_of(from_))) {
            const auto node = static_cast<Cell>(gate);
            const Cost cost = local_.cost(cell_of(node));

            if (cost >= 0)
                reach(node, cost, start());
        }
        if (cluster_of(from_) == cluster_of(to_) && local_.cost(to_) >= 0)
            reach(goal(), local_.cost(to_), start());
    }

    void leave_gate(const Entry& entry)
    {
        for (const Link& link : graph_.gates()[entry.cell].links)
            reach(static_cast<Cell>(link.gate), entry.cost + link.cost, entry.cell);
        if (to_goal_[entry.cell] >= 0)
            reach(goal(), entry.cost + to_goal_[entry.cell], entry.cell);
    }

    /* The cells of a path of nodes. */
    std::vector<Cell> refined(const std::vector<Cell>& nodes)
    {
        std::vector<Cell> cells{from_};

        for (std::size_t i = 1; i < nodes.size(); i++) {
            const Cell here = cell_of(nodes[i - 1]), there = cell_of(nodes[i]);

            if (cluster_of(here) != cluster_of(there)) {
                cells.push_back(there);
            } else {
                effort_.looked += local_.run(here);
                local_.append_way(there, cells);
            }
        }
        return cells;
    }
};

const Registration hierarchical("hierarchical", "region graph, then inside clusters of 16 x 16; not exact",
                                [](const World& world) { return std::make_unique<Hierarchical>(world); });

}  // namespace
