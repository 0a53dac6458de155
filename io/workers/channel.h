// Channel: one end of a socket that carries messages and file descriptors. Internal.
//
// Ownership: owns its end. Threads: several may send, one receives. Errors: returned as results;
// the other end may close at any time.
#pragma once

#include <sluice/io/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

enum class Blocking : std::uint8_t { yes, no };

class Channel {
 public:
  enum class Result : std::uint8_t {
    done,
    later,  // only with Blocking::no: no room, or no message
    closed  // the other end closed, or the system refuses to use the socket
  };
  struct Received {
    Result result = Result::closed;
    std::span<const std::byte> message;  // valid until the next receive
    bool too_long = false;
    Descriptor descriptor;         // the descriptor that came with the message
    bool lost_descriptor = false;  // a descriptor was sent, but this process has no room for it
  };

  Channel() = default;
  explicit Channel(Descriptor end) : end_(std::move(end)) {}
  // Makes the two ends of a socket; throws std::system_error.
  static std::pair<Descriptor, Descriptor> pair();

  Result send(std::span<const std::byte> message, Blocking blocking, int descriptor = -1) const;
  Received receive(Blocking blocking);

  int number() const { return end_.number(); }
  void close() noexcept { end_.close(); }
  // Shuts the socket down: the other end sees this even if a child of fork() still has a copy.
  void end() noexcept;

 private:
  Descriptor end_;
  std::vector<std::byte> buffer_;
};

}  // namespace sluice::detail
