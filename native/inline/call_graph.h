// How large LLVM's advisor takes the call graph to be. It keeps that to itself.

#ifndef HARNESS_INLINE_CALL_GRAPH_H
#define HARNESS_INLINE_CALL_GRAPH_H

#include "llvm/Analysis/MLInlineAdvisor.h"
#include <cstdint>
#include <type_traits>

namespace harness {

// A template's explicit instantiation may name private members.
enum class Counter : uint8_t { Nodes, Edges };
template <Counter Which, int64_t llvm::MLInlineAdvisor::*Member> struct Opened {
  friend int64_t read(const llvm::MLInlineAdvisor &From, std::integral_constant<Counter, Which> /*of*/) {
    return From.*Member;
  }
};
int64_t read(const llvm::MLInlineAdvisor &From, std::integral_constant<Counter, Counter::Nodes> /*of*/);
int64_t read(const llvm::MLInlineAdvisor &From, std::integral_constant<Counter, Counter::Edges> /*of*/);
template struct Opened<Counter::Nodes, &llvm::MLInlineAdvisor::NodeCount>;
template struct Opened<Counter::Edges, &llvm::MLInlineAdvisor::EdgeCount>;

inline int64_t functionsIn(const llvm::MLInlineAdvisor &Of) {
  return read(Of, std::integral_constant<Counter, Counter::Nodes>());
}
inline int64_t callsIn(const llvm::MLInlineAdvisor &Of) {
  return read(Of, std::integral_constant<Counter, Counter::Edges>());
}

} // namespace harness

#endif
