#include <sluice/ops/composing.h>

namespace sluice::detail {
namespace {

template <class Map>
OperatorSchema schema_of(const char* name) {
  OperatorSchema schema;
  schema.name = name;
  schema.inputs = {{"map", {slot_type<Map>()}}};
  schema.outputs = {{"image", slot_type<Image>()}};
  return schema;
}

}  // namespace

const OperatorPtr& composed_colours_operator() {
  using kernels::ComposedColours;
  static const OperatorPtr op =
      make_operator(schema_of<ComposedColours>("composed_colours"), {},
                    [](const ComposedColours& map, Image& out) { map.write_to(out); });
  return op;
}

const OperatorPtr& composed_warp_operator() {
  using kernels::ComposedWarp;
  static const OperatorPtr op =
      make_operator(schema_of<ComposedWarp>("composed_warp"), {},
                    [](const ComposedWarp& map, Image& out) { map.write_to(out); });
  return op;
}

}  // namespace sluice::detail
