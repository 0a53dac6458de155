#include <sluice/ops/lazy_image.h>

#include <memory>
#include <utility>
#include <variant>

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

const OperatorPtr& needed_region_operator() {
  using kernels::DeferredImage;
  static const OperatorPtr op = [] {
    OperatorSchema schema;
    schema.name = "needed_region";
    schema.inputs = {{"image", {slot_type<DeferredImage>()}}};
    schema.outputs = {{"region", slot_type<Rectangle>()}};
    return make_operator(std::move(schema), {},
                         [](const DeferredImage& in) { return in.needed(); });
  }();
  return op;
}

const OperatorPtr& take_part_operator() {
  using kernels::DeferredImage;
  static const OperatorPtr op = [] {
    OperatorSchema schema;
    schema.name = "take_part";
    schema.inputs = {{"image", {slot_type<DeferredImage>()}},
                     {"part", {slot_type<Image>()}},
                     {"region", {slot_type<Rectangle>()}}};
    schema.outputs = {{"image", slot_type<DeferredImage>()}};
    return make_operator(std::move(schema), {},
                         [](const DeferredImage& in, const Image& part, const Rectangle& region,
                            DeferredImage& out) {
                           out = in;
                           out.take_part(part, region);
                         });
  }();
  return op;
}

OperatorPtr discarding_rows_on_error(OperatorSchema schema, OperatorFunctions functions,
                                     const OperatorPtr& op) {
  functions.bind = [op](const OperatorSchema&, const Call& call) -> StepFunction {
    const SlotId image = std::get<SlotArgument>(call.arguments.front()).slot;
    return [run = op->bind(call), image](Sample& sample) {
      try {
        run(sample);
      } catch (...) {
        const auto& in = sample.get<kernels::DeferredImage>(image);
        if (in.rows() != nullptr) in.rows()->discard();
        throw;
      }
    };
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

const OperatorPtr& composed_colors_operator() {
  using kernels::ComposedColors;
  static const OperatorPtr op =
      make_operator(schema_of<ComposedColors>("composed_colors"), {},
                    [](const ComposedColors& map, Image& out) { map.write_to(out); });
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
