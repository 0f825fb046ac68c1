/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump point search on even ground: D. Harabor and A. Grastien, "Online graph pruning for pathfinding
 * on grid maps", AAAI 2011, and for movers that do not cut corners, "The JPS pathfinding system",
 * SoCS 2012. Of all shortest paths only those are followed that make diagonal steps as early as they
 * can, so that straight runs of cells need not be queued.
 */
#include "algorithm.h"
#include "heuristic.h"
#include "queue.h"
#include "table.h"

#include <algorithm>
#include <cstdlib>

namespace {

class JumpPoint final : public Algorithm {
public:
    explicit JumpPoint(const World& world)
        : terrain_(world.terrain()), grid_(world.grid()), stride_(static_cast<int>(world.grid().stride())),
          heuristic_(world.terrain()), table_(world.grid().size())
    {
    }

    Path find(Cell from, Cell to) override
    {
        goal_ = to;
        table_.clear();
        queue_.clear();
        heuristic_.aim(to);
        table_.improve(from, 0, from);
        queue_.push({heuristic_.estimate(from), 0, from});
        while (!queue_.empty()) {
            const Entry entry = queue_.pop();

            if (entry.cell == to)
                return {true, entry.cost, filled(table_.trace(to))};
            if (entry.cost == table_.cost(entry.cell))
                expand(entry);
        }
        return {};
    }

private:
    static constexpr Cell none = 0;     /* a cell of the wall around the map */

    const Terrain& terrain_;
    const Grid& grid_;
    int stride_;
    OctileHeuristic heuristic_;
    Table table_;
    HeapQueue queue_;
    Cell goal_ = none;

    static Cell plus(Cell cell, int offset)
    {
        return static_cast<Cell>(static_cast<int>(cell) + offset);
    }

    static int sign(int value)
    {
        return (value > 0) - (value < 0);
    }

    bool open(Cell cell) const { return terrain_.open(cell); }

    /* Was the cell on this side closed until now? Then there is a way round its corner. */
    bool turns(Cell cell, int ahead, int side) const
    {
        return open(plus(cell, side)) && !open(plus(cell, side - ahead));
    }

    /* Along a row or a column, to the goal or the first cell at which a shortest path may turn. */
    Cell jump_straight(Cell cell, int ahead, int side)
    {
        for (;;) {
            cell = plus(cell, ahead);
            effort_.looked++;
            if (!open(cell))
                return none;
            if (cell == goal_ || turns(cell, ahead, side) || turns(cell, ahead, -side))
                return cell;
        }
    }

    /* To the goal or the first cell from which a straight jump arrives somewhere. */
    Cell jump_diagonal(Cell cell, int across, int down)
    {
        for (;;) {
            if (!open(plus(cell, across)) || !open(plus(cell, down)) || !open(plus(cell, across + down)))
                return none;
            cell = plus(cell, across + down);
            effort_.looked++;
            if (cell == goal_ || jump_straight(cell, across, down) != none ||
                jump_straight(cell, down, across) != none)
                return cell;
        }
    }

    void reach(const Entry& entry, Cell cell)
    {
        if (cell == none)
            return;
        const Position a = grid_.position(entry.cell), b = grid_.position(cell);
        const int steps = std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
        const bool diagonal = a.x != b.x && a.y != b.y;
        const Cost cost = entry.cost + steps * (diagonal ? diagonal_step : straight_step);

        if (table_.improve(cell, cost, entry.cell)) {
            effort_.queued++;
            queue_.push({cost + heuristic_.estimate(cell), cost, cell});
        }
    }

    void go_straight(const Entry& entry, int ahead, int side)
    {
        reach(entry, jump_straight(entry.cell, ahead, side));
    }

    void go_diagonal(const Entry& entry, int across, int down)
    {
        reach(entry, jump_diagonal(entry.cell, across, down));
    }

    void expand(const Entry& entry)
    {
        const Position here = grid_.position(entry.cell), before = grid_.position(table_.parent(entry.cell));
        const int across = sign(here.x - before.x), down = sign(here.y - before.y) * stride_;

        effort_.expanded++;
        if (across != 0 && down != 0) {
            go_straight(entry, across, down);
            go_straight(entry, down, across);
            go_diagonal(entry, across, down);
        } else if (across != 0 || down != 0) {
            continue_straight(entry, across + down, across != 0 ? stride_ : 1);
        } else {
            for (const int way : {-1, 1}) {
                go_straight(entry, way, stride_);
                go_straight(entry, way * stride_, 1);
                go_diagonal(entry, way, stride_);
                go_diagonal(entry, way, -stride_);
            }
        }
    }

    void continue_straight(const Entry& entry, int ahead, int side)
    {
        go_straight(entry, ahead, side);
        for (const int way : {-side, side}) {
            if (turns(entry.cell, ahead, way)) {
                go_straight(entry, way, ahead);
                go_diagonal(entry, ahead, way);
            }
        }
    }

    /* The jumps with the cells between. */
    std::vector<Cell> filled(const std::vector<Cell>& jumps) const
    {
        std::vector<Cell> cells{jumps.front()};

        for (std::size_t i = 1; i < jumps.size(); i++) {
            const Position a = grid_.position(jumps[i - 1]), b = grid_.position(jumps[i]);
            const int step = sign(b.x - a.x) + sign(b.y - a.y) * stride_;

            while (cells.back() != jumps[i])
                cells.push_back(plus(cells.back(), step));
        }
        return cells;
    }
};

const Registration jump("jump", "jump points, octile distance, binary heap",
                        [](const World& world) -> std::unique_ptr<Algorithm> {
                            if (!world.terrain().is_even())
                                return nullptr;
                            return std::make_unique<JumpPoint>(world);
                        });

}  // namespace
