// NvjpegEngines: the JPEG engines of NVIDIA's GPUs, by nvJPEG.
//
// They decode baseline and extended files of 8 bits, each as a whole. One file that they cannot
// decode makes them refuse the batch that it is in; damage that they do not see is in the picture.
//
// Ownership: nvJPEG's states are kept for the next batches, as making them is slow. Threads: as
// JpegEngines says. Errors: Error of the constructor, where there are no engines.
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
  // Makes the device CUDA's current one until what it gives is destroyed.
  using MakeCurrent = std::shared_ptr<void> (*)(int device);

  // Throws Error when the device has no engines. The library's current device is `device` while
  // one of its functions is called.
  NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current);
  ~NvjpegEngines() override;

  const std::string& name() const override { return name_; }
  bool takes(std::span<const std::uint8_t> file) override;
  std::unique_ptr<Batch> make_batch(Device& device) override;

 private:
  class NvjpegBatch;
  struct State {
    Nvjpeg::Object object = nullptr;
    int batch = 0;  // files that it is made ready for
  };
  struct Opened {  // a handle, and what it says
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
  std::vector<Nvjpeg::Object> headers_;  // that nobody uses now
  std::vector<State> states_;
  std::size_t states_made_ = 0;
};

}  // namespace sluice::device
