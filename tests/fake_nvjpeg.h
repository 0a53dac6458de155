// A library with the part of nvJPEG's interface that `sluice bench` calls, for tests without a GPU.
// libjpeg decodes at once. The test's own streams tell what it should have waited for.
//
// Threads: one.
#pragma once

#include <cstdint>

namespace sluice::testing {

// The fake library takes a pointer to this as its CUDA stream.
struct FakeStream {
  int under_way = 0;  // its unfinished batches; the test ends them
};

// Controls the fake library's faults and records what it has seen. The test sets and reads it.
struct FakeNvjpeg {
  unsigned refused_backends = 0;  // by number, as bits
  int fails_after = -1;           // batches that still succeed; -1: all
  bool refuses_states = false;    // no memory for them, say
  unsigned refused_width = 0;     // of a file that no batch may hold
  int loses_from = 1 << 20;       // batches of at least so many lose their last image

  std::int64_t batches = 0, files = 0;
  int under_way = 0, most_under_way = 0;  // batches, of all streams
  int reused = 0;     // states that were used again before their last batch was over
  int objects = 0;    // made and not destroyed
  int not_ready = 0;  // batches of another size than the state was made ready for
};

// The type of the library's function fake_nvjpeg().
using FakeNvjpegOf = FakeNvjpeg* (*)();

}  // namespace sluice::testing
