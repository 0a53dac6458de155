#include <sluice/cuda/host_memory.h>
#include <sluice/runtime/device.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace sluice::device {
namespace {

constexpr std::size_t kPage = 4096;
constexpr int kFresh = 0xCD, kFreed = 0xDD;

std::size_t pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::byte* map(std::size_t bytes, int protection, int flags, int file) {
  void* const at = ::mmap(nullptr, bytes, protection, flags, file, 0);
  if (at == MAP_FAILED) fail("the stand-in for device memory cannot be mapped");
  return static_cast<std::byte*>(at);
}

}  // namespace

void Clock::merge(const Clock& other) {
  numbers_.resize(std::max(numbers_.size(), other.numbers_.size()));
  for (std::size_t i = 0; i < other.numbers_.size(); ++i)
    numbers_[i] = std::max(numbers_[i], other.numbers_[i]);
}

void Clock::set(int stream, std::int64_t number) {
  const auto i = static_cast<std::size_t>(stream);
  numbers_.resize(std::max(numbers_.size(), i + 1));
  numbers_[i] = number;
}

bool Clock::includes(const Mark& mark) const {
  const auto i = static_cast<std::size_t>(mark.stream);
  return mark.stream < 0 || (i < numbers_.size() && numbers_[i] >= mark.number);
}

HostMemory::HostMemory(std::size_t bytes) : bytes_(pages(bytes)) {
  const int file = ::memfd_create("sluice-device", MFD_CLOEXEC);
  if (file < 0) fail("the stand-in for device memory cannot be made");
  if (::ftruncate(file, static_cast<off_t>(bytes_)) != 0) {
    ::close(file);
    fail("the stand-in for device memory cannot be made");
  }
  memory_ = map(bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file);
  ::close(file);
  addresses_ = map(bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  free_[0] = bytes_;
}

HostMemory::~HostMemory() {
  ::munmap(memory_, bytes_);
  ::munmap(addresses_, bytes_);
}

bool HostMemory::holds(const void* at) const {
  const auto* const byte = static_cast<const std::byte*>(at);
  return byte >= addresses_ && byte < addresses_ + bytes_;
}

std::size_t HostMemory::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [offset, block] : blocks_) all += pages(block.bytes);
  return all;
}

void* HostMemory::allocate(std::size_t bytes) {
  const std::size_t wanted = pages(bytes);
  const std::lock_guard lock(mutex_);
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [offset, length] = *range;
    if (length < wanted) continue;
    blocks_[offset].bytes = bytes;
    auto rest = free_.extract(range);  // no allocation from here on
    if (length > wanted) {
      rest.key() = offset + wanted;
      rest.mapped() = length - wanted;
      free_.insert(std::move(rest));
    }
    std::memset(memory_ + offset, kFresh, wanted);
    return addresses_ + offset;
  }
  throw std::bad_alloc();
}

std::string HostMemory::free(void* at, const Clock& known) noexcept {
  std::string wrong;
  const std::lock_guard lock(mutex_);
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(at) - addresses_);
  const auto found = holds(at) ? blocks_.find(offset) : blocks_.end();
  try {
    wrong = wrong_with(at, found, known);
  } catch (...) {
    wrong = "freed wrongly";  // a string this short needs no allocation
  }
  if (found == blocks_.end()) return wrong;
  const std::size_t length = pages(found->second.bytes);
  std::memset(memory_ + offset, kFreed, length);
  blocks_.erase(found);
  try {
    add_free(offset, length);
  } catch (...) {  // the range is lost, and not reused
  }
  return wrong;
}

std::string HostMemory::wrong_with(void* at, Blocks::const_iterator found,
                                   const Clock& known) const {
  if (!holds(at)) return "memory is freed that is not the device's";
  if (found == blocks_.end()) return "memory is freed twice, or at an address inside it";
  for (const Access& use : found->second.accesses) {
    if (known.includes(use.who)) continue;
    return "memory is freed that stream " + std::to_string(use.who.stream) +
           " may still use: wait for an event behind that";
  }
  return {};
}

void HostMemory::add_free(std::size_t offset, std::size_t length) {
  const auto range = free_.emplace(offset, length).first;
  if (const auto next = std::next(range);
      next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  const auto before = std::prev(range);
  if (before->first + before->second != range->first) return;
  before->second += range->second;
  free_.erase(range);
}

std::byte* HostMemory::enter(const void* at, std::size_t bytes, bool writes, const Mark& who,
                             const Clock& before) {
  const auto refuse = [&](const std::string& why) {
    throw DeviceError(std::string(writes ? "writes " : "reads ") + std::to_string(bytes) +
                      " bytes of device memory " + why);
  };
  if (!holds(at)) refuse("at an address that is not the device's");
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(at) - addresses_);
  const std::lock_guard lock(mutex_);
  auto found = blocks_.upper_bound(offset);
  if (found == blocks_.begin()) refuse("that is not allocated");
  --found;
  Block& block = found->second;
  const std::size_t begin = offset - found->first;
  if (begin > block.bytes) refuse("that is not allocated");
  if (begin + bytes > block.bytes) refuse("beyond the end of what was allocated");
  const Access now{begin, begin + bytes, who, writes};
  for (const Access& other : block.accesses) {
    if (other.end <= now.begin || now.end <= other.begin) continue;
    if (!writes && !other.writes) continue;
    if (other.who.stream == who.stream || before.includes(other.who)) continue;
    refuse("that stream " + std::to_string(other.who.stream) + " may still " +
           (other.writes ? "write" : "read") + ": wait for an event behind that");
  }
  if (bytes > 0) {
    forget(block.accesses, now);
    block.accesses.push_back(now);
  }
  return memory_ + offset;
}

// Removes the accesses that `now` replaces, because later work that is ordered after `now` is
// ordered after them, too. A write replaces all accesses to the same bytes; a read replaces earlier
// reads of its own stream.
void HostMemory::forget(std::vector<Access>& accesses, const Access& now) {
  std::vector<Access> left;
  std::erase_if(accesses, [&](const Access& old) {
    if (old.end <= now.begin || now.end <= old.begin) return false;
    if (!now.writes && (old.writes || old.who.stream != now.who.stream)) return false;
    if (old.begin < now.begin) left.push_back({old.begin, now.begin, old.who, old.writes});
    if (now.end < old.end) left.push_back({now.end, old.end, old.who, old.writes});
    return true;
  });
  accesses.insert(accesses.end(), left.begin(), left.end());
}

void* PinnedMemory::allocate(std::size_t bytes, std::size_t alignment) {
  void* const at = ::operator new(bytes, std::align_val_t(alignment));
  if (!fork_guard_.here()) return at;
  try {
    const std::lock_guard lock(mutex_);
    blocks_.emplace(static_cast<const std::byte*>(at), bytes);
  } catch (...) {
    ::operator delete(at, std::align_val_t(alignment));
    throw;
  }
  return at;
}

void PinnedMemory::deallocate(void* at, std::size_t, std::size_t alignment) noexcept {
  if (fork_guard_.here()) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(static_cast<const std::byte*>(at));
  }
  ::operator delete(at, std::align_val_t(alignment));
}

bool PinnedMemory::holds(const void* at, std::size_t bytes) const {
  if (!fork_guard_.here()) return false;
  const auto* const first = static_cast<const std::byte*>(at);
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(first);
  if (bytes == 0 || after == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(first - begin);
  return offset < size && bytes <= size - offset;
}

}  // namespace sluice::device
