// NoMemory: a std::bad_alloc whose message names the memory that ran out, and says what to do.
//
// Ownership: copies share the message, because copying an exception must not throw. Errors: making
// the message may throw std::bad_alloc.
#pragma once

#include <sluice/runtime/memory_resource.h>

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace sluice {

class NoMemory : public std::bad_alloc {
 public:
  explicit NoMemory(std::shared_ptr<const std::string> what) noexcept : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_->c_str(); }

 private:
  std::shared_ptr<const std::string> what_;
};

// Returns the error for a device that does not have `bytes` bytes left.
inline NoMemory none_left(const std::string& device, std::size_t bytes, MemoryKind kind) {
  return NoMemory(std::make_shared<const std::string>(
      device + " has no " + std::to_string(bytes) + " bytes of " +
      (kind == MemoryKind::pinned ? "pinned memory" : "memory") +
      " left; make window or batch_size smaller"));
}

}  // namespace sluice
