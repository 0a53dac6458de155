#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

using ChannelNumbers = std::array<float, 4>;

// Numbers in units of 0 .. 255 would silently produce images of almost one color.
const char* const kUnits =
    "mean and std are in units of 0 .. 1, since pixels are divided by 255 first; divide both by "
    "255";

OperatorDeclaration& add_normalize(OperatorDeclaration& declaration) {
  return declaration.parameter<bool>("mirror", {.value = false, .help = "swaps left and right"})
      .parameter<ChannelNumbers>("mean", {.value = ChannelNumbers{0, 0, 0, 0},
                                          .low = -1,
                                          .high = 1,
                                          .help = "mean of each channel, in units of 0 .. 1",
                                          .hint = kUnits})
      .parameter<ChannelNumbers>("std", {.value = ChannelNumbers{1, 1, 1, 1},
                                         .low = 0,
                                         .high = 1,
                                         .help = "standard deviation of each channel",
                                         .hint = kUnits})
      .choice("dtype", DType::f32, {DType::f32, DType::f16, DType::bf16, DType::u8, DType::i8},
              "type of the tensor; integers are rounded and clipped")
      .choice("layout", Layout::chw, {Layout::chw, Layout::hwc}, "layout of the tensor")
      .parameter<float>("scale", {.value = 1.f, .help = "multiplies the normalized values"})
      .parameter<float>("shift", {.value = 0.f, .help = "added last"})
      .constant<bool>("pad_output",
                      {.value = false, .help = "adds a fourth channel of zeros to three"})
      .output<Tensor>("tensor");
}

DType dtype_named(const std::string& name) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::u8, DType::i8}) {
    if (name == name_of(dtype)) return dtype;
  }
  return DType::f32;
}

// dtype and layout are found by name, among the arguments of both operators.
std::vector<TensorSpec> infer(const detail::Arguments& arguments,
                              const std::vector<TensorSpec>& inputs) {
  static_cast<void>(inputs);
  constexpr std::size_t kDtype = 6;
  const bool chw =
      *detail::constant_of<std::string>(arguments.at(kDtype + 1)) == name_of(Layout::chw);
  return {{.dtype = dtype_named(*detail::constant_of<std::string>(arguments.at(kDtype))),
           .layout = chw ? Layout::chw : Layout::hwc,
           .rank = 3}};
}

// Checks a constant std. Accepts zeros at its end, as in {0.2f, 0.2f, 0.3f}: the caller left these
// channels out, and only a sample that has them fails. Channel 0 is never left out. No std is 0, so
// all such zeros are left out; check_channels() ignores only the last one, because a fill may be 0.
void check_constant_std(const char* op, const detail::Arguments& arguments) {
  constexpr std::size_t kStd = 5;  // of both operators
  const auto* deviations = detail::constant_of<std::vector<double>>(arguments.at(kStd));
  if (deviations == nullptr) return;
  std::size_t given = deviations->size();
  while (given > 1 && deviations->at(given - 1) == 0) --given;
  for (std::size_t c = 0; c < given; ++c)
    kernels::check_std(op, c, static_cast<float>(deviations->at(c)));
}

template <class AnyImage>
Rectangle middle(const AnyImage& in, std::int32_t height, std::int32_t width) {
  return kernels::center_crop_region(in.height(), in.width(), height == 0 ? in.height() : height,
                                     width == 0 ? in.width() : width);
}

bool keeps_whole_image(const detail::Arguments& arguments) {
  const auto zero = [](const detail::Argument& size) {
    const auto* constant = detail::constant_of<std::int32_t>(size);
    return constant != nullptr && *constant == 0;
  };
  return zero(arguments[1]) && zero(arguments[2]);
}

}  // namespace

const detail::OperatorPtr& detail::crop_mirror_normalize_operator() {
  static const OperatorPtr op =
      add_normalize(
          declare_operator("crop_mirror_normalize")
              .family("color")
              .summary("Crops the center, optionally mirrors it, and normalizes it to a tensor.")
              .in_cpp("crop_mirror_normalize(image, {.height = 224, .width = 224})")
              .input<Image>("image")
              .parameter<std::int32_t>(
                  "height",
                  {.value = 0, .low = 0, .help = "height of the crop, in pixels; 0 keeps all"})
              .parameter<std::int32_t>(
                  "width",
                  {.value = 0, .low = 0, .help = "width of the crop, in pixels; 0 keeps all"}))
          .checks([](const Arguments& arguments) {
            check_constant_std("crop_mirror_normalize", arguments);
          })
          .infers(infer)
          .sees_rectangle([](const Image& in, std::int32_t height, std::int32_t width, bool,
                             const ChannelNumbers&, const ChannelNumbers&, DType, Layout, float,
                             float, bool) { return middle(in, height, width); },
                          false, keeps_whole_image)
          .defers(ends_deferred([](const kernels::DeferredImage& in, std::int32_t height,
                                   std::int32_t width, bool mirror, const ChannelNumbers& mean,
                                   const ChannelNumbers& std, DType dtype, Layout layout,
                                   float scale, float shift, bool pad_output, Tensor& out) {
            constexpr const char* kOp = "crop_mirror_normalize";
            kernels::DeferredImage image = in;
            image.crop(kOp, middle(in, height, width));
            kernels::normalize(kOp, image,
                               {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
          }))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, bool mirror,
                   const ChannelNumbers& mean, const ChannelNumbers& std, DType dtype,
                   Layout layout, float scale, float shift, bool pad_output, Tensor& out) {
            kernels::crop_mirror_normalize(
                in, middle(in, height, width),
                {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
          });
  return op;
}

const detail::OperatorPtr& detail::resize_mirror_normalize_operator() {
  constexpr int kMost = 65535;
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("resize_mirror_normalize");
    declaration.family("color")
        .summary("Resizes the image, optionally mirrors it, and normalizes it to a tensor.")
        .in_cpp("resize_mirror_normalize(image, {.height = 224, .width = 224})")
        .input<Image>("image")
        .parameter<std::int32_t>(
            "height",
            {.value = 224, .low = 1, .high = kMost, .help = "height of the result, in pixels"})
        .parameter<std::int32_t>(
            "width",
            {.value = 224, .low = 1, .high = kMost, .help = "width of the result, in pixels"});
    return add_resize_filter(add_normalize(declaration))
        .checks([](const Arguments& arguments) {
          check_constant_std("resize_mirror_normalize", arguments);
        })
        .infers(infer)
        .defers(ends_deferred(
            [](const kernels::DeferredImage& in, std::int32_t height, std::int32_t width,
               bool mirror, const ChannelNumbers& mean, const ChannelNumbers& std, DType dtype,
               Layout layout, float scale, float shift, bool pad_output,
               Interpolation interpolation, bool antialias, Tensor& out) {
              kernels::DeferredImage image = in;
              image.resize("resize", height, width, {interpolation, antialias});
              kernels::normalize("resize_mirror_normalize", image,
                                 {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
            },
            true))
        .runs([](const Image& in, std::int32_t height, std::int32_t width, bool mirror,
                 const ChannelNumbers& mean, const ChannelNumbers& std, DType dtype, Layout layout,
                 float scale, float shift, bool pad_output, Interpolation interpolation,
                 bool antialias, Tensor& out) {
          kernels::resize_mirror_normalize(
              in, height, width, {interpolation, antialias},
              {mirror, mean, std, dtype, layout, scale, shift, pad_output}, out);
        });
  }();
  return op;
}

Value<Tensor> crop_mirror_normalize(Value<Image> image, const CropMirrorNormalizeOptions& o) {
  return apply_operator<Tensor>(detail::crop_mirror_normalize_operator(), image, o.height, o.width,
                                o.mirror, o.mean, o.std, o.dtype, o.layout, o.scale, o.shift,
                                o.pad_output);
}

Value<Tensor> normalize(Value<Image> image, const NormalizeOptions& o) {
  if (o.dtype != DType::f32 && o.dtype != DType::f16 && o.dtype != DType::bf16)
    throw BuildError("normalize: dtype must be f32, f16 or bf16, not " +
                     std::string(name_of(o.dtype)));
  return crop_mirror_normalize(
      image, {.mean = o.mean, .std = o.std, .dtype = o.dtype, .layout = o.layout});
}

Value<Tensor> to_tensor(Value<Image> image, const ToTensorOptions& o) {
  if (o.dtype != DType::f32 && o.dtype != DType::f16 && o.dtype != DType::bf16 &&
      o.dtype != DType::u8)
    throw BuildError("to_tensor: dtype must be f32, f16, bf16 or u8, not " +
                     std::string(name_of(o.dtype)));
  const float white = o.dtype == DType::u8 ? 255.f : 1.f;
  return crop_mirror_normalize(image, {.dtype = o.dtype, .layout = o.layout, .scale = white});
}

Value<Tensor> resize_mirror_normalize(Value<Image> image, const ResizeMirrorNormalizeOptions& o) {
  return apply_operator<Tensor>(detail::resize_mirror_normalize_operator(), image, o.height,
                                o.width, o.mirror, o.mean, o.std, o.dtype, o.layout, o.scale,
                                o.shift, o.pad_output, o.interpolation, o.antialias);
}

}  // namespace sluice
