// A solver for the ASPLOS/EuroSys 2025 contest on intra-operator parallelism (IOPDDL).
//
//   solver FILE.json SECONDS [--without=PART[,PART...]]
//
// Every node of a graph takes one of its strategies.  Nodes and edges have costs; a strategy uses
// memory while its node lives, and the memory in use must never exceed a limit.  The parts:
//
// 1. presolve.  Nearly all forbidden edge entries say "these two nodes have the same layout", so
//    nodes tied in that way become one variable: 35,000 nodes may end as 300 variables.  States
//    that another state dominates in cost and memory go, as do variables without memory and with
//    at most two neighbours, and points of time that cannot be the fullest.
// 2. pricing.  Every point of time has a price for a unit of memory, raised where an assignment is
//    over the limit and lowered where it is under it.  With prices the memory constraint is just a
//    cost per state, and what is left is a pairwise energy, the home of message passing.
// 3. messages.  TRW-S passes find good prices and messages, which are decoded into
//    assignments.  Costs are plateaus with cliffs (a layout must be kept up over many operators),
//    where local search alone freezes far from the optimum; messages see over the cliffs.
// 4. sampling.  Starting there, random subsets of variables that induce a forest are resampled
//    exactly by dynamic programming with Gumbel noise, cooling down, prices still adapting.
// 5. annealing.  The best repaired samples are annealed under the hard limit, the prices fading
//    out.  chains: some moves pull the neighbours along and make room where memory is too full.
// 6. restarts.  When rounds of 4 and 5 stop paying, all begins anew from other prices.
//
// Each thread runs 2 to 6 with its own seed; the best assignment of all is printed whenever it
// improves, by a thread of its own.  Costs are integers below 2^53 held in doubles,
// so sums and differences of costs are exact; memory is counted in 64-bit integers.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using std::int64_t;
using std::vector;

// The input marks a forbidden choice by 10^18.  Inside the solver it weighs 10^15: still far above
// any sum of honest costs, yet thousands of them add up without overflow, and a sum of honest costs
// stays below 2^53, so that doubles hold every cost exactly.
constexpr int64_t kForbidden = 1'000'000'000'000'000;

// ---------------------------------------------------------------------------------------------
// Clock, switches, random numbers
// ---------------------------------------------------------------------------------------------

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Switches {
  bool presolve = true, pricing = true, messages = true, sampling = true, annealing = true,
       chains = true, restarts = true;
};

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x1234567) {
    for (int i = 0; i < 8; ++i) next();
  }
  uint64_t next() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  int below(int n) { return static_cast<int>(((next() >> 32) * static_cast<uint64_t>(n)) >> 32); }
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  uint64_t state_;
};

// ---------------------------------------------------------------------------------------------
// The problem as given
// ---------------------------------------------------------------------------------------------

struct Problem {
  struct Interval { int64_t begin, end; };
  struct Edge { int first, second; vector<int64_t> costs; };
  vector<Interval> intervals;
  vector<vector<int64_t>> costs, usages;  // [node][strategy]
  vector<Edge> edges;
  int64_t limit = INT64_MAX / 4;

  int size() const { return static_cast<int>(costs.size()); }
};

// A reader for just this format: every number is an integer, unknown keys are an error.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  Problem read() {
    Problem problem;
    vector<vector<int64_t>> ends, edgeCosts;
    vector<vector<int64_t>> intervals;
    object([&](const std::string& key) {
      if (key != "problem") fail();
      object([&](const std::string& part) {
        if (part == "name") { string(); return; }
        if (part == "usage_limit") { problem.limit = number(); return; }
        const bool nodes = part == "nodes";
        if (!nodes && part != "edges") fail();
        object([&](const std::string& field) {
          if (nodes && field == "intervals") intervals = rows();
          else if (nodes && field == "costs") problem.costs = rows();
          else if (nodes && field == "usages") problem.usages = rows();
          else if (!nodes && field == "nodes") ends = rows();
          else if (!nodes && field == "costs") edgeCosts = rows();
          else fail();
        });
      });
    });
    skip();
    if (at_ != end_) fail();
    assemble(problem, intervals, ends, edgeCosts);
    return problem;
  }

 private:
  [[noreturn]] static void fail() { throw std::runtime_error("malformed input"); }
  static void require(bool good) { if (!good) fail(); }

  static void assemble(Problem& problem, const vector<vector<int64_t>>& intervals,
                       const vector<vector<int64_t>>& ends, vector<vector<int64_t>>& edgeCosts) {
    const size_t n = problem.costs.size();
    require(problem.usages.size() == n && intervals.size() == n && ends.size() == edgeCosts.size());
    for (size_t v = 0; v < n; ++v) {
      require(intervals[v].size() == 2 && !problem.costs[v].empty() &&
              problem.costs[v].size() == problem.usages[v].size());
      problem.intervals.push_back({intervals[v][0], intervals[v][1]});
    }
    for (size_t e = 0; e < ends.size(); ++e) {
      require(ends[e].size() == 2);
      const int64_t a = ends[e][0], b = ends[e][1];
      require(a >= 0 && b >= 0 && a < static_cast<int64_t>(n) && b < static_cast<int64_t>(n));
      require(edgeCosts[e].size() == problem.costs[a].size() * problem.costs[b].size());
      problem.edges.push_back({static_cast<int>(a), static_cast<int>(b), std::move(edgeCosts[e])});
    }
  }

  void skip() { while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_; }
  bool accept(char c) {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) { require(accept(c)); }
  int64_t number() {
    skip();
    const bool negative = accept('-');
    require(at_ < end_ && *at_ >= '0' && *at_ <= '9');
    int64_t value = 0;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      require(value < INT64_MAX / 10);
      value = value * 10 + (*at_ - '0');
    }
    return negative ? -value : value;
  }
  std::string string() {
    expect('"');
    const char* begin = at_;
    while (at_ < end_ && *at_ != '"') ++at_;
    require(at_ < end_);
    return std::string(begin, at_++);
  }
  template <class Element> void array(Element element) {
    expect('[');
    if (accept(']')) return;
    do element(); while (accept(','));
    expect(']');
  }
  template <class Member> void object(Member member) {
    expect('{');
    if (accept('}')) return;
    do {
      const std::string key = string();
      expect(':');
      member(key);
    } while (accept(','));
    expect('}');
  }
  vector<vector<int64_t>> rows() {
    vector<vector<int64_t>> result;
    array([&] {
      vector<int64_t> row;
      array([&] { row.push_back(number()); });
      result.push_back(std::move(row));
    });
    return result;
  }

  const char* at_;
  const char* end_;
};

// ---------------------------------------------------------------------------------------------
// Presolve: from nodes to fewer variables
// ---------------------------------------------------------------------------------------------

using Matrix = vector<int64_t>;  // row-major

Matrix transposed(const Matrix& m, int rows, int columns) {
  Matrix result(m.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) result[j * rows + i] = m[i * columns + j];
  return result;
}

// A stretch of (compressed) time over which one variable's usage is constant.
struct Segment { int begin, end; };

// The usage of a variable: usage[segment * states + state], relative to its least state.
struct Footprint {
  vector<Segment> segments;
  vector<int64_t> usage;
};


class Presolver {
 public:
  Presolver(const Problem& problem, bool enabled) : problem_(problem) {
    load();
    if (enabled) contract();
    measureMemory();
    for (int round = 0; enabled && round < 3 && shrink(); ++round) measureMemory();
  }

  int nodes() const { return problem_.size(); }
  bool alive(int v) const { return alive_[v]; }
  int states(int v) const { return static_cast<int>(cost_[v].size()); }
  const vector<int64_t>& cost(int v) const { return cost_[v]; }
  const std::map<int, int>& neighbours(int v) const { return adjacent_[v]; }
  const Footprint& footprint(int v) const { return footprint_[v]; }
  // Per compressed time point: the limit less what is used whatever the variables choose.
  const vector<int64_t>& room() const { return room_; }

  // The matrix between v and w, indexed [state of v][state of w].
  Matrix between(int v, int w) const {
    const Edge& edge = edges_[adjacent_[v].at(w)];
    return edge.first == v ? edge.costs : transposed(edge.costs, states(w), states(v));
  }

  // The strategies of all nodes, given the states of the variables that are alive.
  vector<int> expand(const vector<int>& state) const {
    vector<int> strategy(nodes(), 0);
    const auto place = [&](const vector<Member>& members, int k) {
      for (const Member& member : members) strategy[member.node] = member.strategy[k];
    };
    for (int v = 0; v < nodes(); ++v)
      if (alive_[v]) place(members_[v], state[v]);
    for (auto it = eliminated_.rbegin(); it != eliminated_.rend(); ++it) {
      size_t index = 0;
      for (const int w : it->neighbours) index = index * problem_.costs[w].size() + strategy[w];
      place(it->members, it->best[index]);
    }
    return strategy;
  }

 private:
  // A node whose strategy follows from the state of the variable that holds it.  Variable v always
  // holds node v, and its states have distinct strategies of that node.
  struct Member { int node; vector<int> strategy; };
  struct Edge { int first, second; Matrix costs; };
  // A variable without memory, minimised away: its best state for the strategies of its neighbours.
  struct Eliminated {
    vector<Member> members;
    vector<int> neighbours;
    vector<int> best;
  };

  void load() {
    const int n = nodes();
    alive_.assign(n, true);
    adjacent_.resize(n);
    members_.resize(n);
    footprint_.resize(n);
    cost_ = problem_.costs;
    for (int v = 0; v < n; ++v) {
      for (int64_t& c : cost_[v]) c = std::min(c, kForbidden);
      vector<int> identity(states(v));
      std::iota(identity.begin(), identity.end(), 0);
      members_[v].push_back({v, std::move(identity)});
    }
    for (const Problem::Edge& edge : problem_.edges) {
      const int a = edge.first, b = edge.second;
      if (a == b) {
        for (int k = 0; k < states(a); ++k)
          cost_[a][k] = std::min(kForbidden, cost_[a][k] + edge.costs[k * states(a) + k]);
        continue;
      }
      if (std::all_of(edge.costs.begin(), edge.costs.end(), [](int64_t c) { return c == 0; })) continue;
      Matrix costs = edge.costs;
      for (int64_t& c : costs) c = std::min(c, kForbidden);
      connect(a, b, std::move(costs));
    }
  }

  void connect(int a, int b, Matrix costs) {  // adds to an edge that is there already
    const auto [it, fresh] = adjacent_[a].emplace(b, static_cast<int>(edges_.size()));
    if (fresh) {
      adjacent_[b][a] = it->second;
      edges_.push_back({a, b, std::move(costs)});
      return;
    }
    Edge& edge = edges_[it->second];
    if (edge.first != a) costs = transposed(costs, states(a), states(b));
    for (size_t i = 0; i < costs.size(); ++i) edge.costs[i] = std::min(kForbidden, edge.costs[i] + costs[i]);
  }

  void disconnect(int a, int b) {
    edges_[adjacent_[a][b]].costs = {};
    adjacent_[a].erase(b);
    adjacent_[b].erase(a);
  }

  vector<int> neighbourList(int v) const {
    vector<int> list;
    for (const auto& [w, edge] : adjacent_[v]) list.push_back(w);
    return list;
  }

  void keepStates(int v, const vector<int>& keep) {
    for (const auto& [w, id] : adjacent_[v]) {
      const Matrix old = between(v, w);
      const int columns = states(w);
      Matrix costs;
      for (const int k : keep) costs.insert(costs.end(), old.begin() + k * columns, old.begin() + (k + 1) * columns);
      edges_[id] = {v, w, std::move(costs)};
    }
    const auto select = [&](auto& row) {
      std::remove_reference_t<decltype(row)> kept;
      for (const int k : keep) kept.push_back(row[k]);
      row = std::move(kept);
    };
    select(cost_[v]);
    for (Member& member : members_[v]) select(member.strategy);
  }

  // Everything that the forbidden entries imply, until nothing changes.
  void contract() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int v = 0; v < nodes(); ++v) {
        if (!alive_[v]) continue;
        changed |= dropImpossibleStates(v);
        changed |= foldSeparableEdges(v);
        while (absorbNeighbour(v)) changed = true;
      }
    }
  }

  bool dropImpossibleStates(int v) {
    vector<bool> possible(states(v));
    for (int k = 0; k < states(v); ++k) possible[k] = cost_[v][k] < kForbidden;
    for (const auto& [w, id] : adjacent_[v]) {
      const Edge& edge = edges_[id];
      const bool forward = edge.first == v;
      const int rows = states(v), columns = states(w);
      for (int k = 0; k < rows; ++k) {
        bool supported = false;
        for (int j = 0; j < columns && !supported; ++j)
          supported = edge.costs[forward ? k * columns + j : j * rows + k] < kForbidden;
        if (!supported) possible[k] = false;
      }
    }
    vector<int> keep;
    for (int k = 0; k < states(v); ++k)
      if (possible[k]) keep.push_back(k);
    if (keep.empty() || static_cast<int>(keep.size()) == states(v)) return false;
    keepStates(v, keep);
    return true;
  }

  // An edge whose matrix is a sum of a row and a column term needs no edge.
  bool foldSeparableEdges(int v) {
    bool changed = false;
    for (const int w : neighbourList(v)) {
      const Edge& edge = edges_[adjacent_[v][w]];
      const Matrix& m = edge.costs;
      const int rows = states(edge.first), columns = states(edge.second);
      bool separable = true;
      for (int i = 1; i < rows && separable; ++i)
        for (int j = 1; j < columns && separable; ++j)
          separable = m[i * columns + j] - m[j] == m[i * columns] - m[0];
      if (!separable || *std::max_element(m.begin(), m.end()) >= kForbidden) continue;
      for (int i = 0; i < rows; ++i) cost_[edge.first][i] += m[i * columns];
      for (int j = 0; j < columns; ++j) cost_[edge.second][j] += m[j] - m[0];
      disconnect(v, w);
      changed = true;
    }
    return changed;
  }

  // If every state of v leaves one neighbour w a single possible state, w becomes a part of v.
  bool absorbNeighbour(int v) {
    for (const auto& [w, id] : adjacent_[v]) {
      const Edge& edge = edges_[id];
      const bool forward = edge.first == v;
      const int rows = states(v), columns = states(w);
      vector<int> follows(rows, -1);
      bool functional = true;
      for (int i = 0; i < rows && functional; ++i) {
        for (int j = 0; j < columns; ++j) {
          if (edge.costs[forward ? i * columns + j : j * rows + i] >= kForbidden) continue;
          functional = follows[i] < 0;
          if (!functional) break;
          follows[i] = j;
        }
        functional = functional && follows[i] >= 0;
      }
      if (!functional) continue;
      absorb(v, w, follows);
      return true;
    }
    return false;
  }

  void absorb(int v, int w, const vector<int>& follows) {
    const Matrix link = between(v, w);
    for (int k = 0; k < states(v); ++k)
      cost_[v][k] = std::min(kForbidden, cost_[v][k] + cost_[w][follows[k]] + link[k * states(w) + follows[k]]);
    for (Member& member : members_[w]) {
      vector<int> strategy(states(v));
      for (int k = 0; k < states(v); ++k) strategy[k] = member.strategy[follows[k]];
      members_[v].push_back({member.node, std::move(strategy)});
    }
    members_[w].clear();
    disconnect(v, w);
    for (const int x : neighbourList(w)) {
      const Matrix old = between(w, x);
      const int columns = states(x);
      Matrix costs(static_cast<size_t>(states(v)) * columns);
      for (int k = 0; k < states(v); ++k)
        std::copy_n(old.begin() + follows[k] * columns, columns, costs.begin() + k * columns);
      disconnect(w, x);
      connect(v, x, std::move(costs));
    }
    alive_[w] = false;
  }

  // Time is cut at the intervals' ends; only points whose set of live variables is not a part of
  // their neighbour's can be the fullest.
  void measureMemory() {
    vector<int64_t> cuts;
    for (const auto& [begin, end] : problem_.intervals)
      if (begin < end) cuts.insert(cuts.end(), {begin, end});
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const int points = std::max<int>(0, static_cast<int>(cuts.size()) - 1);
    const auto index = [&](int64_t t) {
      return static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), t) - cuts.begin());
    };
    vector<int64_t> fixed(points + 1), most(points + 1);  // differences first, then sums
    const auto spread = [](vector<int64_t>& difference, Segment s, int64_t amount) {
      difference[s.begin] += amount;
      difference[s.end] -= amount;
    };
    for (int v = 0; v < nodes(); ++v) {
      if (!alive_[v]) continue;
      footprint_[v] = sumOfMembers(v, index);
      removeCommonUsage(footprint_[v], states(v), [&](Segment s, int64_t least) { spread(fixed, s, least); });
      forEachRow(footprint_[v], states(v), [&](Segment s, const int64_t* row) {
        spread(most, s, *std::max_element(row, row + states(v)));
      });
    }
    for (const Eliminated& gone : eliminated_)  // no choice of theirs matters to memory
      for (const Member& member : gone.members) {
        const auto [begin, end] = problem_.intervals[member.node];
        if (begin < end)
          spread(fixed, {index(begin), index(end)}, problem_.usages[member.node][member.strategy[0]]);
      }
    std::partial_sum(fixed.begin(), fixed.end(), fixed.begin());
    std::partial_sum(most.begin(), most.end(), most.begin());
    compressTime(points, fixed, most);
  }

  Footprint sumOfMembers(int v, const auto& index) const {
    struct Event { int at, member, sign; };
    vector<Event> events;
    for (size_t i = 0; i < members_[v].size(); ++i) {
      const auto [begin, end] = problem_.intervals[members_[v][i].node];
      if (begin >= end) continue;
      events.push_back({index(begin), static_cast<int>(i), 1});
      events.push_back({index(end), static_cast<int>(i), -1});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
    Footprint result;
    vector<int64_t> usage(states(v));
    for (size_t i = 0; i < events.size(); ++i) {
      const Member& member = members_[v][events[i].member];
      for (int k = 0; k < states(v); ++k)
        usage[k] += events[i].sign * problem_.usages[member.node][member.strategy[k]];
      if (i + 1 == events.size() || events[i + 1].at == events[i].at) continue;
      result.segments.push_back({events[i].at, events[i + 1].at});
      result.usage.insert(result.usage.end(), usage.begin(), usage.end());
    }
    return result;
  }

  static void forEachRow(const Footprint& footprint, int states, const auto& visit) {
    for (size_t i = 0; i < footprint.segments.size(); ++i)
      visit(footprint.segments[i], footprint.usage.data() + i * states);
  }

  // Makes usage relative to the least of all states, and joins or drops segments where possible.
  static void removeCommonUsage(Footprint& footprint, int states, const auto& collect) {
    Footprint result;
    forEachRow(footprint, states, [&](Segment s, const int64_t* row) {
      if (s.begin == s.end) return;
      const int64_t least = *std::min_element(row, row + states);
      collect(s, least);
      vector<int64_t> relative(row, row + states);
      for (int64_t& u : relative) u -= least;
      if (std::all_of(relative.begin(), relative.end(), [](int64_t u) { return u == 0; })) return;
      if (!result.segments.empty() && result.segments.back().end == s.begin &&
          std::equal(relative.begin(), relative.end(), result.usage.end() - states)) {
        result.segments.back().end = s.end;
        return;
      }
      result.segments.push_back(s);
      result.usage.insert(result.usage.end(), relative.begin(), relative.end());
    });
    footprint = std::move(result);
  }

  // Drops the points that can never be over the limit, and those dominated by a neighbour.
  void compressTime(int points, const vector<int64_t>& fixed, const vector<int64_t>& most) {
    vector<int> begins(points + 1), ends(points + 1);
    for (int v = 0; v < nodes(); ++v)
      if (alive_[v])
        for (const Segment& s : footprint_[v].segments) ++begins[s.begin], ++ends[s.end];
    vector<int> kept;
    // Walking right: `grown`/`shrunk` tell whether a variable came or went since the last kept point.
    bool grown = true, shrunk = true;
    for (int t = 0; t < points; ++t) {
      grown |= begins[t] > 0;
      shrunk |= ends[t] > 0;
      if (fixed[t] + most[t] <= problem_.limit) continue;
      if (!kept.empty() && !shrunk && fixed[t] >= fixed[kept.back()]) kept.pop_back();
      else if (!kept.empty() && !grown && fixed[t] <= fixed[kept.back()]) continue;
      kept.push_back(t);
      grown = shrunk = false;
    }
    vector<int> compressed(points + 1);
    for (int t = 0, next = 0; t <= points; ++t) {
      compressed[t] = next;
      if (next < static_cast<int>(kept.size()) && kept[next] == t) ++next;
    }
    room_.clear();
    for (const int t : kept) room_.push_back(problem_.limit - fixed[t]);
    for (int v = 0; v < nodes(); ++v) {
      if (!alive_[v]) continue;
      for (Segment& s : footprint_[v].segments) s = {compressed[s.begin], compressed[s.end]};
      removeCommonUsage(footprint_[v], states(v), [](Segment, int64_t) {});
    }
  }

  // Dominated states and variables without memory go; true if anything changed.
  bool shrink() {
    bool any = false;
    vector<bool> pending(nodes(), true);  // something at or next to the variable changed
    for (bool changed = true; changed; any |= changed) {
      changed = false;
      for (int v = 0; v < nodes(); ++v) {
        if (!alive_[v] || !pending[v]) continue;
        pending[v] = false;
        const vector<int> around = neighbourList(v);
        const bool fewerStates = dropDominatedStates(v);
        const bool fewerEdges = foldSeparableEdges(v);
        const bool eliminable = footprint_[v].segments.empty() && adjacent_[v].size() <= 2;
        if (eliminable) eliminate(v);
        if (!fewerStates && !fewerEdges && !eliminable) continue;
        changed = true;
        for (const int w : around) pending[w] = true;
      }
    }
    return any;
  }

  // State j goes if some state i never needs more memory and never costs more, whatever the
  // neighbours do.
  bool dropDominatedStates(int v) {
    const int n = states(v);
    if (n == 1) return false;
    const Footprint& footprint = footprint_[v];
    const int segments = static_cast<int>(footprint.segments.size());
    vector<std::pair<Matrix, int>> around;
    for (const auto& [w, id] : adjacent_[v]) around.push_back({between(v, w), states(w)});
    // Costs under a few sample choices of the neighbours: a quick way to see that i may cost more.
    constexpr int kSamples = 8;
    vector<int64_t> sample(kSamples * n);
    for (int k = 0; k < n; ++k)
      for (int s = 0; s < kSamples; ++s) {
        sample[k * kSamples + s] = cost_[v][k];
        for (const auto& [m, columns] : around) sample[k * kSamples + s] += m[k * columns + (s * 7) % columns];
      }
    const auto dominates = [&](int i, int j) {
      for (int s = 0; s < kSamples; ++s)
        if (sample[i * kSamples + s] > sample[j * kSamples + s]) return false;
      for (int s = 0; s < segments; ++s)
        if (footprint.usage[s * n + i] > footprint.usage[s * n + j]) return false;
      int64_t worst = cost_[v][i] - cost_[v][j];
      for (const auto& [m, columns] : around) {
        int64_t most = INT64_MIN;
        for (int y = 0; y < columns; ++y) most = std::max(most, m[i * columns + y] - m[j * columns + y]);
        worst += most;
      }
      return worst <= 0;
    };
    vector<bool> gone(n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n && !gone[j]; ++i)
        if (i != j && !gone[i] && dominates(i, j)) gone[j] = true;
    vector<int> keep;
    for (int k = 0; k < n; ++k)
      if (!gone[k]) keep.push_back(k);
    if (static_cast<int>(keep.size()) == n) return false;
    Footprint reduced;
    reduced.segments = footprint.segments;
    for (int s = 0; s < segments; ++s)
      for (const int k : keep) reduced.usage.push_back(footprint.usage[s * n + k]);
    footprint_[v] = std::move(reduced);
    keepStates(v, keep);
    return true;
  }

  void eliminate(int v) {
    const vector<int> around = neighbourList(v);
    Eliminated gone{std::move(members_[v]), around, {}};
    // A missing neighbour is a neighbour of one state.
    struct Side { Matrix costs; int states; const vector<int>* strategy; size_t strategies; };
    static const vector<int> single{0};
    Side side[2] = {{Matrix(states(v)), 1, &single, 1}, {Matrix(states(v)), 1, &single, 1}};
    for (size_t i = 0; i < around.size(); ++i)
      side[i] = {between(v, around[i]), states(around[i]), &members_[around[i]][0].strategy,
                 problem_.costs[around[i]].size()};
    gone.best.resize(side[0].strategies * side[1].strategies);
    Matrix joint(static_cast<size_t>(side[0].states) * side[1].states);
    for (int i = 0; i < side[0].states; ++i)
      for (int j = 0; j < side[1].states; ++j) {
        int best = 0;
        int64_t least = INT64_MAX;
        for (int k = 0; k < states(v); ++k) {
          const int64_t c = cost_[v][k] + side[0].costs[k * side[0].states + i] + side[1].costs[k * side[1].states + j];
          if (c < least) least = c, best = k;
        }
        joint[i * side[1].states + j] = std::min(least, kForbidden);
        gone.best[(*side[0].strategy)[i] * side[1].strategies + (*side[1].strategy)[j]] = best;
      }
    for (const int w : around) disconnect(v, w);
    if (around.size() == 1)
      for (int i = 0; i < side[0].states; ++i) cost_[around[0]][i] += joint[i];
    if (around.size() == 2) connect(around[0], around[1], std::move(joint));
    eliminated_.push_back(std::move(gone));
    alive_[v] = false;
  }

  const Problem& problem_;
  vector<bool> alive_;
  vector<vector<int64_t>> cost_;
  vector<std::map<int, int>> adjacent_;  // variable -> neighbour -> edge
  vector<Edge> edges_;
  vector<vector<Member>> members_;
  vector<Footprint> footprint_;
  vector<int64_t> room_;
  vector<Eliminated> eliminated_;
};

// ---------------------------------------------------------------------------------------------
// What the search works on
// ---------------------------------------------------------------------------------------------

// The presolved problem in flat arrays.  Variables are renumbered, equal matrices are shared.
class Model {
 public:
  struct Link {
    int neighbour;
    const double* rows;  // [state of neighbour][state of this variable]
    const double* back;  // the same transposed
  };
  struct Piece {  // usage of one variable over some points of time
    int begin, end;
    const int64_t* usage;  // [state]
  };

  explicit Model(const Presolver& presolved) : room_(presolved.room()), origin_(presolved.nodes(), -1) {
    for (int v = 0; v < presolved.nodes(); ++v) {
      if (!presolved.alive(v)) continue;
      origin_[v] = size_++;
      nodeOf_.push_back(v);
    }
    offset_.push_back(0);
    firstLink_.push_back(0);
    firstPiece_.push_back(0);
    for (int i = 0; i < size_; ++i) {
      const int v = nodeOf_[i];
      const vector<int64_t>& cost = presolved.cost(v);
      cost_.insert(cost_.end(), cost.begin(), cost.end());
      offset_.push_back(static_cast<int>(cost_.size()));
      for (const auto& [w, edge] : presolved.neighbours(v))
        links_.push_back({origin_[w], share(presolved.between(w, v)), share(presolved.between(v, w))});
      firstLink_.push_back(static_cast<int>(links_.size()));
      const Footprint& footprint = presolved.footprint(v);
      usages_.push_back(std::make_unique<vector<int64_t>>(footprint.usage));
      for (size_t s = 0; s < footprint.segments.size(); ++s)
        pieces_.push_back({footprint.segments[s].begin, footprint.segments[s].end,
                           usages_.back()->data() + s * cost.size()});
      firstPiece_.push_back(static_cast<int>(pieces_.size()));
      maxStates_ = std::max(maxStates_, static_cast<int>(cost.size()));
    }
  }

  template <class T> struct Range {
    const T *first, *last;
    const T* begin() const { return first; }
    const T* end() const { return last; }
    size_t size() const { return last - first; }
  };
  int size() const { return size_; }
  int points() const { return static_cast<int>(room_.size()); }
  int totalStates() const { return offset_.back(); }
  int maxStates() const { return maxStates_; }
  int states(int v) const { return offset_[v + 1] - offset_[v]; }
  int offset(int v) const { return offset_[v]; }
  const double* cost(int v) const { return cost_.data() + offset_[v]; }
  Range<Link> links(int v) const { return {links_.data() + firstLink_[v], links_.data() + firstLink_[v + 1]}; }
  Range<Piece> pieces(int v) const { return {pieces_.data() + firstPiece_[v], pieces_.data() + firstPiece_[v + 1]}; }
  const vector<int64_t>& room() const { return room_; }

  vector<int> byNode(const vector<int>& states) const {
    vector<int> result(origin_.size(), 0);
    for (int i = 0; i < size_; ++i) result[nodeOf_[i]] = states[i];
    return result;
  }

 private:
  const double* share(const Matrix& matrix) {
    uint64_t hash = matrix.size();
    for (const int64_t c : matrix) hash = (hash ^ static_cast<uint64_t>(c)) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29;
    auto& bucket = pool_[hash];
    for (const auto& known : bucket)
      if (std::equal(known->begin(), known->end(), matrix.begin(), matrix.end())) return known->data();
    bucket.push_back(std::make_unique<vector<double>>(matrix.begin(), matrix.end()));
    return bucket.back()->data();
  }

  int size_ = 0, maxStates_ = 1;
  vector<int64_t> room_;
  vector<int> origin_, nodeOf_, offset_, firstLink_, firstPiece_;
  vector<double> cost_;
  vector<Link> links_;
  vector<Piece> pieces_;
  vector<std::unique_ptr<vector<int64_t>>> usages_;
  std::unordered_map<uint64_t, vector<std::unique_ptr<vector<double>>>> pool_;
};

// Room left at every point of time; updates and minima over ranges work on blocks.
class Profile {
 public:
  explicit Profile(const vector<int64_t>& room) : room_(room) {
    blocks_ = (static_cast<int>(room_.size()) + kBlock - 1) / kBlock;
    room_.resize(blocks_ * kBlock, kHuge);
    shift_.assign(blocks_, 0);
    least_.resize(blocks_);
    for (int b = 0; b < blocks_; ++b) refresh(b);
  }

  void take(int begin, int end, int64_t amount) {
    const int first = begin / kBlock, last = (end - 1) / kBlock;
    if (first == last) return takeInBlock(first, begin, end, amount);
    takeInBlock(first, begin, (first + 1) * kBlock, amount);
    for (int b = first + 1; b < last; ++b) shift_[b] -= amount, least_[b] -= amount;
    takeInBlock(last, last * kBlock, end, amount);
  }

  int64_t least(int begin, int end) const {
    const int first = begin / kBlock, last = (end - 1) / kBlock;
    if (first == last) return leastInBlock(first, begin, end);
    int64_t result = std::min(leastInBlock(first, begin, (first + 1) * kBlock), leastInBlock(last, last * kBlock, end));
    for (int b = first + 1; b < last; ++b) result = std::min(result, least_[b]);
    return result;
  }

  int64_t least() const {
    return blocks_ == 0 ? kHuge : *std::min_element(least_.begin(), least_.end());
  }
  int fullest() const {  // a point with the least room
    const int b = static_cast<int>(std::min_element(least_.begin(), least_.end()) - least_.begin());
    const auto first = room_.begin() + b * kBlock;
    return static_cast<int>(std::min_element(first, first + kBlock) - room_.begin());
  }
  int64_t at(int t) const { return room_[t] + shift_[t / kBlock]; }

 private:
  static constexpr int kBlock = 64;
  static constexpr int64_t kHuge = INT64_MAX / 4;

  void takeInBlock(int b, int begin, int end, int64_t amount) {
    if (begin == b * kBlock && end == begin + kBlock) {
      shift_[b] -= amount;
      least_[b] -= amount;
      return;
    }
    for (int t = begin; t < end; ++t) room_[t] -= amount;
    refresh(b);
  }
  int64_t leastInBlock(int b, int begin, int end) const {
    if (begin == b * kBlock && end == begin + kBlock) return least_[b];
    int64_t result = kHuge;
    for (int t = begin; t < end; ++t) result = std::min(result, room_[t]);
    return result + shift_[b];
  }
  void refresh(int b) {
    int64_t result = kHuge;
    for (int t = b * kBlock; t < (b + 1) * kBlock; ++t) result = std::min(result, room_[t]);
    least_[b] = result + shift_[b];
  }

  int blocks_;
  vector<int64_t> room_, shift_, least_;
};

// A price for a unit of memory at every point of time, and what it makes of every state.
class Prices {
 public:
  explicit Prices(const Model& model)
      : model_(model), price_(model.points(), 0.0), ofState_(model.totalStates(), 0.0) {}

  const double* of(int v) const { return ofState_.data() + model_.offset(v); }
  vector<double>& perPoint() { return price_; }
  // Something to add to every state's price from the next refresh on; empty: nothing.
  void setBias(vector<double> bias) { bias_ = std::move(bias); }

  void refresh() {  // after a change of the prices per point
    vector<double> sum(price_.size() + 1, 0.0);
    std::partial_sum(price_.begin(), price_.end(), sum.begin() + 1);
    for (int v = 0; v < model_.size(); ++v) {
      const int n = model_.states(v);
      double* const out = ofState_.data() + model_.offset(v);
      if (bias_.empty()) std::fill(out, out + n, 0.0);
      else std::copy_n(bias_.data() + model_.offset(v), n, out);
      for (const Model::Piece& piece : model_.pieces(v)) {
        const double price = sum[piece.end] - sum[piece.begin];
        for (int k = 0; k < n; ++k) out[k] += price * static_cast<double>(piece.usage[k]);
      }
    }
  }

 private:
  const Model& model_;
  vector<double> price_, ofState_, bias_;
};

// A full assignment with its exact cost, the memory profile, and for every state of every variable
// what it would cost there with the neighbours as they are ("local cost").
class Assignment {
 public:
  Assignment(const Model& model, vector<int> states)
      : model_(model), state_(std::move(states)), local_(model.totalStates()), profile_(model.room()) {
    double links = 0;
    for (int v = 0; v < model.size(); ++v) {
      const int n = model.states(v);
      double* const local = local_.data() + model.offset(v);
      std::copy_n(model.cost(v), n, local);
      for (const Model::Link& link : model.links(v)) {
        const double* const row = link.rows + static_cast<size_t>(state_[link.neighbour]) * n;
        for (int k = 0; k < n; ++k) local[k] += row[k];
        links += row[state_[v]];
      }
      cost_ += model.cost(v)[state_[v]];
      for (const Model::Piece& piece : model.pieces(v))
        if (const int64_t used = piece.usage[state_[v]]) profile_.take(piece.begin, piece.end, used);
    }
    cost_ += links / 2;
  }

  double cost() const { return cost_; }
  const vector<int>& states() const { return state_; }
  int state(int v) const { return state_[v]; }
  const double* local(int v) const { return local_.data() + model_.offset(v); }
  const Profile& profile() const { return profile_; }
  bool feasible() const { return profile_.least() >= 0; }

  // Whether v may go to state k without using more where that is too much.
  bool fits(int v, int k) const {
    const int now = state_[v];
    for (const Model::Piece& piece : model_.pieces(v)) {
      const int64_t more = piece.usage[k] - piece.usage[now];
      if (more > 0 && profile_.least(piece.begin, piece.end) < more) return false;
    }
    return true;
  }

  void set(int v, int k) {
    const int old = state_[v];
    cost_ += local(v)[k] - local(v)[old];
    for (const Model::Piece& piece : model_.pieces(v))
      if (const int64_t more = piece.usage[k] - piece.usage[old]) profile_.take(piece.begin, piece.end, more);
    for (const Model::Link& link : model_.links(v)) {
      const int w = link.neighbour;
      const int states = model_.states(w);
      const double* const gain = link.back + static_cast<size_t>(k) * states;
      const double* const loss = link.back + static_cast<size_t>(old) * states;
      double* const local = local_.data() + model_.offset(w);
      for (int y = 0; y < states; ++y) local[y] += gain[y] - loss[y];
    }
    state_[v] = k;
  }

 private:
  const Model& model_;
  vector<int> state_;
  vector<double> local_;
  double cost_ = 0;
  Profile profile_;
};

// ---------------------------------------------------------------------------------------------
// The search
// ---------------------------------------------------------------------------------------------

// out[y] = min over k of in[k] + rows[k][y]: where nearly all of the time goes.
__attribute__((target_clones("avx2", "default")))
void minPlus(double* out, int outStates, const double* in, int inStates, const double* rows) {
  for (int y = 0; y < outStates; ++y) out[y] = in[0] + rows[y];
  for (int k = 1; k < inStates; ++k) {
    const double base = in[k];
    const double* const row = rows + static_cast<size_t>(k) * outStates;
    for (int y = 0; y < outStates; ++y) out[y] = std::min(out[y], base + row[y]);
  }
}

// Random numbers of the Gumbel distribution, drawn once and reused from random places.  Adding them
// (times the temperature) before minimising turns minimising into sampling, near enough.
class GumbelTable {
 public:
  GumbelTable() : value_(kSize + kMargin) {
    Random random(1);
    for (double& g : value_) g = std::log(-std::log(random.unit()));
  }
  // At least `count` values in a row.
  const double* draw(Random& random, int count) const {
    return value_.data() + random.below(kSize + kMargin - count);
  }
  static constexpr int kMargin = 1 << 14;

 private:
  static constexpr int kSize = 1 << 16;
  vector<double> value_;
};

// Picks random sets of variables that induce a forest, and resamples each set exactly by dynamic
// programming, the others being fixed and memory being priced.
class ForestSampler {
 public:
  ForestSampler(const Model& model, Random& random)
      : model_(model), random_(random), order_(model.size()), key_(model.size()), root_(model.size()),
        parent_(model.size()), energy_(model.totalStates()), message_(model.maxStates()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void step(vector<int>& state, const Prices& prices, double temperature) {
    chooseForest();
    orderFromRoots();
    for (auto it = sequence_.rbegin(); it != sequence_.rend(); ++it) collect(*it, state, prices, temperature);
    for (const int v : sequence_) decide(v, state);
  }

 private:
  static constexpr int kOutside = -1;

  int find(int v) {
    while (root_[v] != v) v = root_[v] = root_[root_[v]];
    return v;
  }

  // Greedy in a random order that now and then favours variables with many neighbours.
  void chooseForest() {
    const bool favourHubs = random_.below(2) == 0;
    for (int v = 0; v < model_.size(); ++v)
      key_[v] = random_.unit() * (favourHubs ? static_cast<double>(model_.links(v).size() + 1) : 1.0);
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return key_[a] > key_[b]; });
    std::fill(root_.begin(), root_.end(), kOutside);
    for (const int v : order_) {
      roots_.clear();
      for (const Model::Link& link : model_.links(v))
        if (root_[link.neighbour] != kOutside) roots_.push_back(find(link.neighbour));
      std::sort(roots_.begin(), roots_.end());
      if (std::adjacent_find(roots_.begin(), roots_.end()) != roots_.end()) continue;
      root_[v] = v;
      for (const int r : roots_) root_[r] = v;
    }
  }

  void orderFromRoots() {
    sequence_.clear();
    for (int v = 0; v < model_.size(); ++v) {
      if (root_[v] != v) continue;
      parent_[v] = kOutside;
      size_t next = sequence_.size();
      sequence_.push_back(v);
      for (; next < sequence_.size(); ++next)
        for (const Model::Link& link : model_.links(sequence_[next]))
          if (root_[link.neighbour] != kOutside && link.neighbour != parent_[sequence_[next]]) {
            parent_[link.neighbour] = sequence_[next];
            sequence_.push_back(link.neighbour);
          }
    }
  }

  // The energy of v's states, the children's messages included.
  void collect(int v, const vector<int>& state, const Prices& prices, double temperature) {
    const int n = model_.states(v);
    double* const energy = energy_.data() + model_.offset(v);
    const double* const cost = model_.cost(v);
    const double* const price = prices.of(v);
    for (int k = 0; k < n; ++k) energy[k] = cost[k] + price[k];
    if (temperature > 0) {
      const double* const noise = gumbel().draw(random_, n);
      for (int k = 0; k < n; ++k) energy[k] += temperature * noise[k];
    }
    for (const Model::Link& link : model_.links(v)) {
      const int w = link.neighbour;
      if (w == parent_[v] && root_[w] != kOutside) continue;
      if (root_[w] == kOutside) {
        const double* const row = link.rows + static_cast<size_t>(state[w]) * n;
        for (int k = 0; k < n; ++k) energy[k] += row[k];
        continue;
      }
      minPlus(message_.data(), n, energy_.data() + model_.offset(w), model_.states(w), link.rows);
      for (int k = 0; k < n; ++k) energy[k] += message_[k];
    }
  }

  void decide(int v, vector<int>& state) {
    const int n = model_.states(v);
    double* const energy = energy_.data() + model_.offset(v);
    if (parent_[v] != kOutside)
      for (const Model::Link& link : model_.links(v))
        if (link.neighbour == parent_[v]) {
          const double* const row = link.rows + static_cast<size_t>(state[parent_[v]]) * n;
          for (int k = 0; k < n; ++k) energy[k] += row[k];
        }
    state[v] = static_cast<int>(std::min_element(energy, energy + n) - energy);
  }

  static const GumbelTable& gumbel() {
    static const GumbelTable table;
    return table;
  }

  const Model& model_;
  Random& random_;
  vector<int> order_;
  vector<double> key_;
  vector<int> root_;  // union-find over the forest; kOutside: not in the forest
  vector<int> roots_, parent_, sequence_;
  vector<double> energy_, message_;
};

// Sequential tree-reweighted message passing (Kolmogorov's TRW-S) on costs plus priced memory: it
// raises a lower bound, and its messages sum up what a choice entails far away, which no local
// search sees.
class MessagePassing {
 public:
  explicit MessagePassing(const Model& model) : model_(model), belief_(model.maxStates()), rest_(model.maxStates()) {
    int links = 0;
    size_t entries = 0;
    for (int v = 0; v < model.size(); ++v) {
      firstLink_.push_back(links);
      int before = 0, after = 0;
      for (const Model::Link& link : model.links(v)) {
        message_.push_back(entries);
        entries += model.states(v);
        ++(link.neighbour < v ? before : after);
        ++links;
      }
      share_.push_back(1.0 / std::max({before, after, 1}));
    }
    for (int v = 0; v < model.size(); ++v)
      for (const Model::Link& link : model.links(v)) {
        const auto back = model.links(link.neighbour);
        int i = 0;
        while (back.first[i].neighbour != v) ++i;
        reverse_.push_back(firstLink_[link.neighbour] + i);
      }
    values_.assign(entries, 0.0);
  }

  // One pass over all variables, to be made up and down in turn.  Every variable takes its best
  // state, given the states of those before it and the messages of those after it.
  void pass(const Prices& prices, bool up, vector<int>& state) {
    for (int i = 0; i < model_.size(); ++i) {
      const int v = up ? i : model_.size() - 1 - i;
      const int n = model_.states(v);
      const auto links = model_.links(v);
      double* const belief = belief_.data();
      const double* const cost = model_.cost(v);
      const double* const price = prices.of(v);
      for (int k = 0; k < n; ++k) belief[k] = cost[k] + price[k];
      guess_.assign(belief, belief + n);
      for (size_t l = 0; l < links.size(); ++l) {
        const Model::Link& link = links.first[l];
        const double* const in = values_.data() + message_[firstLink_[v] + l];
        for (int k = 0; k < n; ++k) belief[k] += in[k];
        const bool decided = up ? link.neighbour < v : link.neighbour > v;
        const double* const known = decided ? link.rows + static_cast<size_t>(state[link.neighbour]) * n : in;
        for (int k = 0; k < n; ++k) guess_[k] += known[k];
      }
      state[v] = static_cast<int>(std::min_element(guess_.begin(), guess_.end()) - guess_.begin());
      const double least = *std::min_element(belief, belief + n);
      for (int k = 0; k < n; ++k) belief[k] = (belief[k] - least) * share_[v];
      for (size_t l = 0; l < links.size(); ++l) {
        const Model::Link& link = links.first[l];
        if (up ? link.neighbour < v : link.neighbour > v) continue;
        const double* const in = values_.data() + message_[firstLink_[v] + l];
        double* const out = values_.data() + message_[reverse_[firstLink_[v] + l]];
        const int m = model_.states(link.neighbour);
        for (int k = 0; k < n; ++k) rest_[k] = belief[k] - in[k];
        minPlus(out, m, rest_.data(), n, link.back);
        const double low = *std::min_element(out, out + m);
        for (int y = 0; y < m; ++y) out[y] -= low;
      }
    }
  }

  // What neighbour number l of v tells v, by v's states.
  const double* toldBy(int v, size_t l) const { return values_.data() + message_[firstLink_[v] + l]; }

 private:
  const Model& model_;
  vector<int> firstLink_, reverse_;
  vector<size_t> message_;  // per link of v: where the message to v begins
  vector<double> values_, share_, belief_, guess_, rest_;
};

// Keeps the best feasible assignment of all threads. A thread of its own prints each as soon as it
// comes; where they come faster than that is cheap, the last of them.
class Reporter {
 public:
  Reporter(const Presolver& presolver, const Model& model, const Stopwatch& watch)
      : presolver_(presolver), model_(model), watch_(watch), printer_([this] { printAll(); }) {}
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  ~Reporter() { finish(); }

  void offer(const vector<int>& states, double cost) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cost >= best_) return;
    best_ = cost;
    states_ = states;
    fresh_ = true;
    news_.notify_one();
  }
  // Returns when the last is printed.
  void finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
      news_.notify_one();
    }
    if (printer_.joinable()) printer_.join();
  }
  // The best of all threads, if it beats the given one.
  void adoptBest(vector<int>& states, double& cost) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (best_ >= cost) return;
    cost = best_;
    states = states_;
  }

 private:
  static constexpr double pause = 30;  // times what printing took: it may have a thirtieth of a core

  void printAll() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      news_.wait(lock, [this] { return fresh_ || done_; });
      if (!fresh_) return;
      fresh_ = false;
      const vector<int> states = states_;
      lock.unlock();
      const double began = watch_.seconds();
      print(states);
      const std::chrono::duration<double> rest(pause * (watch_.seconds() - began));
      lock.lock();
      news_.wait_for(lock, rest, [this] { return done_; });
    }
  }
  void print(const vector<int>& states) const {
    const vector<int> strategies = presolver_.expand(model_.byNode(states));
    std::string line = "[";
    for (const int s : strategies) line += (line.size() > 1 ? ", " : "") + std::to_string(s);
    line += "]\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }

  const Presolver& presolver_;
  const Model& model_;
  const Stopwatch& watch_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  vector<int> states_;
  double best_ = std::numeric_limits<double>::infinity();
  bool fresh_ = false, done_ = false;
  std::thread printer_;  // the last member: it uses the others
};

// One thread's search: learn prices and messages, then rounds of forest sampling under prices,
// repair, and annealing under the limit.
class Search {
 public:
  Search(const Model& model, const Switches& use, Reporter& reporter, const Stopwatch& watch,
         double deadline, uint64_t seed)
      : model_(model), use_(use), reporter_(reporter), watch_(watch), deadline_(deadline), random_(seed),
        prices_(model), sampler_(model, random_), used_(model.points() + 1), firstEpoch_(seed == 0) {
    for (const int64_t r : model.room()) unit_ = std::min(unit_, static_cast<double>(r));
    unit_ = std::max(unit_, 1.0);
    indexTime();
  }

  void run() {
    Assignment start(model_, leastUsage());
    descend(start, prices_, 0.0);
    report(start);
    best_ = start.states();  // even if over the limit: a place to begin
    startCost_ = start.cost();
    while (!timeUp()) epoch();
  }

 private:
  bool timeUp() const { return watch_.seconds() >= deadline_; }

  vector<int> leastUsage() const {
    vector<int> least(model_.size());
    for (int v = 0; v < model_.size(); ++v) {
      vector<double> total(model_.states(v));
      for (const Model::Piece& piece : model_.pieces(v))
        for (size_t k = 0; k < total.size(); ++k)
          total[k] += static_cast<double>(piece.usage[k]) * (piece.end - piece.begin);
      least[v] = static_cast<int>(std::min_element(total.begin(), total.end()) - total.begin());
    }
    return least;
  }

  void note(const vector<int>& states, double cost) {
    if (cost < epochCost_) {
      epochCost_ = cost;
      epochBest_ = states;
    }
    if (cost < bestCost_) {
      bestCost_ = cost;
      best_ = states;
      reporter_.offer(states, cost);
    }
  }
  double costScale() const { return std::isfinite(bestCost_) ? bestCost_ : startCost_; }
  void report(const Assignment& a) {
    if (a.feasible()) note(a.states(), a.cost());
  }

  // From fresh prices to a local optimum that more rounds do not improve.
  void epoch() {
    epochCost_ = std::numeric_limits<double>::infinity();
    epochBest_ = best_;
    const double begin = watch_.seconds(), budget = deadline_ - begin;
    initialisePrices();
    if (use_.messages) learn(begin, 0.4 * budget);
    prices_.setBias({});
    prices_.refresh();
    int idle = 0;
    for (int round = 1; !timeUp(); ++round) {
      const double now = watch_.seconds(), left = deadline_ - now;
      const double wanted = std::min(0.1 * budget * round, kStepsPerRound * secondsPerStep_ * (1 + 0.25 * round));
      const double before = epochCost_;
      play(now, left < 1.5 * wanted ? deadline_ : now + wanted);
      idle = epochCost_ < before ? 0 : idle + 1;
      const bool enoughLeft = deadline_ - watch_.seconds() > 0.25 * budget;
      if (idle >= kPatience && use_.restarts) {
        if (enoughLeft) return;
        reporter_.adoptBest(best_, bestCost_);  // too late for a new start
        epochBest_ = best_;
        epochCost_ = bestCost_;
        idle = 0;
      }
    }
  }

  // --- prices ---

  // All but the first start of the first thread are varied at random, by the level of the prices
  // and by a bias on the states that only the messages see.
  void initialisePrices() {
    vector<double>& price = prices_.perPoint();
    const double level = firstEpoch_ ? 1.0 : std::pow(10.0, 2.0 * random_.unit() - 1.0);
    std::fill(price.begin(), price.end(),
              use_.pricing ? 1e-3 * level * costScale() / unit_ / static_cast<double>(price.size()) : 0.0);
    vector<double> bias;
    if (!firstEpoch_) {
      const double amplitude = std::pow(10.0, 2.5 * random_.unit() - 1.0) * costScale() / model_.size();
      for (int i = 0; i < model_.totalStates(); ++i) bias.push_back(amplitude * random_.unit());
    }
    prices_.setBias(std::move(bias));
    prices_.refresh();
    firstEpoch_ = false;
  }

  // Raises the prices where the assignment is over the limit, lowers them elsewhere; by factors, so
  // that neither the unit of cost nor the number of points matters.  Returns the worst excess.
  double adjustPrices(const vector<int>& state, double gain) {
    const vector<int64_t>& room = model_.room();
    std::fill(used_.begin(), used_.end(), 0);
    for (int v = 0; v < model_.size(); ++v)
      for (const Model::Piece& piece : model_.pieces(v)) {
        used_[piece.begin] += piece.usage[state[v]];
        used_[piece.end] -= piece.usage[state[v]];
      }
    std::partial_sum(used_.begin(), used_.end(), used_.begin());
    vector<double>& price = prices_.perPoint();
    double worst = -1, top = 0;
    for (int t = 0; t < model_.points(); ++t) {
      const double excess = static_cast<double>(used_[t] - room[t]) / unit_;
      worst = std::max(worst, excess);
      price[t] *= std::exp(std::clamp(gain * excess, -0.3, 0.3));
      top = std::max(top, price[t]);
    }
    for (double& p : price) p = std::max(p, top * 1e-9);  // small, but able to grow again
    prices_.refresh();
    return worst;
  }

  double costOf(const vector<int>& state) const {
    double nodes = 0, links = 0;
    for (int v = 0; v < model_.size(); ++v) {
      nodes += model_.cost(v)[state[v]];
      for (const Model::Link& link : model_.links(v))
        links += link.rows[static_cast<size_t>(state[link.neighbour]) * model_.states(v) + state[v]];
    }
    return nodes + links / 2;
  }

  // --- message passing ---

  // Messages and prices find each other; now and then the messages are turned into assignments.
  void learn(double begin, double longest) {
    MessagePassing messages(model_);
    vector<int> state(model_.size());
    double decodeAt = kDecodeEvery;
    bool up = true;
    for (int pass = 0;; ++pass, up = !up) {
      const double progress = std::max((watch_.seconds() - begin) / longest,
                                       static_cast<double>(pass) / kLearningPasses);
      messages.pass(prices_, up, state);
      if (progress >= decodeAt) {  // at two passes in turn, for an up and a down decoding
        if (!up) decodeAt += kDecodeEvery;
        Assignment a = decode(messages, !up);
        descend(a, prices_, 0.0);
        report(a);
      }
      if (progress >= 1 || timeUp()) break;
      adjustPrices(state, kGain * std::pow(kGainDecay, progress));
    }
  }

  // All start at their least usage; one after the other they take the best state that fits, given
  // the states of those before and the messages of those after.
  Assignment decode(const MessagePassing& messages, bool up) const {
    Assignment a(model_, leastUsage());
    vector<double> guess(model_.maxStates());
    for (int i = 0; i < model_.size(); ++i) {
      const int v = up ? i : model_.size() - 1 - i;
      const int n = model_.states(v);
      for (int k = 0; k < n; ++k) guess[k] = model_.cost(v)[k] + prices_.of(v)[k];
      const auto links = model_.links(v);
      for (size_t l = 0; l < links.size(); ++l) {
        const int w = links.first[l].neighbour;
        const bool before = up ? w < v : w > v;
        const double* const term =
            before ? links.first[l].rows + static_cast<size_t>(a.state(w)) * n : messages.toldBy(v, l);
        for (int k = 0; k < n; ++k) guess[k] += term[k];
      }
      int best = a.state(v);
      for (int k = 0; k < n; ++k)
        if (guess[k] < guess[best] && a.fits(v, k)) best = k;
      if (best != a.state(v)) a.set(v, best);
    }
    return a;
  }

  void finish(Assignment& a) {
    repair(a);
    descend(a, prices_, 0.0);
    report(a);
  }

  // --- a round ---

  // Sampling from the best so far, then annealing of the best sample.
  void play(double begin, double end) {
    static constexpr double kHeat[] = {0.03, 0.003, 0.3};
    static constexpr double kHot[] = {0.01, 0.03, 0.003, 0.1};
    const double heat = kHeat[rounds_ % std::size(kHeat)], hot = kHot[rounds_ % std::size(kHot)];
    ++rounds_;
    Assignment a = use_.sampling ? sample(heat, begin, begin + (use_.annealing ? 0.6 : 1.0) * (end - begin))
                                 : Assignment(model_, epochBest_);
    if (use_.annealing) anneal(a, hot, watch_.seconds(), end);
  }

  // Cooling forest sampling under prices.  Samples are over the limit here and there; some of the
  // later ones are repaired, and the best of these is returned.
  Assignment sample(double heat, double begin, double end) {
    const double scale = costScale() / model_.size();
    vector<int> state = epochBest_;
    std::unique_ptr<Assignment> best;
    double finishAt = 0.6;
    int steps = 0;
    for (bool last = false; !last; ++steps) {
      const double progress = std::min(1.0, (watch_.seconds() - begin) / (end - begin));
      last = progress >= 1;
      sampler_.step(state, prices_, heat * scale * std::pow(1e-4 / heat, progress));
      if (adjustPrices(state, kGain * std::pow(kGainDecay, progress)) <= 0) note(state, costOf(state));
      if (progress < finishAt) continue;
      finishAt += 0.1;
      auto a = std::make_unique<Assignment>(model_, state);
      finish(*a);
      if (!best || (a->feasible() && a->cost() < best->cost())) best = std::move(a);
    }
    secondsPerStep_ = (watch_.seconds() - begin) / steps;
    return *best;
  }

  // --- under the limit ---

  // Single moves, best first, until none helps.
  void descend(Assignment& a, const Prices& prices, double weight) {
    for (bool changed = true; changed && !timeUp();) {
      changed = false;
      for (int v = 0; v < model_.size(); ++v) changed |= improve(a, v, prices, weight);
    }
  }

  bool improve(Assignment& a, int v, const Prices& prices, double weight) {
    const int n = model_.states(v), now = a.state(v);
    const double* const local = a.local(v);
    const double* const price = prices.of(v);
    int best = now;
    double least = local[now] + weight * price[now];
    for (int k = 0; k < n; ++k) {
      const double energy = local[k] + weight * price[k];
      if (energy < least - 1e-9 * std::abs(least) && a.fits(v, k)) least = energy, best = k;
    }
    if (best == now) return false;
    a.set(v, best);
    return true;
  }

  // Brings an assignment under the limit: prices rise where it is over until it gives way.
  void repair(Assignment& a) {
    if (a.feasible()) return;
    Prices raised = prices_;
    vector<double>& price = raised.perPoint();
    const double top = *std::max_element(price.begin(), price.end());
    for (int round = 0; round < 60 && !a.feasible() && !timeUp(); ++round) {
      for (int t = 0; t < model_.points(); ++t)
        if (a.profile().at(t) < 0) price[t] = std::max(price[t] * 1.2, top * 1e-3);
      raised.refresh();
      for (int i = 0; i < model_.size(); ++i) improve(a, random_.below(model_.size()), raised, 1.0);
    }
  }

  // Annealing under the limit.  The prices fade out, so that memory is kept free where it is dear
  // at first and spent in the end.
  void anneal(Assignment& a, double hot, double begin, double end) {
    const double scale = a.cost() / model_.size();
    constexpr double kCold = 1e-5;
    for (double now; (now = watch_.seconds()) < end;) {
      const double progress = (now - begin) / (end - begin);
      const double temperature = hot * scale * std::pow(kCold / hot, progress);
      const double weight = 1.0 - progress;
      for (int i = 0; i < 3 * kChainEvery; ++i) {
        const int v = random_.below(model_.size()), k = random_.below(model_.states(v));
        const bool chained = use_.chains && i % kChainEvery == 0;
        if (k == a.state(v)) continue;
        const double allowed = -temperature * std::log(random_.unit());
        if (chained) {
          if (!chain(a, v, k, weight, allowed)) continue;
        } else {
          if (energyChange(a, v, k, weight) > allowed || !a.fits(v, k)) continue;
          a.set(v, k);
        }
        if (a.cost() < epochCost_) report(a);
      }
    }
    descend(a, prices_, 0.0);
    report(a);
  }

  double energyChange(const Assignment& a, int v, int k, double weight) const {
    const int now = a.state(v);
    return a.local(v)[k] - a.local(v)[now] + weight * (prices_.of(v)[k] - prices_.of(v)[now]);
  }

  // Moves v, lets the neighbours follow, makes room elsewhere where there is too little, and keeps
  // the whole only if it is worth it.
  bool chain(Assignment& a, int v, int k, double weight, double allowed) {
    undo_.clear();
    double change = 0;
    const auto move = [&](int w, int to) {
      change += energyChange(a, w, to, weight);
      undo_.push_back({w, a.state(w)});
      a.set(w, to);
    };
    const int64_t before = std::min<int64_t>(0, a.profile().least());
    move(v, k);
    for (size_t i = 0; i < undo_.size() && undo_.size() < 60 && i < 20; ++i) {
      for (const Model::Link& link : model_.links(undo_[i].first)) {
        const int w = link.neighbour;
        if (w == v) continue;
        int best = a.state(w);
        double least = -1e-6;
        for (int y = 0; y < model_.states(w); ++y)
          if (const double delta = energyChange(a, w, y, weight); delta < least) least = delta, best = y;
        if (best != a.state(w)) move(w, best);
        if (undo_.size() >= 60) break;
      }
    }
    for (int tries = 0; tries < 6 && change <= allowed && a.profile().least() < before; ++tries)
      if (!makeRoom(a, weight, move)) break;
    if (change <= allowed && a.profile().least() >= before) return true;
    for (; !undo_.empty(); undo_.pop_back()) a.set(undo_.back().first, undo_.back().second);
    return false;
  }

  // Where the profile is fullest, the move that frees memory at the least cost among some.
  bool makeRoom(const Assignment& a, double weight, const auto& move) {
    const int t = a.profile().fullest();
    const vector<int>& live = liveNear_[t / kNear];
    if (live.empty()) return false;
    const double need = static_cast<double>(-a.profile().at(t));
    const int samples = std::min<int>(200, static_cast<int>(live.size()));
    int offset = random_.below(static_cast<int>(live.size()));
    double best = std::numeric_limits<double>::infinity();
    int bestVariable = -1, bestState = 0;
    for (int i = 0; i < samples; ++i, ++offset) {
      const int w = live[offset % live.size()];
      bool moved = false;
      for (const auto& [x, old] : undo_) moved |= x == w;
      if (moved) continue;
      for (const Model::Piece& piece : model_.pieces(w)) {
        if (piece.begin > t || piece.end <= t) continue;
        const int64_t now = piece.usage[a.state(w)];
        for (int y = 0; y < model_.states(w); ++y) {
          if (piece.usage[y] >= now) continue;
          const double freed = std::min(need, static_cast<double>(now - piece.usage[y]));
          const double rate = energyChange(a, w, y, weight) / freed;
          if (rate < best) best = rate, bestVariable = w, bestState = y;
        }
      }
    }
    if (bestVariable < 0) return false;
    move(bestVariable, bestState);
    return true;
  }

  void indexTime() {
    liveNear_.resize(model_.points() / kNear + 1);
    for (int v = 0; v < model_.size(); ++v)
      for (const Model::Piece& piece : model_.pieces(v))
        for (int b = piece.begin / kNear; b <= (piece.end - 1) / kNear; ++b)
          if (liveNear_[b].empty() || liveNear_[b].back() != v) liveNear_[b].push_back(v);
  }

  static constexpr int kNear = 64;
  static constexpr int kChainEvery = 300, kLearningPasses = 3000, kStepsPerRound = 4000, kPatience = 2;
  static constexpr double kDecodeEvery = 0.1;  // of the time for learning
  // How prices react to an excess of the whole room, at the start; and what is left of that at the end.
  static constexpr double kGain = 0.5, kGainDecay = 0.02;

  const Model& model_;
  const Switches& use_;
  Reporter& reporter_;
  const Stopwatch& watch_;
  const double deadline_;
  Random random_;
  Prices prices_;
  ForestSampler sampler_;
  vector<int64_t> used_;
  double unit_ = 1e300;  // of excess: the least room over all points
  vector<vector<int>> liveNear_;  // the variables that matter near a point of time
  vector<std::pair<int, int>> undo_;
  vector<int> best_, epochBest_;
  double bestCost_ = std::numeric_limits<double>::infinity(), epochCost_ = bestCost_, startCost_ = 0;
  double secondsPerStep_ = 1e-3;  // of sampling
  bool firstEpoch_;
  int rounds_ = 0;
};

std::string readFile(const char* path) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "rb"), std::fclose);
  if (!file) throw std::runtime_error("cannot open the file");
  std::string text;
  std::fseek(file.get(), 0, SEEK_END);
  text.resize(static_cast<size_t>(std::max(0L, std::ftell(file.get()))));
  std::rewind(file.get());
  if (std::fread(text.data(), 1, text.size(), file.get()) != text.size()) throw std::runtime_error("cannot read the file");
  return text;
}

unsigned usableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return std::clamp(std::thread::hardware_concurrency(), 1u, static_cast<unsigned>(std::max(1, allowed)));
}

void solve(const char* path, double limit, const Switches& use, const Stopwatch& watch) {
  const Problem problem = JsonReader(readFile(path)).read();
  const Presolver presolver(problem, use.presolve);
  const Model model(presolver);
  Reporter reporter(presolver, model, watch);
  if (model.size() == 0) {  // presolve decided everything
    reporter.offer({}, 0);
    return;
  }
  const double deadline = limit - 0.4 - 3e-6 * problem.size();  // the rest is for the last line
  const auto search = [&](unsigned seed) { Search(model, use, reporter, watch, deadline, seed).run(); };
  vector<std::thread> others;
  for (unsigned seed = 1; seed < usableThreads(); ++seed) others.emplace_back(search, seed);
  search(0);
  for (std::thread& thread : others) thread.join();
  reporter.finish();
}

Switches parseSwitches(const std::string& argument) {
  Switches use;
  const std::map<std::string, bool*> byName = {
      {"presolve", &use.presolve}, {"pricing", &use.pricing},     {"messages", &use.messages},
      {"sampling", &use.sampling}, {"annealing", &use.annealing}, {"chains", &use.chains},
      {"restarts", &use.restarts}};
  const std::string prefix = "--without=";
  if (argument.rfind(prefix, 0) != 0) throw std::runtime_error("unknown argument " + argument);
  for (size_t at = prefix.size(); at <= argument.size();) {
    const size_t comma = std::min(argument.find(',', at), argument.size());
    const auto found = byName.find(argument.substr(at, comma - at));
    if (found == byName.end()) throw std::runtime_error("unknown part in " + argument);
    *found->second = false;
    at = comma + 1;
  }
  return use;
}

}  // namespace

int main(int argc, char** argv) {
  const Stopwatch watch;
  try {
    if (argc != 3 && argc != 4) throw std::runtime_error("usage: solver FILE.json SECONDS [--without=PART,...]");
    char* rest = nullptr;
    const double limit = std::strtod(argv[2], &rest);
    if (rest == argv[2] || *rest != '\0' || !(limit > 0)) throw std::runtime_error("the time limit must be a positive number");
    solve(argv[1], limit, argc == 4 ? parseSwitches(argv[3]) : Switches(), watch);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "solver: %s\n", error.what());
    return 1;
  }
  std::_Exit(0);  // everything is flushed; do not spend time on freeing memory
}
