// Helpers by which an image operator declares what it does to an image that is described and not
// yet made. Part of the declarations of operators.
//
// Each step of a chain adds its effect to the description that the steps before it have built. The
// last step makes the image. There are two kinds of chains:
//
//   DeferredImage                  regions, resizing, mirroring, lookup tables: made row by row,
//   and
//                                  equal to the separate steps byte for byte: see Deferral
//   ComposedColours, ComposedWarp  maps of colors or coordinates: one map, applied once: see
//                                  Composing
//
// Ownership: the versions hold a copy of the function and live as long as the operator. Threads:
// declare on one thread; the function runs on several at once. Errors: BuildError for a function
// that does not fit the schema.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/colour.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/picture_rows.h>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {

// Returns the schema of a version that takes (`takes`) or returns (`gives`) a description.
template <class Described>
OperatorSchema described(OperatorSchema schema, bool takes, bool gives) {
  if (takes) schema.inputs.front().types = {slot_type<Described>()};
  if (gives) schema.outputs = {{schema.outputs.front().name, slot_type<Described>()}};
  return schema;
}

// The versions that make no image: the first one takes the image, the other one the description of
// the step before.
struct DescribingSteps {
  OperatorPtr begins, goes_on;
};
template <class Described, class F, class... Arguments>
DescribingSteps describing_steps(const OperatorSchema& schema, const F& f,
                                 void (F::*)(Described&, Arguments...) const) {
  return {make_operator(described<Described>(schema, false, true), {},
                        [f](const Image& in, Arguments... arguments, Described& out) {
                          out = Described(in);
                          f(out, arguments...);
                        }),
          make_operator(described<Described>(schema, true, true), {},
                        [f](const Described& in, Arguments... arguments, Described& out) {
                          out = in;
                          f(out, arguments...);
                        })};
}

// Returns the region of the source image that a deferred image needs.
const OperatorPtr& needed_region_operator();
// Returns the same deferred image, based on that part of the source.
const OperatorPtr& take_part_operator();

// Runs f, which uses the rows, to its end. Runs it again if the rows are restarted.
template <class F>
void use_rows(PictureRows& rows, F f) {
  for (;;) {
    try {
      f();
      rows.end();
      return;
    } catch (const PictureRows::Restarted&) {
    }
  }
}

// Makes the operator that ends a chain of deferred steps; its first argument is a DeferredImage. If
// it fails, even because an argument is invalid, the rows are discarded.
OperatorPtr ends_rows(OperatorSchema schema, OperatorFunctions functions, const OperatorPtr& op);

// Makes the last operator of a chain of deferred steps. `needed` returns the region that it needs.
template <class F, class... Arguments>
OperatorPtr make_end(OperatorSchema schema, OperatorPtr needed, F f,
                     void (F::*)(const kernels::DeferredImage&, Arguments...) const) {
  OperatorFunctions functions;
  functions.sight = [needed = std::move(needed)](const detail::Arguments&) {
    return Sight{Sight::Of::rectangle, 0, false, needed};
  };
  functions.deferral.emplace().begins = take_part_operator();
  const OperatorPtr op = make_operator(
      schema, {}, [f = std::move(f)](const kernels::DeferredImage& in, Arguments... arguments) {
        if (in.rows() == nullptr) {
          f(in, arguments...);
        } else {
          use_rows(*in.rows(), [&] { f(in, arguments...); });
        }
      });
  return ends_rows(std::move(schema), std::move(functions), op);
}
template <class F>
OperatorPtr make_end(OperatorSchema schema, OperatorPtr needed, F f) {
  return make_end(std::move(schema), std::move(needed), std::move(f), &F::operator());
}

template <class F, class... Arguments>
Deferral deferral_of(const OperatorSchema& schema, F f,
                     void (F::*)(kernels::DeferredImage&, Arguments...) const) {
  using kernels::DeferredImage;
  Deferral deferral;
  DescribingSteps steps = describing_steps(schema, f, &F::operator());
  deferral.begins = std::move(steps.begins);
  deferral.goes_on = std::move(steps.goes_on);
  OperatorSchema region = described<DeferredImage>(schema, true, false);
  region.outputs = {{"region", slot_type<Rectangle>()}};
  const OperatorPtr needed =
      make_operator(std::move(region), {}, [f](const DeferredImage& in, Arguments... arguments) {
        DeferredImage picture = in;
        f(picture, arguments...);
        return picture.needed();
      });
  deferral.ends = make_end(described<DeferredImage>(schema, true, false), needed,
                           [f](const DeferredImage& in, Arguments... arguments, Image& out) {
                             DeferredImage picture = in;
                             f(picture, arguments...);
                             picture.write_to(out);
                           });
  return deferral;
}

// For an operator from image to image. f(DeferredImage&, arguments...) adds the operator's effect,
// and throws its errors.
template <class F>
auto defers_by(F f, bool selects = false, bool wants_whole = false) {
  return [f = std::move(f), selects, wants_whole](const OperatorSchema& schema) {
    Deferral deferral = deferral_of(schema, f, &F::operator());
    deferral.selects = selects;
    deferral.wants_whole = wants_whole;
    return deferral;
  };
}

// For an operator that makes something other than an image. f is its function and takes a
// DeferredImage.
template <class F>
auto ends_deferred(F f, bool wants_whole = false) {
  return [f = std::move(f), wants_whole](const OperatorSchema& schema) {
    Deferral deferral;
    deferral.ends = make_end(described<kernels::DeferredImage>(schema, true, false),
                             needed_region_operator(), f);
    deferral.wants_whole = wants_whole;
    return deferral;
  };
}

// Operators that compute the image from the composed colors or warp.
const OperatorPtr& composed_colours_operator();
const OperatorPtr& composed_warp_operator();

template <class F>
Composing composing_by(const OperatorSchema& schema, const F& f, const OperatorPtr& applies) {
  DescribingSteps steps = describing_steps(schema, f, &F::operator());
  Composing composing;
  composing.begins = std::move(steps.begins);
  composing.goes_on = std::move(steps.goes_on);
  composing.applies = applies;
  return composing;
}

// Declares the operator as a color map. f(ComposedColours&, arguments...) adds its effect, and
// throws its errors. `light`: it is a lookup table.
template <class F>
OperatorPtr composes_colours(OperatorPtr op, const F& f, bool light = false) {
  Composing composing = composing_by(op->schema(), f, composed_colours_operator());
  composing.light = light;
  op->set_composing(std::move(composing));
  return op;
}

// Declares the operator as a warp: f(ComposedWarp&, arguments...) adds its effect. `manner` returns
// its interpolation and fill; null if it uses neither, which makes it light.
template <class F>
OperatorPtr composes_warp(OperatorPtr op, const F& f, decltype(Composing::manner) manner) {
  Composing composing = composing_by(op->schema(), f, composed_warp_operator());
  composing.light = !manner;
  composing.manner = std::move(manner);
  op->set_composing(std::move(composing));
  return op;
}

// Point operators: each pixel value is replaced by that of a lookup table, whatever its place and
// channel. table(parameters...) returns the table and throws the errors of invalid parameters;
// `op` is the operator's name, for the check of the image.
//
//   static const OperatorPtr op =
//       runs_by_table("solarize", kernels::solarize_table,
//                     declare_operator("solarize")
//                         .input<Image>("image")
//                         .parameter<float>("threshold", {.low = 0, .high = 256})
//                         .output<Image>("image"));

// Returns the table for an operator's arguments after the image, or none if one of them differs
// from sample to sample.
template <class... Parameters>
std::optional<kernels::LevelTable> table_of_constants(kernels::LevelTable (*table)(Parameters...),
                                                      [[maybe_unused]] const Arguments& arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->std::optional<kernels::LevelTable> {
    if (!(std::holds_alternative<Constant>(arguments.at(I + 1)) && ...)) return std::nullopt;
    return table(ConstantTraits<std::decay_t<Parameters>>::from(
        std::get<Constant>(arguments.at(I + 1)), Parameter())...);
  }
  (std::index_sequence_for<Parameters...>());
}

// Declares what the table does to a deferred image, and the table itself for constant parameters.
// For an operator that has a faster function for the image.
template <class... Parameters>
OperatorDeclaration& defers_by_table(const char* op, kernels::LevelTable (*table)(Parameters...),
                                     OperatorDeclaration& declaration) {
  return declaration
      .maps_levels(
          [table](const Arguments& arguments) { return table_of_constants(table, arguments); })
      .defers(defers_by([op, table](kernels::DeferredImage& picture, Parameters... parameters) {
        picture.check(op);
        picture.map_levels(table(parameters...));
      }));
}

// The same, and the operator's function applies the table to the image.
template <class... Parameters>
OperatorPtr runs_by_table(const char* op, kernels::LevelTable (*table)(Parameters...),
                          OperatorDeclaration& declaration) {
  return defers_by_table(op, table, declaration)
      .runs([op, table](const Image& in, Parameters... parameters, Image& out) {
        kernels::check_pixels(op, in);
        kernels::map_levels(in, table(parameters...), out);
      });
}

}  // namespace sluice::detail
