/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of the places where one gets from cluster to cluster. */
#ifndef REGIONS_H
#define REGIONS_H

#include "cluster.h"
#include "world.h"

#include <map>
#include <vector>

struct Link {
    int gate;
    Cost cost;
    bool crosses;               /* into the next cluster, by one step */
};

/* A cell at the border of its cluster. */
struct Gate {
    Cell cell;
    int cluster;
    std::vector<Link> links;
};

class RegionGraph {
public:
    explicit RegionGraph(const World& world);

    const Clusters& clusters() const { return clusters_; }
    const std::vector<Gate>& gates() const { return gates_; }
    const std::vector<int>& gates_of(int cluster) const { return members_[static_cast<std::size_t>(cluster)]; }

private:
    const World& world_;
    Clusters clusters_;
    std::vector<Gate> gates_;
    std::vector<std::vector<int>> members_;     /* gates by cluster */
    std::map<Cell, int> gate_at_;

    int gate_at(Cell cell);
    void cross(Cell here, Cell there);
    void open_border(Position start, int dx, int dy, int length);
    void find_gates();
    void link_gates(const std::vector<int>& gates);
};

#endif
