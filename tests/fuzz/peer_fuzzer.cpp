// Feeds invalid messages of other processes to what reads them: the heads of HTTP answers, and the
// samples that worker processes send. Only a Sluice error, or a ProtocolError, may result. For
// libFuzzer, under the address and undefined behavior sanitizers; scripts/fuzz builds and runs it.
// The first byte of an input selects the kind.

#include <sluice/io/http/client.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/wire.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace sluice::detail {
namespace {

[[noreturn]] void fail(const char* what) {
  std::cerr << what << std::endl;
  std::abort();
}

void read_answer(std::string_view text) {
  AnswerHead head;
  while (!text.empty()) {
    const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    const bool is_last = !head.take(text.substr(0, line));
    if (is_last != head.is_whole) fail("a head ends where no empty line is");
    text.remove_prefix(line);
    if (is_last) break;
  }
  if (const auto part = head.part()) {
    if (part->first > part->last || (part->size && part->last >= *part->size))
      fail("a part of a file that does not lie in it");
  }
  (void)head.wrong_length();
  (void)head.is_transformed();
  (void)head.keeps_connection();
  (void)head.version();
  (void)head.in_words(text);
}

// Reads every byte, so that the sanitizer sees those that are not there.
void touch(const std::uint8_t* at, std::size_t bytes) {
  volatile unsigned sum = std::accumulate(at, at + bytes, 0U);
  (void)sum;
}

void touch(const Tensor& tensor) {
  if (tensor.empty()) return;
  const Tensor copy = tensor.clone();
  touch(reinterpret_cast<const std::uint8_t*>(copy.bytes()), copy.nbytes());
}

// `wanted` selects the types that the receiver reads: two bits for each value.
void read_reply(std::uint8_t count, std::uint8_t wanted, std::span<const std::uint8_t> message) {
  static const Segments segments = [] {
    constexpr std::size_t kBytes = 4096;
    Segments all;
    all[1] = std::make_shared<Segment>(Segment::make(kBytes).first);
    all[2] = nullptr;  // one that could not be mapped
    return all;
  }();
  ReplyReader reply(MessageReader(std::as_bytes(message)), count % 8, segments, nullptr);
  for (int i = 0; i < count % 8; ++i, wanted = static_cast<std::uint8_t>(wanted >> 1)) {
    switch (wanted % 5) {
      case 0:
        (void)reply.number();
        break;
      case 1:
        (void)reply.text();
        break;
      case 2: {
        const Bytes bytes = reply.bytes();
        touch(bytes.data(), bytes.size());
        break;
      }
      case 3:
        touch(reply.tensor());
        break;
      default:
        touch(reply.tensor(ValueKind::image));
    }
  }
  reply.finish();
}

void examine(std::span<const std::uint8_t> input) {
  constexpr std::size_t kFields = 3;
  if (input.size() < kFields) return;
  const std::span<const std::uint8_t> rest = input.subspan(kFields);
  if (input[0] % 2 == 0) {
    read_answer({reinterpret_cast<const char*>(rest.data()), rest.size()});
  } else {
    read_reply(input[1], input[2], rest);
  }
}

}  // namespace
}  // namespace sluice::detail

// The entry point that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    sluice::detail::examine({data, size});
  } catch (const sluice::Error&) {
  } catch (const sluice::detail::ProtocolError&) {
  }
  return 0;
}
