/* SPDX-License-Identifier: Apache-2.0 */
/* What a search knows about the cells it has reached. Emptied by counting up, not by passing over it. */
#ifndef TABLE_H
#define TABLE_H

#include "grid.h"

#include <algorithm>
#include <limits>
#include <vector>

class Table {
public:
    static constexpr Cost infinite = std::numeric_limits<Cost>::max();

    explicit Table(Cell size) : rows_(size) {}

    void clear()
    {
        if (++now_ == 0) {
            std::fill(rows_.begin(), rows_.end(), Row{});
            now_ = 1;
        }
    }

    Cost cost(Cell cell) const { return rows_[cell].stamp == now_ ? rows_[cell].cost : infinite; }
    Cell parent(Cell cell) const { return rows_[cell].parent; }

    /* Is this a better way to the cell? Then remember it. */
    bool improve(Cell cell, Cost cost, Cell parent)
    {
        Row& row = rows_[cell];

        if (row.stamp == now_ && row.cost <= cost)
            return false;
        row = {cost, parent, now_};
        return true;
    }

    /* The cells from the start, which is its own parent, to this one. */
    std::vector<Cell> trace(Cell cell) const
    {
        std::vector<Cell> cells{cell};

        while (parent(cell) != cell) {
            cell = parent(cell);
            cells.push_back(cell);
        }
        std::reverse(cells.begin(), cells.end());
        return cells;
    }

private:
    struct Row {
        Cost cost = 0;
        Cell parent = 0;
        std::uint32_t stamp = 0;
    };

    std::vector<Row> rows_;
    std::uint32_t now_ = 0;
};

#endif
