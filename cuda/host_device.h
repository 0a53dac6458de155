// HostDevice: a device without a GPU. Each stream is a queue that a thread of its own works off,
// or, where `manual` is set, the test, piece by piece and in whichever order it likes. Kernels are
// their host functions.
//
// It is strict where a GPU is silent. Device memory cannot be touched by the host: its addresses
// have no access, the memory lies elsewhere, and kernels get there by device_view(). New memory
// holds 0xCD, freed memory is gone. Every piece of work knows what happened before it (events that
// its stream has waited for, and those that the host had seen to be over): memory that another
// stream may still be reading or writing, and memory that is freed while it may be in use, is a
// DeviceError of the work, or of violations(), however the threads happen to run.
//
// Faults: `fault` is asked for each call, in the order of calls, and says what becomes of it.
//
// Ownership: streams and events refer to the device, which outlives them; memory keeps what it lies
// in. Threads: as Device says; step() for one stream from one thread at a time. Errors:
// DeviceError; std::bad_alloc when `bytes` of device memory are in use. Work that fails is told by
// the next event that is recorded in its stream, and by no later one; after a loss, by everything,
// though not before each piece of work has ended that some stream had begun. In a child of
// fork() calls throw Error, and memory that is given back stays as it is.
#pragma once

#include <sluice/cuda/gpu.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sluice::device {

class HostDevice : public Device {
 public:
  enum class Fault : std::uint8_t {
    none,
    refused,  // the call throws
    failed,   // the work does nothing, and fails when it is its turn
    lost      // the same, and so does everything from then on
  };
  struct Call {
    const char* what;     // "allocate", "copy", "fill", "launch", "record", "wait"
    const char* kernel;   // of a launch, else ""
    int stream;           // -1 for memory
    std::int64_t number;  // of all calls to the device, from 0
  };
  struct Options {
    int index = 0;
    std::size_t bytes = std::size_t{1} << 28;
    bool manual = false;
    int jpeg_places = 0;  // of its JPEG engines, for files at a time; 0: it has none
    std::function<Fault(const Call&)> fault = {};
    // Called before a piece of work begins, on the thread that does it: to make it late.
    std::function<void(const Call&)> before = {};
  };

  HostDevice();
  explicit HostDevice(Options options);
  ~HostDevice() override;

  const std::string& name() const override;
  int index() const override;
  std::unique_ptr<DeviceStream> make_stream() override;
  // Of this device's streams, which last as long as it does.
  std::unique_ptr<DeviceStream> borrow(void* native) override;
  std::unique_ptr<DeviceEvent> make_event() override;
  // By the host's steady clock; all its events are timed.
  double ms_between(DeviceEvent& from, DeviceEvent& to) override;
  const std::shared_ptr<MemoryResource>& memory() override;
  const std::shared_ptr<MemoryResource>& pinned() override;
  bool reads(const void* at, std::size_t bytes) const override;
  JpegEngines* jpeg_engines(std::string* why_none) override;

  // How many streams have been made; they are numbered in that order.
  int streams() const;
  // Of a manual device: does the next piece of work of the stream. False when there is none, or it
  // waits for an event that is not over.
  bool step(int stream);
  // Work that is not done yet, of all streams.
  std::size_t pending() const;
  // Of device memory, that is allocated.
  std::size_t bytes_in_use() const;
  // What the host did that no piece of work can be told of.
  std::vector<std::string> violations() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
  std::shared_ptr<MemoryResource> memory_, pinned_;
  std::unique_ptr<JpegEngines> engines_;  // null: none
};

}  // namespace sluice::device
