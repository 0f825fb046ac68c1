/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of nonbonded forces by their names, which the kinds themselves put here before main runs. */
#include "errors.h"
#include "nonbonded.h"

#include <map>

namespace {

std::map<std::string, Kind::Maker> &makers()
{
    static std::map<std::string, Kind::Maker> all;

    return all;
}

} // namespace

Kind::Kind(const char *name, Maker maker)
{
    makers().emplace(name, maker);
}

std::unique_ptr<Nonbonded> Kind::make(const std::string &name, const System &system, const Cutoffs &cutoffs)
{
    const auto found = makers().find(name);

    if (found == makers().end()) {
        std::string known;

        for (const auto &entry : makers())
            known += " " + entry.first;
        throw InputError("there are no electrostatics called '" + name + "', but there are:" + known);
    }
    return found->second(system, cutoffs);
}
