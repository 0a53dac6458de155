// Rectangle, and Image: a tensor of 8-bit pixels, height x width x channels, channels interleaved,
// rows `row_stride()` bytes apart; with the names that people use for such a thing.
//
// Ownership: that of the Tensor that it is. An Image owns its pixels (a Buffer from the current
// BufferPool), shares them, or is a view on memory of somebody else, who must keep it alive. It
// moves and does not copy: clone() copies, in plain sight. Inside a pipeline the memory may instead
// lie in the batch that the image is about to become part of (see Placer); operators need not know:
// they call create() and write. An Image becomes a Tensor, and the Tensor an Image, without a copy
// of the pixels.
//
// The pixels may be a device's, as those of its Tensor: what reads them here throws then.
// Threads: like a vector. Many may read one Image; one may write. Errors: std::invalid_argument for
// sizes below 1 or absurdly large, std::bad_alloc, std::logic_error for reading a device's pixels.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sluice {

// Rectangle: a rectangle of whole pixels. Plain data; whoever uses one checks that it lies inside
// its picture.

// Rows y .. y + height - 1, columns x .. x + width - 1, counted from the upper left corner.
struct Rectangle {
  int y = 0;
  int x = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Rectangle&) const = default;
};

class Image {
 public:
  Image() = default;
  // Uninitialised pixels. Sizes in pixels, each at least 1.
  Image(int height, int width, int channels) { create(height, width, channels); }
  // The pixels of a tensor: u8, of the shape (height, width, channels), or (height, width) for gray
  // ones, with the pixels of a row side by side; rows may be any distance apart. Throws
  // std::invalid_argument for any other, and for one that must not be written or is not the host's;
  // the tensor then keeps what it has.
  explicit Image(Tensor&& pixels);
  Image(Image&&) noexcept = default;
  // An image that is given a view of itself keeps its memory.
  Image& operator=(Image&&) noexcept = default;

  // A view on pixels that belong to somebody else.
  static Image view(std::uint8_t* pixels, int height, int width, int channels,
                    std::ptrdiff_t row_stride, MemoryPlace place = {},
                    StreamOrder* order = nullptr);
  // The pixels of a tensor as above, which may be a device's.
  static Image anywhere(Tensor&& pixels);

  // An image that has a size and no pixels: empty() says true, and it shall be asked for nothing
  // but its size.
  static Image size_only(int height, int width, int channels);

  // The image as a tensor, of layout HWC.
  const Tensor& tensor() const& { return tensor_; }
  Tensor tensor() && { return std::move(tensor_); }

  // Drops what was there and provides height * width * channels uninitialised bytes without gaps
  // between the rows. Operators call this on their output.
  void create(int height, int width, int channels);
  // Shows only a part of what it shows now, and keeps its memory. The part must lie inside.
  void narrow(int y, int x, int height, int width);
  // Leaves the image empty and its memory to the pool.
  void release() noexcept { tensor_.release(); }

  bool empty() const { return tensor_.empty(); }
  // True for pixels that belong to somebody else: a view, or a place in a batch.
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

  // A view on a part of this image; throws std::out_of_range unless the window lies inside.
  Image crop_view(int y, int x, int height, int width) const;
  // A copy with pixels of its own, without gaps between the rows.
  Image clone() const;
  // The same, from wherever the pixels lie; and whoever uses them by streams: see Tensor.
  Image to_host() const;
  void wait_on(void* stream) const { tensor_.wait_on(stream); }
  void wait() const { tensor_.wait(); }
  void release_after(void* stream) const { tensor_.release_after(stream); }
  // Another handle on the same pixels: see Tensor::share().
  Image share();
  // Makes a view a copy. Pixels that create() has put into a batch, and which are shown whole, stay
  // there.
  void own() { tensor_.own(); }

  // Where create() takes memory from next; null for the current pool. Not moved along with the
  // pixels.
  void set_placer(Placer* placer) { tensor_.set_placer(placer); }
  bool has_placer() const { return tensor_.has_placer(); }

 private:
  int size(std::size_t axis) const { return static_cast<int>(tensor_.spec_.shape.dims[axis]); }
  Tensor tensor_;  // rank 3, or 0 when empty
};

// The same size and the same pixels.
bool operator==(const Image& a, const Image& b);

}  // namespace sluice
