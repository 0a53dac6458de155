#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/trail.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <ctime>

namespace sluice::detail {
namespace {

// Of the longest way through a block.
struct Extent {
  std::size_t entries = 0;
  std::size_t loops = 0;  // that lie in each other
};

Extent extent_of(const Block& block) {
  Extent all;
  for (const Node& node : block.nodes) {
    visit(
        node, [](const Stage&) {},
        [&](const Branch& branch) {
          std::size_t longest = 0;
          for (const Block& arm : branch.arms) {
            const Extent inner = extent_of(arm);
            longest = std::max(longest, inner.entries);
            all.loops = std::max(all.loops, inner.loops);
          }
          all.entries += 1 + longest;
        },
        [&](const Loop& loop) {
          const Extent condition = extent_of(loop.condition), body = extent_of(loop.body);
          all.entries += 1 + condition.entries + body.entries;
          all.loops = std::max(all.loops, 1 + std::max(condition.loops, body.loops));
        });
  }
  return all;
}

}  // namespace

std::int64_t milliseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

Trail::Trail(const Plan& plan) {
  const Extent extent = extent_of(plan.top);
  entries_.reserve(extent.entries);
  deepest_ = extent.loops;
  if (deepest_ > 0) watched_ = std::make_unique<Watched[]>(deepest_);
}

void Trail::clear(std::uint64_t seed) {
  seed_ = seed;
  entries_.clear();
  end();
}

void Trail::take(const Branch& branch, std::uint32_t arm) {
  entries_.push_back({&branch, nullptr, arm, false});
}

void Trail::enter(const Loop& loop) {
  entries_.push_back({nullptr, &loop, 0, false});
  Watched& watched = watched_[depth_++];
  set_iteration(0);
  watched.since.store(milliseconds_now(), std::memory_order_relaxed);
  watched.loop.store(&loop, std::memory_order_relaxed);
}

void Trail::repeat(const Loop& loop) { set_iteration(++cut_back_to(loop).number); }

void Trail::set_iteration(std::int64_t iteration) {
  Watched& watched = watched_[depth_ - 1];
  watched.has_seed = false;
  watched.iteration.store(iteration, std::memory_order_relaxed);
}

std::uint64_t Trail::seed_in_loops() const {
  std::size_t known = depth_;
  while (known > 0 && !watched_[known - 1].has_seed) --known;
  std::uint64_t seed = known == 0 ? seed_ : watched_[known - 1].seed;
  for (; known < depth_; ++known) {
    Watched& watched = watched_[known];
    const std::int64_t iteration = watched.iteration.load(std::memory_order_relaxed);
    seed = watched.seed = seed_of_iteration(seed, static_cast<std::uint64_t>(iteration));
    watched.has_seed = true;
  }
  return seed;
}

void Trail::leave(const Loop& loop) {
  cut_back_to(loop).over = true;
  watched_[--depth_].loop.store(nullptr, std::memory_order_relaxed);
}

void Trail::end() {
  while (depth_ > 0) watched_[--depth_].loop.store(nullptr, std::memory_order_relaxed);
}

Trail::Entry& Trail::cut_back_to(const Loop& loop) {
  while (entries_.back().loop != &loop) entries_.pop_back();
  return entries_.back();
}

std::string Trail::text_of(const Entry& entry) {
  if (entry.branch != nullptr) {
    return entry.branch->name + ":" +
           entry.branch->arm_names[static_cast<std::size_t>(entry.number)];
  }
  const std::string number = std::to_string(entry.number);
  if (!entry.over) return entry.loop->name + " (iteration " + number + ")";
  return entry.loop->name + " (" + number + (entry.number == 1 ? " iteration)" : " iterations)");
}

std::string Trail::text() const {
  constexpr std::size_t kShown = 16;  // at either end
  std::string text;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!text.empty()) text += '/';
    if (i == kShown && entries_.size() > 2 * kShown + 1) {
      const std::size_t next = entries_.size() - kShown;
      text += "(" + std::to_string(next - i) + " more)/";
      i = next;
    }
    text += text_of(entries_[i]);
  }
  return text;
}

std::vector<Trail::Place> Trail::loops() const {
  std::vector<Place> places;
  for (std::size_t i = 0; i < deepest_; ++i) {
    const Watched& watched = watched_[i];
    const Loop* loop = watched.loop.load(std::memory_order_relaxed);
    if (loop == nullptr) break;
    places.push_back({loop, watched.iteration.load(std::memory_order_relaxed),
                      watched.since.load(std::memory_order_relaxed)});
  }
  return places;
}

}  // namespace sluice::detail
