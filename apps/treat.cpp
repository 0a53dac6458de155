#include "treat.h"

#include "annotations.h"
#include "saved.h"
#include <sluice/graph/graph.h>
#include <sluice/io/jpeg/encode.h>

#include <cstdint>
#include <utility>

namespace sluice::app {
namespace {

Value<Beside> beside_of(Graph& g, const Made& made) {
  if (made.boxes.valid()) {
    return g.map(
        "note_boxes",
        [](const Tensor& boxes, const Tensor& labels) {
          Beside beside{.has_boxes = true};
          const float* const sides = boxes.data<float>();
          beside.boxes.assign(sides, sides + boxes.elements());
          const std::int64_t* const numbers = labels.data<std::int64_t>();
          beside.labels.assign(numbers, numbers + labels.elements());
          return beside;
        },
        made.boxes, made.labels);
  }
  if (made.mask.valid()) {
    return g.map(
        "encode_png", [](const Image& mask) { return Beside{.mask = write_mask(mask)}; },
        made.mask);
  }
  return g.map(
      "nothing_beside", [](const Treatment&) { return Beside(); }, made.treatment);
}

}  // namespace

Treated treat(Graph& g, Recipe recipe, const RecipeSize& size, const SavedPlan* plan,
              const Given& given, bool on_device, std::function<void()> encoded) {
  const Made made =
      plan != nullptr ? made_by(g, *plan, given) : apply(g, recipe, given, size, on_device);
  const auto jpeg = g.map(
      "encode_jpeg",
      [encoded = std::move(encoded)](const Image& picture) {
        Bytes file = encode_jpeg(picture, {.quality = 90});
        encoded();
        return file;
      },
      made.picture);
  return {jpeg, made.treatment, beside_of(g, made)};
}

}  // namespace sluice::app
