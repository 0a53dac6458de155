// NoMemory: a std::bad_alloc that says of which memory there is too little, and what to do.
//
// Ownership: copies share the words, since a copy of an exception must not throw. Errors: making
// the words may throw std::bad_alloc.
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

// Of a device that has not so many bytes left.
inline NoMemory none_left(const std::string& device, std::size_t bytes, MemoryKind kind) {
  return NoMemory(std::make_shared<const std::string>(
      device + " has no " + std::to_string(bytes) + " bytes of " +
      (kind == MemoryKind::pinned ? "pinned memory" : "memory") +
      " left; make window or batch_size smaller"));
}

}  // namespace sluice
