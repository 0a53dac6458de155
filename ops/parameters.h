// Inputs and parameters that several operators share: fills, warps, resize filters, random areas,
// image sizes, JPEG files, images as tensors. Internal to the declarations of operators.
//
// Ownership: a JpegFile and Levels refer to the sample's value. Threads: declare on one thread;
// inputs are read on several at once. Errors: BuildError for constants that do not fit together.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {

// A fill as four number parameters of an operator; fill_of converts it back.
using FillNumbers = std::array<float, 4>;

inline Param<FillNumbers> numbers_of_fill(const Param<Fill>& fill) {
  if (!fill.is_constant()) return fill.value();
  const Fill& levels = fill.constant();
  return FillNumbers{static_cast<float>(levels[0]), static_cast<float>(levels[1]),
                     static_cast<float>(levels[2]), static_cast<float>(levels[3])};
}
inline ParameterOptions<FillNumbers> fill_option(const char* help) {
  return {.value = FillNumbers{}, .low = 0, .high = 255, .help = help, .per_channel = true};
}

// Returns how a warp interpolates and fills, for ComposeRule. The fill is included only if it is
// used; the result is empty if it differs per sample.
inline std::optional<std::vector<Constant>> warp_manner(const Argument& interpolation,
                                                        const Argument& border,
                                                        const Argument& fill) {
  std::vector<Constant> manner{std::get<Constant>(interpolation), std::get<Constant>(border)};
  if (manner.back() != Constant(std::string(name_of(Border::constant)))) return manner;
  const auto* color = std::get_if<Constant>(&fill);
  if (color == nullptr) return std::nullopt;
  manner.push_back(*color);
  return manner;
}
// For operators whose last parameters are those of with_warp_options().
inline std::optional<std::vector<Constant>> last_warp_manner(const Arguments& arguments) {
  const std::size_t end = arguments.size();
  return warp_manner(arguments.at(end - 3), arguments.at(end - 2), arguments.at(end - 1));
}

inline std::vector<Interpolation> warp_interpolations() {
  return {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic};
}

// Adds the parameters that most warps share: how source positions become pixel values.
inline OperatorDeclaration with_warp_options(OperatorDeclaration declaration) {
  declaration
      .choice("interpolation", Interpolation::bilinear, warp_interpolations(),
              "how values between pixels are computed")
      .choice("border", Border::constant, {Border::constant, Border::edge},
              "pixels without a source get the fill or the nearest pixel")
      .parameter("fill", fill_option("color for border = constant, for each channel"));
  return declaration;
}

// Adds the numbers of a random elastic displacement field.
inline OperatorDeclaration& add_elastic_options(OperatorDeclaration& declaration) {
  return declaration
      .parameter<float>("alpha", {.value = 50.f,
                                  .low = 0,
                                  .high = double{kernels::kLargestElasticAlpha},
                                  .help = "twice the largest shift before smoothing, in pixels"})
      .parameter<float>("sigma",
                        {.value = 5.f,
                         .low = 0,
                         .high = double{kernels::kLargestElasticSigma},
                         .help = "sigma of the Gaussian that smooths the shifts, in pixels"});
}

// Options of a margin in pixels.
inline ParameterOptions<std::int32_t> margin_option(const char* help) {
  return {.value = 0, .low = 0, .high = 65535, .help = help};
}

inline ParameterOptions<float> a_number(float otherwise, const char* help) {
  return {.value = otherwise, .help = help};
}

// Adds the matrix from an output pixel to its source position; warp_perspective's has more entries.
inline OperatorDeclaration& add_matrix(OperatorDeclaration& declaration) {
  return declaration.parameter("xx", a_number(1, "factor of x in the mapped x"))
      .parameter("xy", a_number(0, "factor of y in the mapped x"))
      .parameter("x0", a_number(0, "constant of the mapped x"))
      .parameter("yx", a_number(0, "factor of x in the mapped y"))
      .parameter("yy", a_number(1, "factor of y in the mapped y"))
      .parameter("y0", a_number(0, "constant of the mapped y"));
}
// Adds the matrix of warp_perspective.
inline OperatorDeclaration& add_perspective_matrix(OperatorDeclaration& declaration) {
  return add_matrix(declaration)
      .parameter("wx", a_number(0, "factor of x in the divisor of both"))
      .parameter("wy", a_number(0, "factor of y in the divisor of both"))
      .parameter("w0", a_number(1, "constant of the divisor of both"));
}

// Adds the x and y of four corners, with names that begin with `which`.
inline OperatorDeclaration& add_corners(OperatorDeclaration& declaration, const std::string& which,
                                        const char* help) {
  constexpr double kFar = 1e6;
  for (const char* corner : {"top_left", "top_right", "bottom_right", "bottom_left"}) {
    for (const char* axis : {"x", "y"}) {
      declaration.parameter<float>(which + "_" + corner + "_" + axis,
                                   {.low = -kFar, .high = kFar, .help = help});
    }
  }
  return declaration;
}

// Options of an output side; 0 stands for the input's.
inline ParameterOptions<std::int32_t> warped_size() {
  return {.value = 0,
          .optional = true,
          .low = 1,
          .high = 65535,
          .help = "side of the result, in pixels; default: the input's"};
}

inline kernels::WarpOptions warp_options(Interpolation interpolation, Border border,
                                         const FillNumbers& fill) {
  return {interpolation, border, fill_of(fill)};
}

// Adds two parameters of operators that resize: the Interpolation, and whether to antialias.
inline OperatorDeclaration& add_resize_filter(OperatorDeclaration& declaration) {
  return declaration
      .choice("interpolation", Interpolation::bilinear,
              {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
               Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos},
              "how values between pixels are computed")
      .constant<bool>(
          "antialias",
          {.value = true,
           .help = "averages all source pixels when downscaling, not only the nearest ones"});
}

// Adds the sizes, the region of interest and the filter of resize, with their checks; they follow
// the only input. Defined in geometry.cpp.
OperatorDeclaration& add_resize_options(OperatorDeclaration& declaration);

// Adds min_area, max_area, min_ratio and max_ratio, the constants of operators that draw random
// rectangles. `usual` has the defaults; `ratio_help` says which ratio it is.
template <class Options>
OperatorDeclaration& add_area_and_ratio(OperatorDeclaration& declaration, const Options& usual,
                                        const char* ratio_help) {
  const auto area = [](float value) {
    return ParameterOptions<float>{.value = value,
                                   .low = 0,
                                   .high = 1,
                                   .low_open = true,
                                   .help = "fraction of the image's area"};
  };
  const auto ratio = [&](float value) {
    return ParameterOptions<float>{.value = value, .low = 0, .low_open = true, .help = ratio_help};
  };
  return declaration.constant("min_area", area(usual.min_area))
      .constant("max_area", area(usual.max_area))
      .constant("min_ratio", ratio(usual.min_ratio))
      .constant("max_ratio", ratio(usual.max_ratio));
}

// Throws BuildError unless these four constants, which begin at argument `first`, are in order.
inline void check_area_and_ratio(const std::string& op, const Arguments& arguments,
                                 std::size_t first) {
  const auto number = [&](std::size_t i) { return *constant_of<float>(arguments.at(first + i)); };
  const auto in_order = [&](const char* name, float low, float high) {
    if (low <= high) return;
    throw BuildError(op + ": min_" + name + " is " + std::to_string(low) +
                     ", which is more than max_" + name + ", " + std::to_string(high));
  };
  in_order("area", number(0), number(1));
  in_order("ratio", number(2), number(3));
}

// Adds the size of the image that boxes and points belong to. With `from` unset, it is the size of
// the image that they move to.
inline OperatorDeclaration& add_size(OperatorDeclaration& declaration,
                                     const std::string& prefix = "", bool from = true) {
  constexpr int kMost = 65535;
  const std::string of = from ? " of the image, in pixels" : " of the resized image, in pixels";
  return declaration
      .parameter<std::int32_t>(prefix + "height", {.low = 1, .high = kMost, .help = "height" + of})
      .parameter<std::int32_t>(prefix + "width", {.low = 1, .high = kMost, .help = "width" + of});
}

// An input of type Bytes or span of bytes, converted to Bytes.
class JpegFile {
 public:
  explicit JpegFile(const Bytes& file) : file_(&file) {}
  explicit JpegFile(ByteSpan file) : view_(Bytes::view_of(file)) {}
  const Bytes& bytes() const { return file_ != nullptr ? *file_ : view_; }

 private:
  const Bytes* file_ = nullptr;
  Bytes view_;
};
template <>
struct InputTraits<JpegFile> {
  static std::vector<const SlotType*> types() {
    return {slot_type<Bytes>(), slot_type<ByteSpan>()};
  }
  static JpegFile of(const Sample& sample, const SlotArgument& from) {
    if (from.type == slot_type<ByteSpan>()) return JpegFile(sample.get<ByteSpan>(from.slot));
    return JpegFile(sample.get<Bytes>(from.slot));
  }
};

// Declares the fields of JpegOptions as parameters, in their order. The operator's function takes
// them one by one.
void declare_jpeg_options(OperatorDeclaration& declaration);
// Returns the names of the events for how an image was read: "index_damaged", "on_device" and
// "on_engines".
std::vector<std::string> jpeg_events();

// Counts how the image was read as an event of the step. Messages of a tolerant decoder become
// warnings about the sample. So do problems with an index, but only once per step, since they may
// concern every file.
void note_report(SampleNotes& notes, const JpegReport& report);
// Notes that a device reads the image.
void note_on_device(SampleNotes& notes);
// Notes that a device's JPEG engines read the image.
void note_on_engines(SampleNotes& notes);

// An input that is an Image or a Tensor; refers to the sample's.
struct Levels {
  const Tensor& tensor;
};
template <>
struct InputTraits<Levels> {
  static std::vector<const SlotType*> types() { return {slot_type<Image>(), slot_type<Tensor>()}; }
  static Levels of(const Sample& sample, const SlotArgument& from) {
    return {from.type == slot_type<Image>() ? sample.get<Image>(from.slot).tensor()
                                            : sample.get<Tensor>(from.slot)};
  }
};

}  // namespace sluice::detail
