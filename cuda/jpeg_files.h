// JpegFilesLaunch: the JPEG files of all samples of a gather, and who decodes each: the device's
// cores, its JPEG engines, or the host, whose pixels are copied there.
//
// Ownership: with the gather. Threads: one. Errors: as Gather says.
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

// What the host finds out about a JPEG file before a gather: how the device decodes it, or else its
// pixels.
struct PreparedJpeg {
  JpegPlan plan;
  JpegEngines* engines = nullptr;  // that decode it, too, while they have room; null: none
  // Changed by the gather: where the device gives the file back, the host decodes it after all.
  mutable bool planned = false;
  mutable Image pixels;          // pinned, contiguous
  mutable bool counted = false;  // as decoded by the device
  // Keeps what the plan needs for the next one.
  void release() noexcept {
    planned = counted = false;
    engines = nullptr;
    pixels.release();
  }
};

class JpegFilesLaunch : public detail::StepLaunch {
 public:
  ~JpegFilesLaunch() override { leave(); }
  // What is prepared, and the file, must live until the gather is over. False when there is no room
  // for the file: on the device's cores, and with its engines.
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
  // Of the engines.
  JpegEngines* engines_ = nullptr;  // where files may have places; null: none has
  const void* filler_ = nullptr;    // the gather
  std::unique_ptr<JpegEngines::Batch> engine_batch_;
  std::vector<File> engine_files_;  // perhaps one more than there are
  std::vector<JpegEngines::File> engine_work_;
  std::vector<PixelsJob> cuts_;  // regions of what they decode
  Batch<PixelsJob> cut_;
  bool refused_ = false;
};

}  // namespace sluice::device
