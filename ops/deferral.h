// Helpers by which an image operator declares its deferred versions: see Deferral and
// ops/kernels/deferred_image.h. Part of the declarations of operators.
//
// Ownership: the versions hold a copy of the function. Threads: declare on one thread; the function
// runs on several at once. Errors: BuildError for a function that does not fit the schema.
#pragma once

#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/picture_rows.h>

#include <utility>

namespace sluice::detail {

// Returns the schema of a version that takes (`takes`) or returns (`gives`) a deferred image.
template <class Picture = kernels::DeferredImage>
OperatorSchema deferred(OperatorSchema schema, bool takes, bool gives) {
  if (takes) schema.inputs.front().types = {slot_type<Picture>()};
  if (gives) schema.outputs = {{schema.outputs.front().name, slot_type<Picture>()}};
  return schema;
}

// Returns the region of the source image that a deferred image needs.
inline const OperatorPtr& needed_region_operator() {
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
// Returns the same deferred image, based on that part of the source.
inline const OperatorPtr& take_part_operator() {
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
  deferral.begins = make_operator(deferred(schema, false, true), {},
                                  [f](const Image& in, Arguments... arguments, DeferredImage& out) {
                                    out = DeferredImage(in);
                                    f(out, arguments...);
                                  });
  deferral.goes_on =
      make_operator(deferred(schema, true, true), {},
                    [f](const DeferredImage& in, Arguments... arguments, DeferredImage& out) {
                      out = in;
                      f(out, arguments...);
                    });
  OperatorSchema region = deferred(schema, true, false);
  region.outputs = {{"region", slot_type<Rectangle>()}};
  const OperatorPtr needed =
      make_operator(std::move(region), {}, [f](const DeferredImage& in, Arguments... arguments) {
        DeferredImage picture = in;
        f(picture, arguments...);
        return picture.needed();
      });
  deferral.ends = make_end(deferred(schema, true, false), needed,
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
    deferral.ends = make_end(deferred(schema, true, false), needed_region_operator(), f);
    deferral.wants_whole = wants_whole;
    return deferral;
  };
}

}  // namespace sluice::detail
