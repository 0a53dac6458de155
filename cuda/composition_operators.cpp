#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/kernels/blend.h>
#include <sluice/ops/kernels/paste.h>

#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;

void paste(Gather& gather, const Image& in, const Image& patch, const Image* mask,
           const kernels::PastePlace& place, Image& out) {
  kernels::check_paste(in, patch, mask, place.alpha);
  LayersJob job = layers_job(picture_in(in), picture_in(patch), create_like(in, out));
  if (mask == nullptr) {
    paste_layer(job, place);
  } else {
    paste_layer(job, place, picture_in(*mask));
  }
  gather.launch_of_step<LayersLaunch>().add(job);
}

}  // namespace

bool add_compositions() {
  add_device_version(detail::blend_operator(), [](Gather& gather, const Image& a, const Image& b,
                                                  float weight, Image& out) {
    kernels::check_blend(a, b, weight);
    LayersJob job = layers_job(picture_in(a), picture_in(b), create_like(a, out));
    blend_layers(job, weight);
    gather.launch_of_step<LayersLaunch>().add(job);
  });
  add_device_version(detail::paste_operator(),
                     [](Gather& gather, const Image& in, const Image& patch, std::int32_t y,
                        std::int32_t x, float alpha, Image& out) {
                       paste(gather, in, patch, nullptr, {y, x, alpha}, out);
                     });
  add_device_version(detail::paste_masked_operator(),
                     [](Gather& gather, const Image& in, const Image& patch, const Image& mask,
                        std::int32_t y, std::int32_t x, float alpha, Image& out) {
                       paste(gather, in, patch, &mask, {y, x, alpha}, out);
                     });
  return true;
}

}  // namespace sluice::device
