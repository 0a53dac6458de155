#include <sluice/io/workers/message.h>
#include <sluice/io/workers/shared_memory.h>

#include <chrono>
#include <exception>
#include <new>
#include <span>
#include <thread>
#include <utility>

namespace sluice::detail {

bool send_patiently(const Channel& channel, std::span<const std::byte> message, int descriptor) {
  while (true) {
    const auto result = channel.send(message, Patience::wait, descriptor);
    if (result != Channel::Result::later) return result == Channel::Result::done;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the socket buffer is full
  }
}

void* SharedMemory::make(std::size_t bytes) {
  auto [segment, descriptor] = Segment::make(bytes);
  std::byte* const at = segment.data();
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = next_++;
    segments_.emplace(at, Shared{std::move(segment), number});
  }
  const Header told{MessageKind::segment, 0, number};
  (void)send_patiently(*channel_, std::as_bytes(std::span(&told, 1)), descriptor.number());
  return at;
}

void* SharedMemory::allocate(std::size_t bytes, std::size_t alignment) {
  std::string why;
  try {
    if (bytes > most_) {
      why = std::to_string(bytes) + " bytes are more than max_bytes of WorkerOptions";
    } else if (const std::lock_guard lock(mutex_); segments_.size() >= kMostSegments) {
      why = "there are " + std::to_string(kMostSegments) + " pieces of it already";
    }
    if (why.empty()) return make(bytes);
  } catch (const std::exception& error) {
    why = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    refusal_ = why;
  }
  return host_memory()->allocate(bytes, alignment);
}

void SharedMemory::deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = segments_.find(static_cast<const std::byte*>(at));
    if (found != segments_.end()) {
      number = found->second.number;
      segments_.erase(found);
    }
  }
  if (number == 0) return host_memory()->deallocate(at, bytes, alignment);
  const Header told{MessageKind::gone, 0, number};
  (void)send_patiently(*channel_, std::as_bytes(std::span(&told, 1)));
}

std::optional<SharedMemory::Place> SharedMemory::place_of(const std::byte* at,
                                                          std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto after = segments_.upper_bound(at);
  if (after == segments_.begin()) return std::nullopt;
  const auto& [begin, shared] = *--after;
  const auto offset = static_cast<std::size_t>(at - begin);
  if (!shared.segment.holds(offset, bytes)) return std::nullopt;
  return Place{shared.number, offset};
}

std::string SharedMemory::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

}  // namespace sluice::detail
