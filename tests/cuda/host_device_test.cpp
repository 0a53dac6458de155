#include <sluice/cuda/device_view.h>
#include <sluice/cuda/host_device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace host_device_test {

using Fault = HostDevice::Fault;
using Call = HostDevice::Call;

// out[i] = in[i] + add, for device memory.
struct Add {
  const int* in;
  int* out;
  std::size_t count;
  int add;
};
void add_on_host(const void* arguments) {
  const Add& job = *static_cast<const Add*>(arguments);
  const int* in = device_view(job.in, job.count);
  int* out = device_view(job.out, job.count);
  for (std::size_t i = 0; i < job.count; ++i) out[i] = in[i] + job.add;
}
const Kernel kAdd{"add", add_on_host};

// Device memory for so many ints, released at the end.
class Ints {
 public:
  Ints(HostDevice& device, std::size_t count)
      : memory_(device.memory()),
        bytes_(count * sizeof(int)),
        at_(static_cast<int*>(memory_->allocate(bytes_, 256))) {}
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  ~Ints() { free(); }
  void free() {
    if (at_ != nullptr) memory_->deallocate(std::exchange(at_, nullptr), bytes_, 256);
  }
  int* get() const { return at_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<MemoryResource> memory_;
  std::size_t bytes_;
  int* at_;
};

void launch(DeviceStream& stream, const Ints& in, const Ints& out, int add) {
  const Add job{in.get(), out.get(), out.bytes() / sizeof(int), add};
  stream.launch(kAdd, std::as_bytes(std::span(&job, 1)));
}

void wait(DeviceStream& stream, DeviceEvent& event) {
  stream.record(event);
  while (!event.over()) {
  }
}
// Returns the error that an event recorded now reports; empty if there is none.
std::string error_of(DeviceStream& stream, DeviceEvent& event) {
  try {
    wait(stream, event);
    return "";
  } catch (const DeviceError& error) {
    return error.what();
  }
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HostDevice, DoesWhatIsPutIntoAStreamInOrder) {
  HostDevice device;
  const auto stream = device.make_stream();
  const auto event = device.make_event();
  EXPECT_TRUE(event->over());
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0);
  const Ints a(device, 1000), b(device, 1000);
  stream->copy(a.get(), in.data(), a.bytes());
  launch(*stream, a, b, 1);
  launch(*stream, b, a, 10);
  stream->copy(out.data(), a.get(), a.bytes());
  wait(*stream, *event);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], i + 11);
  stream->fill(b.get(), 7, b.bytes());
  stream->copy(out.data(), b.get(), b.bytes());
  wait(*stream, *event);
  EXPECT_EQ(out[999], 0x07070707);
  EXPECT_EQ(device.pending(), 0u);
  EXPECT_TRUE(device.violations().empty());
  EXPECT_FALSE(device.memory()->place().on_host());
  EXPECT_EQ(device.pinned()->place().kind, MemoryKind::pinned);
}

TEST(HostDeviceDeathTest, TheHostCannotTouchDeviceMemory) {
  HostDevice device;
  const Ints memory(device, 4);
  EXPECT_DEATH({ *memory.get() = 1; }, "");
}

TEST(HostDevice, ABodyMayRunOnPlainMemory) {
  const std::vector<int> in{1, 2};
  std::vector<int> out(2);
  const Add job{in.data(), out.data(), 2, 5};
  add_on_host(&job);
  EXPECT_EQ(out, (std::vector<int>{6, 7}));
}

// Parts of a block are memory for themselves.
TEST(HostDevice, StreamsMayUseDifferentPartsOfABlock) {
  HostDevice device;
  const auto one = device.make_stream(), other = device.make_stream();
  const auto event = device.make_event(), later = device.make_event();
  const Ints block(device, 8);
  const auto part = [&](int first) { return block.get() + first; };
  one->fill(part(0), 1, 4 * sizeof(int));
  other->fill(part(4), 2, 4 * sizeof(int));
  EXPECT_EQ(error_of(*one, *event) + error_of(*other, *later), "");
  // Each stream uses the middle of the other's memory, with an event between them and without.
  one->fill(part(0), 3, 5 * sizeof(int));
  one->record(*event);
  other->wait(*event);
  other->fill(part(3), 4, 2 * sizeof(int));
  EXPECT_EQ(error_of(*other, *later), "");
  one->fill(part(0), 5, 3 * sizeof(int));
  other->fill(part(5), 6, 3 * sizeof(int));
  one->fill(part(2), 7, 4 * sizeof(int));
  // The stream that comes second is wrong, whichever that is.
  EXPECT_TRUE(says(error_of(*one, *event) + error_of(*other, *later), "may still write"));
}

TEST(HostDevice, LendsItsStreams) {
  HostDevice device, another;
  const auto stream = device.make_stream();
  const auto event = device.make_event();
  const Ints memory(device, 8);
  std::vector<int> out(8);
  {
    const auto borrowed = device.borrow(stream->native());
    borrowed->fill(memory.get(), 1, memory.bytes());
  }
  stream->copy(out.data(), memory.get(), memory.bytes());
  wait(*stream, *event);
  EXPECT_EQ(out[7], 0x01010101);
  EXPECT_EQ(device.streams(), 1);
  EXPECT_THROW((void)device.borrow(nullptr), DeviceError);
  EXPECT_THROW((void)another.borrow(stream->native()), DeviceError);
}

// Two streams use the same memory, and run in either order.
TEST(HostDevice, SeesWorkThatDoesNotWaitForOtherWork) {
  const struct {
    bool first_writes, second_writes, waits;
    const char* says;  // empty: fine
  } cases[] = {
      {true, false, false, "still write"}, {true, false, true, ""},
      {true, true, false, "still write"},  {true, true, true, ""},
      {false, true, false, "still read"},  {false, true, true, ""},
      {false, false, false, ""},
  };
  for (const auto& c : cases) {
    for (const bool second_runs_first : {false, true}) {
      if (second_runs_first && c.waits) continue;
      HostDevice device({.manual = true});
      const auto one = device.make_stream(), two = device.make_stream();
      const auto made = device.make_event(), event = device.make_event();
      const auto end_one = device.make_event(), end_two = device.make_event();
      const Ints shared(device, 8), own_one(device, 8), own_two(device, 8);
      one->fill(shared.get(), 0, shared.bytes());
      one->fill(own_one.get(), 0, shared.bytes());
      one->record(*made);
      while (device.step(0)) {
      }
      EXPECT_TRUE(made->over());
      two->fill(own_two.get(), 0, shared.bytes());
      c.first_writes ? launch(*one, own_one, shared, 1) : launch(*one, shared, own_one, 1);
      one->record(*event);
      if (c.waits) two->wait(*event);
      c.second_writes ? launch(*two, own_two, shared, 1) : launch(*two, shared, own_two, 1);
      one->record(*end_one);
      two->record(*end_two);
      while (second_runs_first && device.step(1)) {
      }
      while (device.step(0)) {
      }
      while (device.step(1)) {
      }
      std::string told;
      for (DeviceEvent* each : {event.get(), end_one.get(), end_two.get()}) {
        try {
          EXPECT_TRUE(each->over());
        } catch (const DeviceError& error) {
          told += error.what();
        }
      }
      EXPECT_EQ(told.empty(), *c.says == '\0') << told;
      // The error of the second stream says what the first one still does.
      if (*c.says != '\0' && !second_runs_first) {
        EXPECT_TRUE(says(told, c.says)) << told;
      }
    }
  }
}

TEST(HostDevice, SeesMemoryThatIsNotThere) {
  HostDevice device;
  const auto stream = device.make_stream();
  const auto event = device.make_event();
  Ints in(device, 8), out(device, 8);
  stream->fill(in.get(), 0, in.bytes());
  const Add beyond{in.get(), out.get(), 9, 0};
  stream->launch(kAdd, std::as_bytes(std::span(&beyond, 1)));
  EXPECT_TRUE(says(error_of(*stream, *event), "launch add: reads 36 bytes of device memory beyond"))
      << error_of(*stream, *event);
  EXPECT_EQ(error_of(*stream, *event), "");
  std::vector<int> host(8);
  const Add foreign{host.data(), out.get(), 8, 0};
  stream->launch(kAdd, std::as_bytes(std::span(&foreign, 1)));
  EXPECT_TRUE(says(error_of(*stream, *event), "at an address that is not the device's"));
  in.free();
  const Add freed{in.get(), out.get(), 8, 0};
  stream->launch(kAdd, std::as_bytes(std::span(&freed, 1)));
  EXPECT_TRUE(says(error_of(*stream, *event), "device memory"));
  EXPECT_TRUE(device.violations().empty());
}

TEST(HostDevice, SeesMemoryThatIsFreedTooSoon) {
  for (const bool waits : {false, true}) {
    HostDevice device({.manual = true});
    const auto stream = device.make_stream();
    const auto event = device.make_event();
    Ints memory(device, 8);
    stream->fill(memory.get(), 0, memory.bytes());
    stream->record(*event);
    while (device.step(0)) {
    }
    if (waits) {
      EXPECT_TRUE(event->over());
    }
    memory.free();
    EXPECT_EQ(device.violations().size(), waits ? 0u : 1u);
    while (device.step(0)) {
    }
  }
}

TEST(HostDevice, IsFullAtSomePoint) {
  HostDevice device({.bytes = 1 << 16});
  std::vector<std::unique_ptr<Ints>> all;
  for (int i = 0; i < 16; ++i) all.push_back(std::make_unique<Ints>(device, 1024));
  EXPECT_THROW(Ints(device, 1), std::bad_alloc);
  all[3].reset();
  all[5].reset();
  try {
    const Ints refused(device, 1025);
    ADD_FAILURE();
  } catch (const std::bad_alloc& error) {
    EXPECT_STREQ(error.what(),
                 "the stand-in for device 0 has no 4100 bytes of memory left; make window or "
                 "batch_size smaller");
  }
  all[4].reset();
  const Ints large(device, 3 * 1024);
}

// Whatever happens to the call with this number, later work in the stream is not affected, unless
// the device is lost.
TEST(HostDevice, FaultsAreThoseThatWereAskedFor) {
  for (const Fault fault : {Fault::refused, Fault::failed, Fault::lost}) {
    for (std::int64_t at = 0; at < 6; ++at) {
      HostDevice device(
          {.fault = [&](const Call& call) { return call.number == at ? fault : Fault::none; }});
      const auto stream = device.make_stream();
      const auto event = device.make_event();
      int good = 0, bad = 0, lost = 0;
      for (int round = 0; round < 3; ++round) {
        std::unique_ptr<Ints> memory;
        try {
          memory = std::make_unique<Ints>(device, 8);
          stream->fill(memory->get(), 1, memory->bytes());
          wait(*stream, *event);
          ++good;
        } catch (const DeviceError& error) {
          ++bad;
          lost += error.device_lost() ? 1 : 0;
        } catch (const std::bad_alloc&) {
          ++bad;
        }
        // Work that was queued before the refused call may still be running.
        while (device.pending() > 0) {
        }
      }
      EXPECT_EQ(good + bad, 3);
      EXPECT_EQ(bad == 1, fault != Fault::lost || at >= 6) << static_cast<int>(fault) << " " << at;
      EXPECT_EQ(lost > 0, fault == Fault::lost) << at;
    }
  }
}

// Random work on several streams, with the necessary waits, against the same work in order.
TEST(HostDevice, RandomWorkThatWaitsAsItMustIsRight) {
  constexpr std::size_t kBlocks = 6, kStreams = 4;
  std::mt19937 draw(7);
  for (const bool manual : {true, false}) {
    for (int round = 0; round < 40; ++round) {
      HostDevice device({.manual = manual});
      std::vector<std::unique_ptr<DeviceStream>> streams;
      std::vector<std::unique_ptr<Ints>> blocks;
      std::vector<std::unique_ptr<DeviceEvent>> last;  // behind the last use of the block
      std::vector<int> expected(kBlocks, 0);
      for (std::size_t i = 0; i < kStreams; ++i) streams.push_back(device.make_stream());
      for (std::size_t i = 0; i < kBlocks; ++i) {
        blocks.push_back(std::make_unique<Ints>(device, 16));
        last.push_back(device.make_event());
        streams[0]->fill(blocks[i]->get(), 0, blocks[i]->bytes());
        streams[0]->record(*last[i]);
      }
      for (int step = 0; step < 30; ++step) {
        DeviceStream& stream = *streams[draw() % kStreams];
        const std::size_t from = draw() % kBlocks, to = draw() % kBlocks;
        const int add = static_cast<int>(draw() % 100);
        stream.wait(*last[from]);
        stream.wait(*last[to]);
        launch(stream, *blocks[from], *blocks[to], add);
        stream.record(*last[from]);
        stream.record(*last[to]);
        expected[to] = expected[from] + add;
      }
      std::vector<int> got(16 * kBlocks);
      for (std::size_t i = 0; i < kBlocks; ++i) {
        streams[1]->wait(*last[i]);
        streams[1]->copy(&got[16 * i], blocks[i]->get(), blocks[i]->bytes());
      }
      const auto end = device.make_event();
      streams[1]->record(*end);
      while (manual && device.pending() > 0) (void)device.step(static_cast<int>(draw() % kStreams));
      while (!end->over()) {
      }
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected[i / 16]);
    }
  }
}

}  // namespace host_device_test
}  // namespace sluice::device
