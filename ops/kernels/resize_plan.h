// What a resize makes of a picture: which part of it, and in which size.
//
// Sizes that are not given follow from the part that is shown. Roundings are to nearest, but for
// `shorter`, whose longer side is cut off as torchvision does it. DALI's modes, without its shift
// of the part by less than a pixel (subpixel_scale).
//
// Errors: std::invalid_argument for a part that is empty or reaches beyond the picture. A size may
// come out that is not possible: whoever resizes says so. Threads: any.
#pragma once

#include <sluice/ops/kernels/crop_regions.h>
#include <sluice/ops/kernels/resize.h>

#include <cstdint>

namespace sluice {

// What height and width ask for.
//  - as_given: those sizes; one that is not given follows, so that the shape is kept.
//  - stretch: those sizes; one that is not given stays as it is.
//  - not_larger: the largest size of the same shape that exceeds neither.
//  - not_smaller: the smallest size of the same shape that falls short of neither.
enum class ResizeMode : std::uint8_t { as_given, stretch, not_larger, not_smaller };
const char* name_of(ResizeMode mode);

}  // namespace sluice

namespace sluice::kernels {

// Numbers that are 0 are not given.
struct ResizeRequest {
  int height = 0, width = 0;
  int shorter = 0;  // in place of them
  ResizeMode mode = ResizeMode::as_given;
  int max_size = 0;  // of either side
  // The part of the picture, in pixels or, if `relative`, as a share of its sides; without an end,
  // up to that of the picture.
  float roi_start_y = 0, roi_start_x = 0;
  float roi_end_y = 0, roi_end_x = 0;
  bool roi_relative = false;
};

struct ResizePlan {
  Box box;
  ImageSize size;
};
ResizePlan plan_resize(const ResizeRequest& request, int height, int width);

}  // namespace sluice::kernels
