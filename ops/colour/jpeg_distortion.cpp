#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/jpeg_distortion.h>

#include <cstdint>

namespace sluice {

const detail::OperatorPtr& detail::jpeg_distortion_operator() {
  static const OperatorPtr op =
      declare_operator("jpeg_distortion")
          .family("colour")
          .summary("As after having been a JPEG file.")
          .in_cpp("jpeg_distortion(image, 20)")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "quality",
              {.value = 50, .low = 1, .high = 100, .help = "of the file; 100 is the best"})
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t quality, Image& out) {
            kernels::jpeg_distortion(in, quality, out);
          });
  return op;
}

Value<Image> jpeg_distortion(Value<Image> image, Param<int> quality) {
  return apply_operator<Image>(detail::jpeg_distortion_operator(), image, quality);
}

}  // namespace sluice
