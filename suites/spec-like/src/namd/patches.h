/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The box cut into patches, none thinner than the reach of the pair lists, so that an atom's
 * partners are in its own patch and in the 26 around it; and the lists of those partners.
 */
#ifndef NAMD_PATCHES_H
#define NAMD_PATCHES_H

#include "system.h"

#include <array>
#include <cstdint>
#include <vector>

/* An atom as the pair forces see it. */
struct Site {
    Vector position;
    double charge;
    std::size_t type;
};

struct Patch {
    std::vector<std::size_t> atoms;
    std::vector<Vector> homes;  /* what to take from an atom's position to get into the box */
    std::vector<Site> sites;
    std::vector<Vector> forces;
};

/* partner[start[i]] to partner[start[i + 1] - 1] are sites of the second patch, partners of site i. */
struct Partners {
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> partner;
};

/* Two patches side by side, or one patch with itself. */
struct PatchPair {
    std::size_t first, second;
    Vector offset;              /* from the second patch to its image beside the first */
    Partners normal, modified;
};

class Patches {
public:
    Patches(const System &system, double reach);

    /* Put the atoms into patches and list the pairs within reach. */
    void rebuild(const std::vector<Vector> &positions);

    /* Is no list older than atoms can move half of the slack in? */
    bool current(const std::vector<Vector> &positions, double slack) const;

    void load(const std::vector<Vector> &positions);
    void unload(std::vector<Vector> &forces) const;

    std::vector<Patch> patches;
    std::vector<PatchPair> pairs;

    const std::array<std::size_t, 3> &counts() const
    {
        return counts_;
    }

    std::size_t listed_normal() const;
    std::size_t listed_modified() const;

private:
    void assign(const std::vector<Vector> &positions);
    void list(PatchPair &pair) const;
    std::size_t index(std::size_t x, std::size_t y, std::size_t z) const
    {
        return (z * counts_[1] + y) * counts_[0] + x;
    }

    const System &system_;
    double reach_;
    std::array<std::size_t, 3> counts_;
    std::vector<Vector> listed_at_;
};

#endif
