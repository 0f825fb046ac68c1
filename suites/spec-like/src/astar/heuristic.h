/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds on what is left to the goal. All are consistent: a step changes none by more than it costs. */
#ifndef HEURISTIC_H
#define HEURISTIC_H

#include "world.h"

#include <memory>
#include <vector>

class Heuristic {
public:
    virtual ~Heuristic() = default;
    Heuristic(const Heuristic&) = delete;
    Heuristic& operator=(const Heuristic&) = delete;

    virtual void aim(Cell goal) = 0;
    virtual Cost estimate(Cell cell) const = 0;

protected:
    Heuristic() = default;
};

/* Knows nothing: the search is Dijkstra's. */
class ZeroHeuristic final : public Heuristic {
public:
    void aim(Cell) override {}
    Cost estimate(Cell) const override { return 0; }
};

/* The cost on an empty map of the lightest ground. */
class OctileHeuristic final : public Heuristic {
public:
    explicit OctileHeuristic(const Terrain& terrain) : grid_(terrain.grid()), lightest_(terrain.lightest()) {}

    void aim(Cell goal) override { goal_ = grid_.position(goal); }
    Cost estimate(Cell cell) const override;

private:
    const Grid& grid_;
    Cost lightest_;
    Position goal_{0, 0};
};

/* Distances from a few landmarks and the triangle inequality: A. V. Goldberg and C. Harrelson, "Computing
   the shortest path: A* search meets graph theory", SODA 2005. */
class LandmarkHeuristic final : public Heuristic {
public:
    LandmarkHeuristic(const World& world, int count);

    void aim(Cell goal) override;
    Cost estimate(Cell cell) const override;

private:
    std::size_t count_ = 0;
    OctileHeuristic octile_;
    std::vector<Cost> distance_;        /* by cell, the landmarks next to each other */
    std::vector<Cost> of_goal_;
};

constexpr Cost unreached = -1;

/* The cost from a cell to every other, or `unreached`. */
std::vector<Cost> distances_from(const Terrain& terrain, Cell start);

#endif
