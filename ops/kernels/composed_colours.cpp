#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/composed_colours.h>
#include <sluice/ops/kernels/luma.h>

#include <algorithm>
#include <cstddef>

namespace sluice::kernels {
namespace {

// Returns the weighted sum of the rows, plus a constant.
MatrixRow sum_of(const ColourMatrix& rows, const MatrixRow& weights) {
  MatrixRow sum{0, 0, 0, weights[3]};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] += weights[row] * rows[row][i];
  }
  return sum;
}

}  // namespace

ComposedColours::ComposedColours(const Image& from) : from_(&from), channels_(from.channels()) {
  for (std::size_t row = 0; row < (channels_ < 3 ? 1 : 3); ++row) matrix_[row][row] = 1;
}

void ComposedColours::check_pixels(const char* op) const { kernels::check_pixels(op, *from_); }

void ComposedColours::check_colours(const char* op) const {
  check_pixels(op);
  check_colour_channels(op, channels_);
}

void ComposedColours::check_three_colours(const char* op) const {
  check_pixels(op);
  check_three_channels(op, channels_);
}

void ComposedColours::apply(const ColourMatrix& matrix) {
  const ColourMatrix before = matrix_;
  for (std::size_t row = 0; row < 3; ++row) matrix_[row] = sum_of(before, matrix[row]);
}

void ComposedColours::map_levels(double factor, double offset) {
  for (std::size_t row = 0; row < (channels_ < 3 ? 1 : 3); ++row) {
    for (double& number : matrix_[row]) number *= factor;
    matrix_[row][3] += offset;
  }
  if (channels_ != 4) return;
  fourth_factor_ *= factor;
  fourth_offset_ = factor * fourth_offset_ + offset;
}

void ComposedColours::to_gray(int channels) {
  MatrixRow gray = matrix_[0];
  if (channels_ != 1) {
    MatrixRow weights{};
    for (std::size_t c = 0; c < 3; ++c) weights[c] = static_cast<double>(kLumaOf65536[c]) / 65536.0;
    gray = sum_of(matrix_, weights);
  }
  matrix_ = {};
  for (std::size_t row = 0; row < static_cast<std::size_t>(channels); ++row) matrix_[row] = gray;
  channels_ = channels;
}

std::optional<LevelTable> ComposedColours::fourth() const {
  if (channels_ != 4 || (fourth_factor_ == 1 && fourth_offset_ == 0)) return {};
  return level_table_of([this](double x) { return fourth_factor_ * x + fourth_offset_; });
}

void ComposedColours::write_to(Image& out) const {
  const std::optional<LevelTable> table = fourth();
  if (!table && channels_ != 1 && channels_ == from_->channels())
    return apply_colour_matrix(*from_, matrix_, out);
  const FloatMatrix floats = float_matrix(matrix_);
  map_planes(*from_, channels_, out, [&](Planes& planes, std::size_t count) {
    colour_matrix_of_planes(floats, count, planes);
    if (!table) return;
    for (std::size_t i = 0; i < count; ++i) planes.channel[3][i] = (*table)[planes.channel[3][i]];
  });
}

}  // namespace sluice::kernels
