// JpegFilesLaunch: decodes the JPEG files of all samples of a GPU batch. Each file is decoded by
// the device's cores, by its JPEG engines, or by the host, whose pixels are copied to the device.
//
// Ownership: belongs to the Gather. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/jpeg/batch.h>
#include <sluice/cuda/kernels/pixels.h>
#include <sluice/graph/plan/gather.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/jpeg_engines.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sluice::device {

// The host's preparation of a JPEG file before the GPU batch: a plan for decoding on the device,
// or else the pixels.
struct PreparedJpeg {
  JpegPlan plan;
  JpegEngines* engines = nullptr;  // may decode it instead, while they have room; null: none
  // Changed by the batch: if the device returns the file, the host decodes it after all.
  mutable bool planned = false;
  mutable Image pixels;          // pinned, contiguous
  mutable bool counted = false;  // as decoded by the device
  // Keeps the plan's memory for the next file.
  void release() noexcept {
    planned = counted = false;
    engines = nullptr;
    pixels.release();
  }
};

class JpegFilesLaunch : public detail::StepLaunch {
 public:
  ~JpegFilesLaunch() override { leave(); }
  // `prepared` and the file must live until the GPU batch is over. Return false if there is no room
  // for the file: on the device's cores, or with its engines.
  bool add(detail::Sample& sample, const PreparedJpeg& prepared, std::span<const std::uint8_t> file,
           Image& out);
  bool add_to_engines(detail::Gather& gather, const PreparedJpeg& prepared,
                      std::span<const std::uint8_t> file, const std::optional<Rectangle>& region,
                      Image& out);
  void add_pixels(const Image& pixels, Image& out);

  void clear() noexcept override;
  void write(detail::Gather& gather) override;
  void launch(DeviceStream& stream) override;
  void tell(DeviceStream& stream) override;
  void check(detail::Gather& gather) override;

 private:
  struct Pixels {
    const std::uint8_t* from;
    std::uint8_t* to;
    std::size_t bytes;
  };
  struct File {
    detail::Sample* sample;
    const detail::Step* step;
    const PreparedJpeg* prepared;
  };
  void leave() noexcept;

  std::vector<File> files_;  // of the batch, and perhaps one more
  std::vector<Pixels> pixels_;
  JpegBatch batch_;
  JpegBatch::Memory memory_;
  Buffer damage_;
  // Members for the JPEG engines.
  JpegEngines* engines_ = nullptr;  // where files may have been entered; null: nowhere
  const void* filler_ = nullptr;    // the Gather that enters files
  std::unique_ptr<JpegEngines::Batch> engine_batch_;
  std::vector<File> engine_files_;  // of engine_work_, and perhaps one more
  std::vector<JpegEngines::File> engine_work_;
  std::vector<PixelsJob> cuts_;  // regions of the decoded images
  Batch<PixelsJob> cut_;
  bool refused_ = false;
};

}  // namespace sluice::device
