#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/runtime/tensor.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace sluice::kernels {

DeferredImage::DeferredImage(const Image& from)
    : from_(&from), shown_{0, 0, from.height(), from.width()} {}

void DeferredImage::check(const char* op) const {
  const bool is_size = from_->empty() && from_->height() > 0 && from_->width() > 0;
  if (!is_size || from_->channels() > 4) check_pixels(op, *from_);
}

void DeferredImage::crop(const char* op, const Rectangle& region) {
  check(op);
  check_region(op, region, height(), width());
  const int below = height() - region.y - region.height;
  const int right = width() - region.x - region.width;
  shown_ = {shown_.y + (upside_down_ ? below : region.y), shown_.x + (mirrored_ ? right : region.x),
            region.height, region.width};
}

void DeferredImage::resize(const char* op, int height, int width, const ResizeFilter& filter) {
  const Box whole{0, 0, static_cast<double>(shown_.height), static_cast<double>(shown_.width)};
  resize(op, whole, height, width, filter);
}

void DeferredImage::resize(const char* op, const Box& box, int height, int width,
                           const ResizeFilter& filter) {
  check(op);
  check_size(op, height, width);
  // Check the size here: with fusing, this image is never made; without fusing, it would be.
  detail::SizeLimit::check({.shape = {height, width, channels()}});
  part_ = shown_;
  box_ = box;
  height_ = height;
  width_ = width;
  filter_ = filter;
  shown_ = {0, 0, height, width};
  resized_ = true;
}

void DeferredImage::flip(bool horizontal, bool vertical) {
  mirrored_ = mirrored_ != horizontal;
  upside_down_ = upside_down_ != vertical;
}

void DeferredImage::map_levels(const Lut& table) {
  if (!mapped_) {
    table_ = table;
  } else {
    for (std::uint8_t& level : table_) level = table[level];
  }
  mapped_ = true;
}

Rectangle DeferredImage::needed() const {
  if (!resized_) return shown_;
  const AxisRange down = touched(part_.height, {box_.y, box_.height}, height_, filter_,
                                 {shown_.y, shown_.y + shown_.height});
  const AxisRange across = touched(part_.width, {box_.x, box_.width}, width_, filter_,
                                   {shown_.x, shown_.x + shown_.width});
  return {part_.y + down.begin, part_.x + across.begin, down.end - down.begin,
          across.end - across.begin};
}

void DeferredImage::take_part(const Image& part, const Rectangle& region) {
  check_part(part.height(), part.width(), part.channels(), region);
  from_ = &part;
  from_y_ = region.y;
  from_x_ = region.x;
}

void DeferredImage::take_rows(ImageRows& rows, const Rectangle& region) {
  check_part(rows.height(), rows.width(), rows.channels(), region);
  rows_ = &rows;
  from_y_ = region.y;
  from_x_ = region.x;
}

void DeferredImage::check_part(int height, int width, int channels, const Rectangle& region) const {
  if (height != region.height || width != region.width || channels != from_->channels())
    throw std::runtime_error("the file has changed while it was read");
}

void DeferredImage::write_to(Image& out) const {
  DeferredRows rows(*this);
  out.create(height(), width(), channels());
  for (int i = 0; i < rows.count(); ++i) {
    std::uint8_t* const to = out.row(rows.place(i));
    const std::uint8_t* const row = rows.make(i, to);
    if (row != to) std::memcpy(to, row, out.row_bytes());
  }
}

namespace {

std::uint8_t* room_for_row(std::vector<std::uint8_t>& row, std::size_t bytes) {
  if (row.size() < bytes) row.resize(bytes);
  return row.data();
}

}  // namespace

DeferredRows::DeferredRows(const DeferredImage& image) : image_(image), source_(image.source()) {
  if (image.rows_ == nullptr) check_pixels("resize", *image.from_);
  if (!image.resized_) return;
  const auto& [y, x, height, width] = image.part_;
  resizer_ = &Resizer::for_this_thread();
  resizer_->start(source_, {y - image.from_y_, x - image.from_x_, height, width}, image.box_,
                  image.height_, image.width_, image.filter_, image.shown_);
  thread_local std::vector<std::uint8_t> resized;
  if (image.mirrored_) resized_ = room_for_row(resized, row_bytes());
}

std::size_t DeferredRows::row_bytes() const {
  return static_cast<std::size_t>(image_.width()) * static_cast<std::size_t>(image_.channels());
}

const std::uint8_t* DeferredRows::make(int i, std::uint8_t* room) {
  const Rectangle& shown = image_.shown_;
  const std::uint8_t* row = room;
  if (resizer_ != nullptr) {
    std::uint8_t* const to = image_.mirrored_ ? resized_ : room;
    resizer_->make_row(shown.y + i, to);
    row = to;
  } else {
    row = source_.row(shown.y - image_.from_y_ + i) +
          static_cast<std::ptrdiff_t>(shown.x - image_.from_x_) * image_.channels();
  }
  if (image_.mirrored_) {
    flip_row(row, shown.width, image_.channels(), room);
    row = room;
  }
  if (!image_.mapped_) return row;
  const std::size_t bytes = row_bytes();
  for (std::size_t k = 0; k < bytes; ++k) room[k] = image_.table_[row[k]];
  return room;
}

std::uint8_t* DeferredRows::spare_row() {
  thread_local std::vector<std::uint8_t> spare;
  return room_for_row(spare, row_bytes());
}

}  // namespace sluice::kernels
