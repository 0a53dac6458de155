#include <sluice/io/workers/message.h>
#include <sluice/io/workers/shared_memory.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <new>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace sluice::detail {
namespace {

constexpr std::size_t kPage = 4096;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

Segment::Segment(int descriptor, std::size_t bytes, Pages pages) : size_(bytes) {
  // MAP_POPULATE would copy the pages of a private mapping.
  const int how = pages == Pages::shared ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE;
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, descriptor, 0);
  if (at == MAP_FAILED) fail("mmap");
  at_ = static_cast<std::byte*>(at);
}

Segment::~Segment() {
  if (at_ != nullptr) ::munmap(at_, size_);
}

std::pair<Segment, Descriptor> Segment::make(std::size_t bytes) {
  Descriptor descriptor(::memfd_create("sluice-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) fail("memfd_create");
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (::ftruncate(descriptor.number(), static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  if (::fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("fcntl");
  return {Segment(descriptor.number(), bytes, Pages::shared), std::move(descriptor)};
}

Segment Segment::of(const Descriptor& descriptor, std::size_t most, Pages pages) {
  struct stat status {};
  const int seals = ::fcntl(descriptor.number(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    throw ProtocolError("a descriptor that is not of sealed shared memory");
  if (::fstat(descriptor.number(), &status) != 0) fail("fstat");
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > most) {
    throw ProtocolError("shared memory of " + std::to_string(status.st_size) + " bytes");
  }
  return Segment(descriptor.number(), static_cast<std::size_t>(status.st_size), pages);
}

namespace {

// This many returned values justify a message.
constexpr std::size_t kMany = 32;

}  // namespace

EventFd::EventFd() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void EventFd::call() noexcept {
  if (called_.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!::write(event_.number(), &one, sizeof(one));
}

void EventFd::heard() noexcept {
  std::uint64_t count = 0;
  (void)!::read(event_.number(), &count, sizeof(count));
  called_ = false;
}

void ReleasedValues::give_back(std::uint64_t id, std::size_t bytes) noexcept {
  if (!fork_guard_.here()) return;
  event_fd_->held_bytes -= bytes;
  bool call = event_fd_->short_of_memory;
  try {
    const std::lock_guard lock(mutex_);
    ids_.push_back(id);
    call = call || ids_.size() % kMany == 0;
  } catch (const std::bad_alloc&) {
    return;
  }
  if (call) event_fd_->call();
}

std::vector<std::uint64_t> ReleasedValues::take(std::size_t least, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (ids_.size() < least) return {};
  if (ids_.size() <= most) return std::exchange(ids_, {});
  const auto first = ids_.end() - static_cast<std::ptrdiff_t>(most);
  std::vector<std::uint64_t> taken(first, ids_.end());
  ids_.erase(first, ids_.end());
  return taken;
}

void ReleasedValues::put_back(const std::vector<std::uint64_t>& ids) {
  const std::lock_guard lock(mutex_);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
}

bool send_patiently(const Channel& channel, std::span<const std::byte> message, int descriptor) {
  while (true) {
    const auto result = channel.send(message, Blocking::yes, descriptor);
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
