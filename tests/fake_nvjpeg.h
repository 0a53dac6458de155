// A library with the part of nvJPEG's interface that `sluice bench` calls, for tests without a GPU:
// libjpeg decodes at once, and what it should have waited for is told by the test's own streams.
//
// Threads: one.
#pragma once

#include <cstdint>

namespace sluice::testing {

// What is given as a CUDA stream.
struct FakeStream {
  int under_way = 0;  // batches of it that are not over; the test says when they are
};

// What the library does wrong, and what it has seen; the test sets and reads it.
struct FakeNvjpeg {
  unsigned refused_backends = 0;  // by number, as bits
  int fails_after = -1;           // batches that still succeed; -1: all
  bool refuses_states = false;    // no memory for them, say
  unsigned refused_width = 0;     // of a file that no batch may hold
  int loses_from = 1 << 20;       // batches of so many or more lose their last picture

  std::int64_t batches = 0, files = 0;
  int under_way = 0, most_under_way = 0;  // batches, of all streams
  int reused = 0;     // states that were used again before their last batch was over
  int objects = 0;    // made and not destroyed
  int not_ready = 0;  // batches of another size than the state was made ready for
};

// What fake_nvjpeg() of the library gives.
using FakeNvjpegOf = FakeNvjpeg* (*)();

}  // namespace sluice::testing
