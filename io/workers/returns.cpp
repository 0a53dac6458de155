#include <sluice/io/workers/returns.h>

#include <cerrno>
#include <new>
#include <system_error>

#include <sys/eventfd.h>

namespace sluice::detail {
namespace {

// This many returned values justify a message.
constexpr std::size_t kMany = 32;

}  // namespace

Wake::Wake() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Wake::call() noexcept {
  if (called_.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!::write(event_.number(), &one, sizeof(one));
}

void Wake::heard() noexcept {
  std::uint64_t count = 0;
  (void)!::read(event_.number(), &count, sizeof(count));
  called_ = false;
}

void Returns::give_back(std::uint64_t id, std::size_t bytes) noexcept {
  if (!home_.here()) return;
  wake_->held_bytes -= bytes;
  bool call = wake_->short_of_memory;
  try {
    const std::lock_guard lock(mutex_);
    ids_.push_back(id);
    call = call || ids_.size() % kMany == 0;
  } catch (const std::bad_alloc&) {
    return;
  }
  if (call) wake_->call();
}

std::vector<std::uint64_t> Returns::take(std::size_t least, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (ids_.size() < least) return {};
  if (ids_.size() <= most) return std::exchange(ids_, {});
  const auto first = ids_.end() - static_cast<std::ptrdiff_t>(most);
  std::vector<std::uint64_t> taken(first, ids_.end());
  ids_.erase(first, ids_.end());
  return taken;
}

void Returns::put_back(const std::vector<std::uint64_t>& ids) {
  const std::lock_guard lock(mutex_);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
}

}  // namespace sluice::detail
