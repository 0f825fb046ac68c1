// What this process may still ask of the kernel once a submission's code is in it.

#ifndef HARNESS_POLICY_CONFINE_H
#define HARNESS_POLICY_CONFINE_H

#include <cstdint>

namespace harness {

enum class Confinement : uint8_t {
  Loading, // while the library is loaded, when its constructors run: files are opened to be read, not to be written
  Loaded,  // from then on: no file is opened that is there already, and no memory becomes executable
};

// Nothing but what a compiler needs that reads no more and writes its result: no program and no process is started, no
// thread, no socket, no signal to others. Cannot be undone. Ends the compiler where the kernel does not do it.
void confine(Confinement How);

} // namespace harness

#endif
