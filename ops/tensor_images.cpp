// The operators of geometry.h and normalize.h on tensors of height x width x channels.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

std::vector<TensorSpec> infer_pixels(const detail::Arguments& arguments,
                                     const std::vector<TensorSpec>& inputs) {
  static_cast<void>(arguments);
  return {{.dtype = inputs.at(0).dtype, .layout = Layout::hwc, .rank = 3, .place = {}}};
}

OperatorDeclaration declare_on_pixels(const char* name, const char* summary) {
  OperatorDeclaration declaration(name);
  declaration.family("geometry").summary(summary).input<Tensor>("image");
  return declaration;
}

ParameterOptions<double> fill_of_tensor(const char* help) { return {.value = 0.0, .help = help}; }

}  // namespace

namespace detail {

const OperatorPtr& crop_tensor_operator() {
  static const OperatorPtr op =
      declare_on_pixels("crop_tensor",
                        "Crops a rectangle from a tensor, height x width x channels.")
          .in_cpp("crop(tensor, region)")
          .parameter<Rectangle>("region", {.help = "inside the tensor"})
          .choice("out_of_bounds", OutOfBounds::error, {OutOfBounds::error, OutOfBounds::trim},
                  "region outside the tensor: error fails the sample, trim clips the region")
          .output<Tensor>("image")
          .infers(infer_pixels)
          .runs([](const Tensor& in, const Rectangle& region, OutOfBounds what, Tensor& out) {
            kernels::crop_tensor(in, region, what, 0, out);
          });
  return op;
}

const OperatorPtr& crop_padded_tensor_operator() {
  static const OperatorPtr op =
      declare_on_pixels("crop_padded_tensor",
                        "Crops a rectangle and fills the part outside the tensor.")
          .in_cpp("crop(tensor, region, {.out_of_bounds = OutOfBounds::pad, .fill = 1000})")
          .parameter<Rectangle>("region", {.help = "may lie outside the tensor"})
          .parameter("fill", fill_of_tensor("number outside the tensor, for all channels"))
          .output<Tensor>("image")
          .infers(infer_pixels)
          .runs([](const Tensor& in, const Rectangle& region, double fill, Tensor& out) {
            kernels::crop_tensor(in, region, OutOfBounds::pad, fill, out);
          });
  return op;
}

const OperatorPtr& flip_tensor_operator() {
  static const OperatorPtr op =
      declare_on_pixels("flip_tensor",
                        "Flips a tensor, height x width x channels: horizontally, vertically or "
                        "both.")
          .in_cpp("flip(tensor, {.horizontal = g.coin_flip(0.5f)})")
          .parameter<bool>("horizontal", {.value = true, .help = "swaps left and right"})
          .parameter<bool>("vertical", {.value = false, .help = "swaps top and bottom"})
          .output<Tensor>("image")
          .infers(infer_pixels)
          .runs([](const Tensor& in, bool horizontal, bool vertical, Tensor& out) {
            kernels::flip_tensor(in, horizontal, vertical, out);
          });
  return op;
}

const OperatorPtr& resize_tensor_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration = declare_on_pixels(
        "resize_tensor",
        "Resizes a tensor, height x width x channels, with antialiasing by default.");
    declaration.in_cpp("resize(tensor, {.height = 224, .width = 224})");
    return add_resize_options(declaration)
        .output<Tensor>("image")
        .infers(infer_pixels)
        .runs([](const Tensor& in, std::int32_t height, std::int32_t width, std::int32_t shorter,
                 ResizeMode mode, std::int32_t max_size, float start_y, float start_x, float end_y,
                 float end_x, bool relative, Interpolation interpolation, bool antialias,
                 Tensor& out) {
          kernels::resize_tensor(
              in,
              {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
              {interpolation, antialias}, out);
        });
  }();
  return op;
}

const OperatorPtr& rotate_tensor_operator() {
  static const OperatorPtr op =
      declare_on_pixels("rotate_tensor",
                        "Rotates a tensor, height x width x channels, counter-clockwise about its "
                        "center.")
          .in_cpp("rotate(tensor, g.uniform(-10.f, 10.f), {.keep_size = true})")
          .parameter<float>("degrees", {.help = "counter-clockwise"})
          .constant<bool>("keep_size",
                          {.value = false, .help = "if false, the result grows to hold all of it"})
          .parameter("fill", fill_of_tensor("number of pixels without a source, for all channels"))
          .choice("interpolation", Interpolation::bilinear, warp_interpolations(),
                  "how values between pixels are computed")
          .output<Tensor>("image")
          .infers(infer_pixels)
          .runs([](const Tensor& in, float degrees, bool keep_size, double fill,
                   Interpolation interpolation, Tensor& out) {
            kernels::rotate_tensor(in, degrees, {keep_size, fill, interpolation}, out);
          });
  return op;
}

namespace {

constexpr std::size_t kMostChannels = 16;
using NumbersOfChannels = std::array<float, kMostChannels>;

// Returns the numbers that were given, of `count`.
std::span<const float> given(const NumbersOfChannels& numbers, std::int32_t count) {
  return {numbers.data(), static_cast<std::size_t>(count)};
}

// The counts come before their numbers, after the input.
void check_deviations(const Arguments& arguments) {
  const auto* means = constant_of<std::int32_t>(arguments.at(1));
  const auto* count = constant_of<std::int32_t>(arguments.at(3));
  const auto* deviations = constant_of<std::vector<double>>(arguments.at(4));
  if (means == nullptr || count == nullptr || deviations == nullptr) return;
  if (*means != 1 && *count != 1 && *means != *count) {
    throw BuildError(fmt::format(
        "normalize: mean has {} numbers and std has {}; pass one number, or one for each channel",
        *means, *count));
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(*count); ++c) {
    if (deviations->at(c) > 0) continue;
    throw BuildError(fmt::format("normalize: std of channel {} is {}; it must be above 0", c,
                                 deviations->at(c)));
  }
}

std::vector<TensorSpec> infer_normalized(const Arguments& arguments,
                                         const std::vector<TensorSpec>& inputs) {
  static_cast<void>(inputs);
  TensorSpec spec{.dtype = DType::f32, .layout = Layout::chw, .rank = 3, .place = {}};
  for (const DType dtype : {DType::f16, DType::bf16}) {
    if (*constant_of<std::string>(arguments.at(5)) == name_of(dtype)) spec.dtype = dtype;
  }
  if (*constant_of<std::string>(arguments.at(6)) == name_of(Layout::hwc)) spec.layout = Layout::hwc;
  return {spec};
}

}  // namespace

const OperatorPtr& normalize_tensor_operator() {
  const ParameterOptions<std::int32_t> count{.value = 1,
                                             .low = 1,
                                             .high = kMostChannels,
                                             .help =
                                                 "numbers that are used; 1 is for all "
                                                 "channels"};
  NumbersOfChannels ones{};
  ones.fill(1);
  static const OperatorPtr op =
      OperatorDeclaration("normalize_tensor")
          .family("color")
          .summary(
              "Normalizes a tensor, height x width x channels: (x / white - mean) / std, where "
              "white is 255 for u8, 65535 for u16, and 1 for other types.")
          .in_cpp("normalize(tensor, {.mean = {0.1f}, .std = {0.2f}})")
          .input<Tensor>("image")
          .constant<std::int32_t>("means", count)
          .constant<NumbersOfChannels>(
              "mean", {.value = NumbersOfChannels{}, .help = "mean of each channel"})
          .constant<std::int32_t>("deviations", count)
          .constant<NumbersOfChannels>(
              "std", {.value = ones, .help = "standard deviation of each channel, above 0"})
          .choice("dtype", DType::f32, {DType::f32, DType::f16, DType::bf16}, "type of the result")
          .choice("layout", Layout::chw, {Layout::chw, Layout::hwc}, "layout of the result")
          .output<Tensor>("tensor")
          .checks(check_deviations)
          .infers(infer_normalized)
          .runs([](const Tensor& in, std::int32_t means, const NumbersOfChannels& mean,
                   std::int32_t deviations, const NumbersOfChannels& std, DType dtype,
                   Layout layout, Tensor& out) {
            kernels::normalize_tensor(
                in, {given(mean, means), given(std, deviations), dtype, layout}, out);
          });
  return op;
}

}  // namespace detail

Value<Tensor> crop(Value<Tensor> tensor, Param<Rectangle> region, const CropTensorOptions& o) {
  if (o.out_of_bounds == OutOfBounds::pad)
    return apply_operator<Tensor>(detail::crop_padded_tensor_operator(), tensor, region, o.fill);
  return apply_operator<Tensor>(detail::crop_tensor_operator(), tensor, region, o.out_of_bounds);
}

Value<Tensor> flip(Value<Tensor> tensor, const FlipOptions& o) {
  return apply_operator<Tensor>(detail::flip_tensor_operator(), tensor, o.horizontal, o.vertical);
}

Value<Tensor> resize(Value<Tensor> tensor, const ResizeOptions& o) {
  return apply_operator<Tensor>(detail::resize_tensor_operator(), tensor, o.height, o.width,
                                o.shorter, o.mode, o.max_size, o.roi_start_y, o.roi_start_x,
                                o.roi_end_y, o.roi_end_x, o.roi_relative, o.interpolation,
                                o.antialias);
}

Value<Tensor> rotate(Value<Tensor> tensor, Param<float> degrees, const RotateTensorOptions& o) {
  return apply_operator<Tensor>(detail::rotate_tensor_operator(), tensor, degrees, o.keep_size,
                                o.fill, o.interpolation);
}

namespace {

detail::NumbersOfChannels numbers_of(const char* name, const std::vector<float>& numbers) {
  detail::NumbersOfChannels all{};
  if (numbers.empty() || numbers.size() > all.size()) {
    throw BuildError(fmt::format("normalize: {} has {} numbers; 1 to {} are possible", name,
                                 numbers.size(), all.size()));
  }
  std::copy(numbers.begin(), numbers.end(), all.begin());
  return all;
}

}  // namespace

Value<Tensor> normalize(Value<Tensor> tensor, const NormalizeTensorOptions& o) {
  const auto mean = numbers_of("mean", o.mean), std = numbers_of("std", o.std);
  return apply_operator<Tensor>(detail::normalize_tensor_operator(), tensor,
                                static_cast<std::int32_t>(o.mean.size()), mean,
                                static_cast<std::int32_t>(o.std.size()), std, o.dtype, o.layout);
}

}  // namespace sluice
