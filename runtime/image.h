// Image: 8-bit pixels, height x width x channels, channels interleaved, rows `row_stride()` bytes
// apart.
//
// Ownership: an Image owns its pixels (a Buffer from the current BufferPool), or it is a view on
// memory of somebody else, who must keep it alive. It moves and does not copy: clone() copies, in
// plain sight. Inside a pipeline the memory may instead lie in the batch that the image is about to
// become part of (see Placer); operators need not know: they call create() and write. Threads: like
// a vector. Many may read one Image; one may write. Errors: std::invalid_argument for sizes below 1
// or absurdly large, std::bad_alloc.
#pragma once

#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>

namespace sluice {

class Image {
 public:
  Image() = default;
  // Uninitialised pixels. Sizes in pixels, each at least 1.
  Image(int height, int width, int channels) { create(height, width, channels); }
  Image(Image&& other) noexcept { *this = std::move(other); }
  // An image that is given a view of itself keeps its memory.
  Image& operator=(Image&& other) noexcept;

  // A view on pixels that belong to somebody else.
  static Image view(std::uint8_t* pixels, int height, int width, int channels,
                    std::ptrdiff_t row_stride);

  // An image that has a size and no pixels: empty() says true, and it shall be asked for nothing
  // but its size.
  static Image size_only(int height, int width, int channels);

  // Drops what was there and provides height * width * channels uninitialised bytes without gaps
  // between the rows. Operators call this on their output.
  void create(int height, int width, int channels);
  // Shows only a part of what it shows now, and keeps its memory. The part must lie inside.
  void narrow(int y, int x, int height, int width);
  // Leaves the image empty and its memory to the pool.
  void release() noexcept;

  bool empty() const { return data_ == nullptr; }
  // True for pixels that belong to somebody else: a view, or a place in a batch.
  bool is_view() const { return data_ != nullptr && !buffer_; }
  int height() const { return height_; }
  int width() const { return width_; }
  int channels() const { return channels_; }
  // Bytes from a pixel to the one below it.
  std::ptrdiff_t row_stride() const { return row_stride_; }
  // width() * channels(): the bytes of a row that are pixels.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(channels_);
  }
  bool contiguous() const { return row_stride_ == static_cast<std::ptrdiff_t>(row_bytes()); }

  const std::uint8_t* data() const { return data_; }
  std::uint8_t* data() { return data_; }
  const std::uint8_t* row(int y) const { return data_ + y * row_stride_; }
  std::uint8_t* row(int y) { return data_ + y * row_stride_; }
  std::uint8_t at(int y, int x, int c) const { return row(y)[x * channels_ + c]; }

  // A view on a part of this image; throws std::out_of_range unless the window lies inside.
  Image crop_view(int y, int x, int height, int width) const;
  // A copy with pixels of its own.
  Image clone() const;
  // Makes a view a copy. Pixels that create() has put into a batch, and which are shown whole, stay
  // there.
  void own();

  // Where create() takes memory from next; null for the current pool. Not moved along with the
  // pixels.
  void set_placer(Placer* placer) { placer_ = placer; }
  bool has_placer() const { return placer_ != nullptr; }

 private:
  std::uint8_t* data_ = nullptr;
  int height_ = 0;
  int width_ = 0;
  int channels_ = 0;
  std::ptrdiff_t row_stride_ = 0;
  Buffer buffer_;
  Placer* placer_ = nullptr;
  bool placed_ = false;  // shows all of what placer_ gave, as it gave it
};

// The same size and the same pixels.
bool operator==(const Image& a, const Image& b);

}  // namespace sluice
