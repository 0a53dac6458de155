// NvjpegEngines: the JPEG engines of NVIDIA GPUs, used through nvJPEG.
//
// They decode baseline and extended 8-bit files, always the whole file. If they cannot decode one
// file, they refuse its whole batch. Damage that they do not detect ends up in the image.
//
// Ownership: keeps nvJPEG's states for the next batches, because making them is slow. Threads: as
// JpegEngines says. Errors: the constructor throws Error if there are no engines.
#pragma once

#include <sluice/cuda/jpeg/nvjpeg.h>
#include <sluice/runtime/jpeg_engines.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sluice::device {

class NvjpegEngines : public JpegEngines {
 public:
  // Makes the device CUDA's current one until the returned object is destroyed.
  using MakeCurrent = std::shared_ptr<void> (*)(int device);

  // Throws Error if the device has no engines. `device` is CUDA's current device while a function
  // of the library is called.
  NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current);
  ~NvjpegEngines() override;

  const std::string& name() const override { return name_; }
  bool takes(std::span<const std::uint8_t> file) override;
  std::unique_ptr<Batch> make_batch(Device& device) override;

 private:
  class NvjpegBatch;
  struct State {
    Nvjpeg::Object object = nullptr;
    int batch = 0;  // the number of files that it is initialized for
  };
  struct Opened {  // a handle, and its properties
    Nvjpeg::Object handle = nullptr;
    int engines = 0;
  };
  static Opened open(const Nvjpeg& library, int device, MakeCurrent make_current);
  NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current, const Opened& opened);

  const Nvjpeg library_;
  const int device_;
  const MakeCurrent make_current_;
  const Nvjpeg::Object handle_;
  const std::string name_;
  std::mutex mutex_;
  std::vector<Nvjpeg::Object> headers_;  // not in use now
  std::vector<State> states_;
  std::size_t states_made_ = 0;
};

}  // namespace sluice::device
