#include <sluice/cuda/host_jpeg_engines.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace sluice::device {

class HostJpegEngines::HostBatch : public JpegEngines::Batch {
 public:
  HostBatch(HostJpegEngines& engines, Device& device)
      : Batch(device), engines_(engines), pinned_(device.pinned()) {}

 private:
  bool decode(DeviceStream& stream, std::span<const File> files) override {
    pictures_.clear();  // the images of the last batch are no longer used
    try {
      for (const File& file : files) pictures_.push_back(decoded(file));
    } catch (const Error&) {
      engines_.note(true);
      return false;
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      const File& file = files[i];
      const auto row = static_cast<std::size_t>(file.width) * 3;
      const std::byte* from = pictures_[i].data();
      for (std::int32_t y = 0; y < file.height; ++y, from += row)
        stream.copy(file.pixels + y * file.stride, from, row);
    }
    engines_.note(false);
    return true;
  }

  Buffer decoded(const File& file) {
    Image image;
    (void)decode_jpeg_image(file.bytes, {.apply_orientation = false}, image);
    if (image.height() != file.height || image.width() != file.width || image.channels() != 3)
      throw Error("the file's picture is of another size");
    const std::size_t row = image.row_bytes();
    Buffer pixels = pinned_.allocate(row * static_cast<std::size_t>(file.height));
    auto* to = reinterpret_cast<std::uint8_t*>(pixels.data());
    for (int y = 0; y < image.height(); ++y, to += row) {
      const std::uint8_t* const from = image.row(y);
      std::transform(from, from + row, to,
                     [](std::uint8_t level) { return static_cast<std::uint8_t>(level ^ 1u); });
    }
    return pixels;
  }

  HostJpegEngines& engines_;
  BufferPool pinned_;
  std::vector<Buffer> pictures_;
};

bool HostJpegEngines::takes(std::span<const std::uint8_t> file) {
  const JpegHeader header = peek_jpeg(file);
  return !header.progressive && !header.arithmetic && !header.lossless && header.bits == 8;
}

std::unique_ptr<JpegEngines::Batch> HostJpegEngines::make_batch(Device& device) {
  return std::make_unique<HostBatch>(*this, device);
}

}  // namespace sluice::device
