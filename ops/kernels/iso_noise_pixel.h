// The formulas of iso_noise: the noise of one pixel, and what it depends on. The host and GPU
// kernels share this code; GPU kernels can call constexpr functions. Internal to the kernels of
// iso_noise.
//
// Lightness is that of HLS: the mean of a pixel's largest and smallest value. Twice this number is
// a whole number, 0 to 510.
//
// Ownership: none. Threads: any. Errors: none.
#pragma once

#include <cstdint>

namespace sluice::kernels {

// Returns twice the lightness of a pixel with 1, 3 or 4 channels.
constexpr int doubled_lightness(const std::uint8_t* pixel, int channels) {
  if (channels == 1) return 2 * pixel[0];
  int highest = pixel[0], lowest = pixel[0];
  for (int c = 1; c < 3; ++c) {
    highest = pixel[c] > highest ? pixel[c] : highest;
    lowest = pixel[c] < lowest ? pixel[c] : lowest;
  }
  return highest + lowest;
}

// Returns the variance of numbers from their sum and the sum of their squares.
constexpr double variance_of(std::uint64_t sum, std::uint64_t squares, double count) {
  const double mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / count - mean * mean;
  return variance > 0 ? variance : 0;
}

// Returns exp(-x) for x from 0 to 64, by sums and products alone, so that all devices compute the
// same bits.
constexpr double exp_of_minus(double x) {
  const double part = -x / 64;
  double power = 1;
  for (int i = 18; i > 0; --i) power = 1 + power * part / i;
  for (int i = 0; i < 6; ++i) power *= power;
  return power;
}

// Wraps 0 .. 12 sixths of the hue circle to 0 .. 6.
constexpr float wrapped_hue(float sixths) { return sixths >= 6 ? sixths - 6 : sixths; }

// Rounds a number from 0 to 255.
constexpr std::uint8_t nearest_level(float number) {
  number += 0.5f;
  return static_cast<std::uint8_t>(number);
}

// Adds noise to a pixel with 1, 3 or 4 channels. The lightness l becomes l + count / 255 * (1 - l),
// the hue moves by `turn` sixths of the circle, and the saturation stays. A fourth channel is
// copied.
constexpr void add_iso_noise(const std::uint8_t* from, int channels, double count, double turn,
                             std::uint8_t* to) {
  const float r = from[0], g = channels == 1 ? r : from[1], b = channels == 1 ? r : from[2];
  const float larger = g > b ? g : b, smaller = g < b ? g : b;
  const float highest = r > larger ? r : larger, lowest = r < smaller ? r : smaller;
  const float chroma = highest - lowest, doubled = highest + lowest;

  const float brighter = doubled + static_cast<float>(count) * (510 - doubled) / 255;
  const float light = brighter < 510 ? brighter : 510;
  // The largest chroma that the lightness allows; the saturation is a fraction of it.
  const float widest = doubled < 255 ? doubled : 510 - doubled;
  const float new_widest = light < 255 ? light : 510 - light;
  const float new_chroma = widest > 0 ? chroma / widest * new_widest : 0;
  const float value = (light + new_chroma) / 2;
  if (channels == 1) {
    to[0] = nearest_level(value);
    return;
  }

  const bool is_red = highest == r, is_green = highest == g;
  const float difference = is_red ? g - b : is_green ? b - r : r - g;
  const float offset = difference / (chroma > 1 ? chroma : 1);
  int turns = static_cast<int>(turn / 6);
  if (turn < 6 * turns) --turns;
  const auto moved = static_cast<float>(turn - 6 * turns);
  const float start = is_red ? 6.0f : is_green ? 2.0f : 4.0f;
  const float hue = wrapped_hue(wrapped_hue(start + offset) + moved);
  for (int c = 0; c < 3; ++c) {
    const float k = wrapped_hue(hue + static_cast<float>(5 - 2 * c));
    const float slope = k < 4 - k ? k : 4 - k;
    const float part = slope < 0 ? 0 : slope > 1 ? 1 : slope;
    to[c] = nearest_level(value - new_chroma * part);
  }
  if (channels == 4) to[3] = from[3];
}

}  // namespace sluice::kernels
