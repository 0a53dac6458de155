// Image: a tensor of 8-bit pixels with the usual names for images; also Rectangle and ImageSize.
// Pixels are height x width x channels, channels interleaved, rows `row_stride()` bytes apart.
//
// Ownership: as for Tensor. An Image owns its pixels (a Buffer from the current BufferPool), shares
// them, or is a view of memory that must be kept alive elsewhere. It moves and does not copy:
// clone() copies explicitly. Inside a pipeline the memory may instead lie in the batch that the
// image will be part of (see Placer). Operators need not know: they call create() and write. An
// Image becomes a Tensor, and the Tensor an Image, without a copy of the pixels.
//
// The pixels may be in device memory, as those of a Tensor: functions that read them on the host
// then throw.
//
// Threads: like a vector. Many may read one Image; one may write. Errors: std::invalid_argument for
// sizes below 1 or absurdly large, std::bad_alloc, std::logic_error for reading a device's pixels.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice {

// Rectangle: a rectangle of whole pixels. Plain data; the user of one checks that it lies inside
// the image.

// Rows y .. y + height - 1, columns x .. x + width - 1, counted from the upper left corner.
struct Rectangle {
  int y = 0;
  int x = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Rectangle&) const = default;
};

// In pixels.
struct ImageSize {
  int height = 0;
  int width = 0;
  bool operator==(const ImageSize&) const = default;
};

class Image {
 public:
  Image() = default;
  // Uninitialized pixels. Sizes in pixels, each at least 1.
  Image(int height, int width, int channels) { create(height, width, channels); }
  // Takes the pixels of a tensor: u8, of the shape (height, width, channels), or (height, width)
  // for a gray image. The pixels of a row lie side by side; rows may be any distance apart. Throws
  // std::invalid_argument for any other tensor, and for one that is read-only or not in host
  // memory; the tensor is then unchanged.
  explicit Image(Tensor&& pixels);
  Image(Image&&) noexcept = default;
  // Assigning a view of an image to itself keeps its memory.
  Image& operator=(Image&&) noexcept = default;

  // Returns a view of pixels that are owned elsewhere.
  static Image view(std::uint8_t* pixels, int height, int width, int channels,
                    std::ptrdiff_t row_stride, MemoryPlace place = {}, StreamSync* order = nullptr);
  // The same as Image(Tensor&&), but the pixels may be in device memory.
  static Image anywhere(Tensor&& pixels);

  // Returns an image that has a size but no pixels: empty() is true, and only its size may be used.
  static Image size_only(int height, int width, int channels);

  // The image as a tensor, of layout HWC.
  const Tensor& tensor() const& { return tensor_; }
  Tensor tensor() && { return std::move(tensor_); }

  // Drops the previous pixels and makes height * width * channels uninitialized bytes without gaps
  // between the rows. Operators call this on their output.
  void create(int height, int width, int channels);
  // Narrows the image to a part of itself, and keeps its memory. Throws std::out_of_range unless
  // the part lies inside.
  void narrow(int y, int x, int height, int width);
  // Empties the image and returns its memory to the pool.
  void release() noexcept { tensor_.release(); }

  bool empty() const { return tensor_.empty(); }
  // True if the pixels are owned elsewhere: a view, or a place in a batch.
  bool is_view() const { return tensor_.is_view(); }
  int height() const { return size(0); }
  int width() const { return size(1); }
  int channels() const { return size(2); }
  // Bytes from a pixel to the one below it.
  std::ptrdiff_t row_stride() const { return tensor_.strides_[0]; }
  // width() * channels(): the bytes of a row that are pixels.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width()) * static_cast<std::size_t>(channels());
  }
  bool contiguous() const { return row_stride() == static_cast<std::ptrdiff_t>(row_bytes()); }

  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(tensor_.data_); }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(tensor_.data_); }
  const std::uint8_t* row(int y) const { return data() + y * row_stride(); }
  std::uint8_t* row(int y) { return data() + y * row_stride(); }
  std::uint8_t at(int y, int x, int c) const {
    if (!tensor_.place_.on_host()) require_on_host(tensor_.place_);
    return row(y)[x * channels() + c];
  }
  MemoryPlace place() const { return tensor_.place_; }

  // Returns a view of a part of this image; throws std::out_of_range unless the part lies inside.
  Image crop_view(int y, int x, int height, int width) const;
  // Returns a copy with its own pixels, without gaps between the rows.
  Image clone() const;
  // The same for pixels in any memory. For this and the three functions below, see Tensor.
  Image to_host() const;
  void wait_on(void* stream) const { tensor_.wait_on(stream); }
  void wait() const { tensor_.wait(); }
  void release_after(void* stream) const { tensor_.release_after(stream); }
  // Returns another handle on the same pixels: see Tensor::share().
  Image share();
  // Turns a view into a copy. Pixels that create() has put into a batch stay there if the image
  // shows all of them.
  void own() { tensor_.own(); }

  // Sets where create() takes memory from; null for the current pool. Does not move along with the
  // pixels.
  void set_placer(Placer* placer) { tensor_.set_placer(placer); }
  bool has_placer() const { return tensor_.has_placer(); }

 private:
  int size(std::size_t axis) const { return static_cast<int>(tensor_.spec_.shape.dims[axis]); }
  Tensor tensor_;  // rank 3, or 0 when empty
};

// True if the size and the pixels are equal.
bool operator==(const Image& a, const Image& b);

}  // namespace sluice
