/* SPDX-License-Identifier: Apache-2.0 */
/* What the arguments say: KEYWORD=VALUE, and the name of the file. */
#ifndef NAMD_OPTIONS_H
#define NAMD_OPTIONS_H

#include <cstdint>
#include <iosfwd>
#include <string>

struct Options {
    std::string file;
    std::string electrostatics = "shifted";
    double cutoff = 0.9;          /* nm */
    double switching = 0.75;      /* nm */
    double slack = 0.1;           /* nm that pair lists reach beyond the cutoff */
    double damping = 2.5;         /* 1/nm */
    double surroundings = 78.5;
    int minimise = 0;             /* steps */
    int steps = 100;
    double timestep = 1.0;        /* fs */
    double temperature = 300.0;   /* K */
    std::uint64_t seed = 1;
    int every = 10;               /* steps between lines of output */
    double tolerance = 0.01;      /* of the total energy, as a part of the kinetic energy */
    int check = 8;                /* atoms whose forces are summed up a second time */
    int numeric = 0;              /* atoms whose forces are compared with differences of the energy */
    bool reverse = false;         /* go all the way back */
};

/* Raises InputError. */
Options read_options(int argc, char **argv);
void print_usage(std::ostream &output);

#endif
