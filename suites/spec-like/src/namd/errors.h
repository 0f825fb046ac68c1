/* SPDX-License-Identifier: Apache-2.0 */
/* What can go wrong: the input (exit status 2) or the computation (exit status 1). */
#ifndef NAMD_ERRORS_H
#define NAMD_ERRORS_H

#include <stdexcept>

class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

#endif
