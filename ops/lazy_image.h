// Helpers for declaring an operator whose image is described first and made later, by the last
// step of a chain. Part of the declarations of operators.
//
// Each step of a chain adds its effect to the description that the steps before it have built. The
// last step makes the image. There are two kinds of chains:
//
// DeferredImage describes regions, resizing, mirroring and lookup tables. The image is made row by
// row, and equals that of the separate steps byte for byte: see LazyForm.
//
// ComposedColors and ComposedWarp join maps of colors or coordinates to one map, which is applied
// once: see ComposeRule.
//
// Ownership: the versions hold a copy of the function and live as long as the operator. Threads:
// declare on one thread; the function runs on several at once. Errors: BuildError for a function
// that does not fit the schema.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/image_rows.h>

#include <utility>

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
void use_rows(ImageRows& rows, F f) {
  for (;;) {
    try {
      f();
      rows.end();
      return;
    } catch (const ImageRows::Restarted&) {
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
  functions.input_region = [needed = std::move(needed)](const detail::Arguments&) {
    return InputRegion{InputRegion::Of::rectangle, 0, false, needed};
  };
  functions.lazy_form.emplace().begins = take_part_operator();
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
LazyForm lazy_form_of(const OperatorSchema& schema, F f,
                      void (F::*)(kernels::DeferredImage&, Arguments...) const) {
  using kernels::DeferredImage;
  LazyForm lazy_form;
  DescribingSteps steps = describing_steps(schema, f, &F::operator());
  lazy_form.begins = std::move(steps.begins);
  lazy_form.goes_on = std::move(steps.goes_on);
  OperatorSchema region = described<DeferredImage>(schema, true, false);
  region.outputs = {{"region", slot_type<Rectangle>()}};
  const OperatorPtr needed =
      make_operator(std::move(region), {}, [f](const DeferredImage& in, Arguments... arguments) {
        DeferredImage picture = in;
        f(picture, arguments...);
        return picture.needed();
      });
  lazy_form.ends = make_end(described<DeferredImage>(schema, true, false), needed,
                            [f](const DeferredImage& in, Arguments... arguments, Image& out) {
                              DeferredImage picture = in;
                              f(picture, arguments...);
                              picture.write_to(out);
                            });
  return lazy_form;
}

// For an operator from image to image. f(DeferredImage&, arguments...) adds the operator's effect,
// and throws its errors.
template <class F>
auto defers_by(F f, bool selects = false, bool wants_whole = false) {
  return [f = std::move(f), selects, wants_whole](const OperatorSchema& schema) {
    LazyForm lazy_form = lazy_form_of(schema, f, &F::operator());
    lazy_form.selects = selects;
    lazy_form.wants_whole = wants_whole;
    return lazy_form;
  };
}

// For an operator that makes something other than an image. f is its function and takes a
// DeferredImage.
template <class F>
auto ends_deferred(F f, bool wants_whole = false) {
  return [f = std::move(f), wants_whole](const OperatorSchema& schema) {
    LazyForm lazy_form;
    lazy_form.ends = make_end(described<kernels::DeferredImage>(schema, true, false),
                              needed_region_operator(), f);
    lazy_form.wants_whole = wants_whole;
    return lazy_form;
  };
}

// Operators that compute the image from the composed colors or warp.
const OperatorPtr& composed_colors_operator();
const OperatorPtr& composed_warp_operator();

template <class F>
ComposeRule compose_rule_by(const OperatorSchema& schema, const F& f, const OperatorPtr& applies) {
  DescribingSteps steps = describing_steps(schema, f, &F::operator());
  ComposeRule compose_rule;
  compose_rule.begins = std::move(steps.begins);
  compose_rule.goes_on = std::move(steps.goes_on);
  compose_rule.applies = applies;
  return compose_rule;
}

// Declares the operator as a color map. f(ComposedColors&, arguments...) adds its effect, and
// throws its errors. `light`: it is a lookup table.
template <class F>
OperatorPtr composes_colors(OperatorPtr op, const F& f, bool light = false) {
  ComposeRule compose_rule = compose_rule_by(op->schema(), f, composed_colors_operator());
  compose_rule.light = light;
  op->set_composing(std::move(compose_rule));
  return op;
}

// Declares the operator as a warp: f(ComposedWarp&, arguments...) adds its effect. `manner` returns
// its interpolation and fill; null if it uses neither, which makes it light.
template <class F>
OperatorPtr composes_warp(OperatorPtr op, const F& f, decltype(ComposeRule::manner) manner) {
  ComposeRule compose_rule = compose_rule_by(op->schema(), f, composed_warp_operator());
  compose_rule.light = !manner;
  compose_rule.manner = std::move(manner);
  op->set_composing(std::move(compose_rule));
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

// Declares what the table does to a deferred image. For an operator that has a faster function for
// the image.
template <class... Parameters>
OperatorDeclaration& defers_by_table(const char* op, kernels::Lut (*table)(Parameters...),
                                     OperatorDeclaration& declaration) {
  return declaration.defers(
      defers_by([op, table](kernels::DeferredImage& picture, Parameters... parameters) {
        picture.check(op);
        picture.map_levels(table(parameters...));
      }));
}

// The same, and the operator's function applies the table to the image.
template <class... Parameters>
OperatorPtr runs_by_table(const char* op, kernels::Lut (*table)(Parameters...),
                          OperatorDeclaration& declaration) {
  return defers_by_table(op, table, declaration)
      .runs([op, table](const Image& in, Parameters... parameters, Image& out) {
        kernels::check_pixels(op, in);
        kernels::map_levels(in, table(parameters...), out);
      });
}

}  // namespace sluice::detail
