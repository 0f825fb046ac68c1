// A worker's life: it answers requests until nobody asks any more.

#ifndef HARNESS_MODULE_SERVE_H
#define HARNESS_MODULE_SERVE_H

#include "wire.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace harness {

/// Make all of LLVM's targets known.
void knowTargets();

/// Say that the worker is ready, then answer. Requests of up to `Longest` bytes come on descriptor 8 and answers go to
/// 9 (harness/sandbox/pair.py). `Answering` fills in an answer, or says why there is none.
void serve(uint32_t Longest,
           llvm::function_ref<std::optional<std::string>(llvm::StringRef Request, Answer &Into)> Answering);

} // namespace harness

#endif
