// Helpers for declaring operators that can be deferred or composed. A chain of such operators
// describes its image first, and the last one computes it.
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
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/image_rows.h>

#include <utility>

namespace sluice::detail {

// Returns the schema of a version that takes a description instead of the image.
template <class Described>
OperatorSchema taking(OperatorSchema schema) {
  schema.inputs.front().types = {slot_type<Described>()};
  return schema;
}
// Returns the schema of a version that returns a description instead of the operator's output.
template <class Described>
OperatorSchema returning(OperatorSchema schema) {
  schema.outputs = {{schema.outputs.front().name, slot_type<Described>()}};
  return schema;
}

// Returns the versions that make no image. f(Described&, arguments...) adds the operator's effect
// to the description, and throws its errors.
template <class Described, class F, class... Arguments>
LazySteps lazy_steps(const OperatorSchema& schema, const F& f,
                     void (F::*)(Described&, Arguments...) const) {
  return {make_operator(returning<Described>(schema), {},
                        [f](const Image& in, Arguments... arguments, Described& out) {
                          out = Described(in);
                          f(out, arguments...);
                        }),
          make_operator(taking<Described>(returning<Described>(schema)), {},
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

// Returns an operator that runs `op`, the end of a chain of deferred steps. Its first argument is a
// DeferredImage. If it fails, even because an argument is invalid, it discards the image's rows.
OperatorPtr discarding_rows_on_error(OperatorSchema schema, OperatorFunctions functions,
                                     const OperatorPtr& op);

// Makes the last operator of a chain of deferred steps. `needed` returns the region that it needs.
template <class F, class... Arguments>
OperatorPtr make_end(OperatorSchema schema, OperatorPtr needed, F f,
                     void (F::*)(const kernels::DeferredImage&, Arguments...) const) {
  OperatorFunctions functions;
  functions.input_region = [needed = std::move(needed)](const detail::Arguments&) {
    return InputRegion{InputRegion::Of::rectangle, 0, false, needed};
  };
  functions.lazy_form.emplace().narrow = take_part_operator();
  const OperatorPtr op = make_operator(
      schema, {}, [f = std::move(f)](const kernels::DeferredImage& in, Arguments... arguments) {
        if (in.rows() == nullptr) {
          f(in, arguments...);
        } else {
          use_rows(*in.rows(), [&] { f(in, arguments...); });
        }
      });
  return discarding_rows_on_error(std::move(schema), std::move(functions), op);
}
template <class F>
OperatorPtr make_end(OperatorSchema schema, OperatorPtr needed, F f) {
  return make_end(std::move(schema), std::move(needed), std::move(f), &F::operator());
}

template <class F, class... Arguments>
LazyForm lazy_form_of(const OperatorSchema& schema, F f,
                      void (F::*)(kernels::DeferredImage&, Arguments...) const) {
  using kernels::DeferredImage;
  LazyForm lazy_form{lazy_steps(schema, f, &F::operator())};
  OperatorSchema region = taking<DeferredImage>(schema);
  region.outputs = {{"region", slot_type<Rectangle>()}};
  const OperatorPtr needed =
      make_operator(std::move(region), {}, [f](const DeferredImage& in, Arguments... arguments) {
        DeferredImage image = in;
        f(image, arguments...);
        return image.needed();
      });
  lazy_form.ends = make_end(taking<DeferredImage>(schema), needed,
                            [f](const DeferredImage& in, Arguments... arguments, Image& out) {
                              DeferredImage image = in;
                              f(image, arguments...);
                              image.write_to(out);
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
    lazy_form.ends = make_end(taking<kernels::DeferredImage>(schema), needed_region_operator(), f);
    lazy_form.wants_whole = wants_whole;
    return lazy_form;
  };
}

// Operators that compute the image from the composed colors or warp.
const OperatorPtr& composed_colors_operator();
const OperatorPtr& composed_warp_operator();

// For an operator on colors. f(ComposedColors&, arguments...) adds its effect, and throws its
// errors. `light`: the operator is cheap alone, such as a lookup table: see ComposeRule.
template <class F>
auto composes_colors(F f, bool light = false) {
  return [f = std::move(f), light](const OperatorSchema& schema) {
    ComposeRule rule{lazy_steps(schema, f, &F::operator())};
    rule.applies = composed_colors_operator();
    rule.light = light;
    return rule;
  };
}

// For a warp. f(ComposedWarp&, arguments...) adds its effect, and throws its errors. `manner`
// returns the settings that must agree in a chain: interpolation, border, fill. If it is null, the
// operator uses none and counts as light.
template <class F>
auto composes_warp(F f, decltype(ComposeRule::manner) manner) {
  return [f = std::move(f), manner = std::move(manner)](const OperatorSchema& schema) {
    ComposeRule rule{lazy_steps(schema, f, &F::operator())};
    rule.applies = composed_warp_operator();
    rule.light = !manner;
    rule.manner = manner;
    return rule;
  };
}

}  // namespace sluice::detail
