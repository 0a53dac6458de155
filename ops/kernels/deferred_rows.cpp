#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/deferred_rows.h>
#include <sluice/ops/kernels/flip_row.h>

#include <vector>

namespace sluice::kernels {
namespace {

std::uint8_t* room_for_row(std::vector<std::uint8_t>& row, std::size_t bytes) {
  if (row.size() < bytes) row.resize(bytes);
  return row.data();
}

}  // namespace

DeferredRows::DeferredRows(const DeferredImage& picture)
    : picture_(picture), source_(picture.source()) {
  if (picture.rows_ == nullptr) check_pixels("resize", *picture.from_);
  if (!picture.resized_) return;
  const auto& [y, x, height, width] = picture.part_;
  resizer_ = &Resizer::for_this_thread();
  resizer_->start(source_, {y - picture.from_y_, x - picture.from_x_, height, width}, picture.box_,
                  picture.height_, picture.width_, picture.filter_, picture.shown_);
  thread_local std::vector<std::uint8_t> resized;
  if (picture.mirrored_) resized_ = room_for_row(resized, row_bytes());
}

std::size_t DeferredRows::row_bytes() const {
  return static_cast<std::size_t>(picture_.width()) * static_cast<std::size_t>(picture_.channels());
}

const std::uint8_t* DeferredRows::make(int i, std::uint8_t* room) {
  const Rectangle& shown = picture_.shown_;
  const std::uint8_t* row = room;
  if (resizer_ != nullptr) {
    std::uint8_t* const to = picture_.mirrored_ ? resized_ : room;
    resizer_->make_row(shown.y + i, to);
    row = to;
  } else {
    row = source_.row(shown.y - picture_.from_y_ + i) +
          static_cast<std::ptrdiff_t>(shown.x - picture_.from_x_) * picture_.channels();
  }
  if (picture_.mirrored_) {
    flip_row(row, shown.width, picture_.channels(), room);
    row = room;
  }
  if (!picture_.mapped_) return row;
  const std::size_t bytes = row_bytes();
  for (std::size_t k = 0; k < bytes; ++k) room[k] = picture_.table_[row[k]];
  return room;
}

std::uint8_t* DeferredRows::spare_row() {
  thread_local std::vector<std::uint8_t> spare;
  return room_for_row(spare, row_bytes());
}

}  // namespace sluice::kernels
