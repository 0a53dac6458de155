#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/paste.h>
#include <sluice/ops/kernels/pixel_runs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_paste(const Image& in, const Image& patch, const Image* mask, float alpha) {
  check_pixels("paste", in);
  check_pixels("paste", patch);
  if (patch.channels() != in.channels()) {
    throw std::invalid_argument(fmt::format(
        "paste: the picture has {} channels and what is pasted {}; make them of one kind first",
        in.channels(), patch.channels()));
  }
  if (!(alpha >= 0 && alpha <= 1)) {
    throw std::invalid_argument(
        fmt::format("paste: alpha is {}; it must lie between 0 and 1", alpha));
  }
  if (mask == nullptr) return;
  check_pixels("paste", *mask);
  if (mask->height() == patch.height() && mask->width() == patch.width() && mask->channels() == 1)
    return;
  throw std::invalid_argument(
      fmt::format("paste: the mask is {} x {} (height x width) with {} channels; it must be {} x "
                  "{}, as what is "
                  "pasted, with one",
                  mask->height(), mask->width(), mask->channels(), patch.height(), patch.width()));
}

namespace {

// Returns (base * (255 - weight) + patch * weight) / 255, rounded to nearest. 16 bits are enough,
// and two shifts divide numbers below 65535 by 255.
std::uint8_t mixed(std::uint16_t base, std::uint16_t patch, std::uint16_t weight) {
  const auto sum = static_cast<std::uint16_t>(base * (255 - weight) + patch * weight + 127);
  return static_cast<std::uint8_t>(static_cast<std::uint16_t>(sum + 1 + (sum >> 8)) >> 8);
}

void mix_row(const std::uint8_t* __restrict from, std::uint16_t weight, std::int64_t bytes,
             std::uint8_t* __restrict to) {
  for (std::int64_t i = 0; i < bytes; ++i) to[i] = mixed(to[i], from[i], weight);
}

}  // namespace

void paste(const Image& in, const Image& patch, const Image* mask, const PastePlace& place,
           Image& out) {
  check_paste(in, patch, mask, place.alpha);
  const int channels = in.channels();
  out.create(in.height(), in.width(), channels);
  // One large copy is faster than many small ones, and than skipping the pasted part.
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    std::memcpy(to, from, pixels * static_cast<std::size_t>(channels));
  });

  // The visible part of the patch, in its coordinates.
  const auto first = [](int at) { return std::max<std::int64_t>(0, -std::int64_t{at}); };
  const auto end = [](int length, int at, int limit) {
    return std::min<std::int64_t>(length, std::int64_t{limit} - at);
  };
  const std::int64_t left = first(place.x), right = end(patch.width(), place.x, in.width());
  if (left >= right) return;
  std::array<std::uint16_t, 256> weight_of;  // for each value of the mask
  for (std::size_t level = 0; level < weight_of.size(); ++level) {
    weight_of[level] = static_cast<std::uint16_t>(
        std::lround(static_cast<double>(place.alpha) * static_cast<double>(level)));
  }
  const std::uint16_t whole = weight_of[255];
  for (std::int64_t y = first(place.y); y < end(patch.height(), place.y, in.height()); ++y) {
    std::uint8_t* to = out.row(static_cast<int>(place.y + y)) + (place.x + left) * channels;
    const std::uint8_t* from = patch.row(static_cast<int>(y)) + left * channels;
    const std::int64_t bytes = (right - left) * channels;
    if (mask == nullptr && whole == 255) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    } else if (mask == nullptr) {
      mix_row(from, whole, bytes, to);
    } else {
      const std::uint8_t* weights = mask->row(static_cast<int>(y)) + left;
      for (std::int64_t x = 0; x < right - left; ++x, to += channels, from += channels) {
        const std::uint16_t weight = weight_of[weights[x]];
        for (int c = 0; c < channels; ++c) to[c] = mixed(to[c], from[c], weight);
      }
    }
  }
}

}  // namespace sluice::kernels
