// Channel: one end of a socket that carries messages, and descriptors along with them. Internal.
//
// Ownership: owns its end. Threads: several may send, one receives. Errors: as results; the other
// end may be gone at any time.
#pragma once

#include <sluice/io/workers/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

enum class Patience : std::uint8_t { wait, none };

class Channel {
 public:
  enum class Result : std::uint8_t {
    done,
    later,  // only without patience: there is no room, or no message
    closed  // the other end is gone, or the system does not let it be used
  };
  struct Received {
    Result result = Result::closed;
    std::span<const std::byte> message;  // until the next one is received
    bool too_long = false;
    Descriptor descriptor;         // that came along
    bool lost_descriptor = false;  // one came along, for which this process has no room
  };

  Channel() = default;
  explicit Channel(Descriptor end) : end_(std::move(end)) {}
  // Two ends; throws std::system_error.
  static std::pair<Descriptor, Descriptor> pair();

  Result send(std::span<const std::byte> message, Patience patience, int descriptor = -1) const;
  Received receive(Patience patience);

  int number() const { return end_.number(); }
  void close() noexcept { end_.close(); }
  // The other end sees that this one goes, also where a child of fork() has it, too.
  void end() noexcept;

 private:
  Descriptor end_;
  std::vector<std::byte> buffer_;
};

}  // namespace sluice::detail
