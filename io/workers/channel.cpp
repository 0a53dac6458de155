#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/socket.h>
#include <sys/uio.h>

namespace sluice::detail {
namespace {

constexpr std::size_t kMostDescriptors = 4;  // one is expected; others are closed

// Takes the first descriptor and closes the others.
Descriptor descriptor_of(msghdr& message) {
  Descriptor first;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      Descriptor descriptor(number);
      if (!first) first = std::move(descriptor);
    }
  }
  return first;
}

}  // namespace

std::pair<Descriptor, Descriptor> Channel::pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void Channel::end() noexcept {
  if (end_) (void)::shutdown(end_.number(), SHUT_RDWR);
  close();
}

Channel::Result Channel::send(std::span<const std::byte> message, Blocking blocking,
                              int descriptor) const {
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  if (descriptor >= 0) {
    header.msg_control = space.data();
    header.msg_controllen = space.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof(int));
  }
  const int flags = MSG_NOSIGNAL | (blocking == Blocking::no ? MSG_DONTWAIT : 0);
  while (true) {
    if (::sendmsg(end_.number(), &header, flags) >= 0) return Result::done;
    if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) return Result::later;
    if (errno != EINTR) return Result::closed;
  }
}

Channel::Received Channel::receive(Blocking blocking) {
  buffer_.resize(kMostMessage);
  iovec part{buffer_.data(), buffer_.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> space{};
  const int flags = MSG_CMSG_CLOEXEC | (blocking == Blocking::no ? MSG_DONTWAIT : 0);
  while (true) {
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = space.data();
    header.msg_controllen = space.size();
    const ssize_t size = ::recvmsg(end_.number(), &header, flags);
    Received received;
    if (size > 0) {
      received.result = Result::done;
      received.message = {buffer_.data(), static_cast<std::size_t>(size)};
      received.too_long = (header.msg_flags & MSG_TRUNC) != 0;
      received.lost_descriptor = (header.msg_flags & MSG_CTRUNC) != 0;
      received.descriptor = descriptor_of(header);
      return received;
    }
    // On ECONNRESET, the other end closed without reading all; its own messages can still be read.
    if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (size < 0 && errno == EAGAIN) received.result = Result::later;
    return received;
  }
}

}  // namespace sluice::detail
