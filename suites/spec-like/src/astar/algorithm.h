/* SPDX-License-Identifier: Apache-2.0 */
/* Searches, and the registry that they enter themselves into before main begins. */
#ifndef ALGORITHM_H
#define ALGORITHM_H

#include "world.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Path {
    bool found = false;
    Cost cost = 0;
    std::vector<Cell> cells;    /* from the start to the goal, each a step from the one before */
};

struct Effort {
    long expanded = 0;          /* cells or nodes whose neighbours were looked at */
    long queued = 0;
    long looked = 0;            /* cells passed over without being queued */
};

class Algorithm {
public:
    virtual ~Algorithm() = default;
    Algorithm(const Algorithm&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;

    virtual bool is_exact() const { return true; }
    virtual Path find(Cell from, Cell to) = 0;

    const Effort& effort() const { return effort_; }

protected:
    Algorithm() = default;

    Effort effort_;
};

/* Makes the algorithm for a world; null when it does not work there. */
using Factory = std::function<std::unique_ptr<Algorithm>(const World&)>;

class Registry {
public:
    struct Item {
        std::string description;
        Factory factory;
    };

    static Registry& instance();

    /* Throws std::logic_error when there is one of that name. */
    void add(const std::string& name, Item item);
    const std::map<std::string, Item>& items() const { return items_; }

private:
    std::map<std::string, Item> items_;     /* by name: the order of registration must not matter */
};

/* As a static object: registers an algorithm. */
class Registration {
public:
    Registration(const std::string& name, const std::string& description, Factory factory);
};

/* Throws std::logic_error unless the path leads from cell to cell and has the cost it says. */
void check_path(const World& world, Cell from, Cell to, const Path& path);

#endif
