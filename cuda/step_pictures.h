// Describes the images of a sample as kernels need them, for the device versions of operators in
// cuda/. The outputs of a step are created first.
//
// Ownership: none. Threads and errors: as Gather says.
#pragma once

#include <sluice/cuda/kernels/picture.h>
#include <sluice/cuda/launches.h>
#include <sluice/graph/plan/gather.h>
#include <sluice/runtime/image.h>

namespace sluice::device {

inline PixelsIn pixels_of(const Image& in) { return hwc_pixels(in.channels(), in.row_stride()); }

inline PictureIn picture_in(const Image& in) {
  return {in.data(), in.row_stride(), in.height(), in.width(), in.channels()};
}
inline PictureOut picture_out(Image& out) {
  return {out.data(), out.height(), out.width(), out.channels()};
}
inline PictureOut create_like(const Image& in, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  return picture_out(out);
}

inline void add_pixels(detail::Gather& gather, PixelsJob job, const Image& in, void* out) {
  place_pixels(job, in.data(), out);
  gather.launch_of_step<PixelsLaunch>().add(job);
}

// Adds a job that copies `what` of the image, as an image of this size.
inline void move_pixels(detail::Gather& gather, const Image& in, const PixelsIn& what, int height,
                        int width, const Levels& levels, Image& out) {
  out.create(height, width, in.channels());
  PixelsOut to = pixels_out(height, width, in.channels());
  to.levels = levels;
  add_pixels(gather, pixels_job(what, to), in, out.data());
}

}  // namespace sluice::device
