// How operators on pictures say what they do as one of several in a row: see Deferral and
// ops/kernels/deferred_image.h. Part of the declarations of operators.
//
// Ownership: the versions have a copy of the function. Threads: declare on one; the function runs
// on several at once. Errors: BuildError for a function that does not fit the schema.
#pragma once

#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/picture_rows.h>

#include <utility>

namespace sluice::detail {

// The schema of a version of the operator that takes, and perhaps gives, a picture that has not
// been made.
template <class Picture = kernels::DeferredImage>
OperatorSchema deferred(OperatorSchema schema, bool takes, bool gives) {
  if (takes) schema.inputs.front().types = {slot_type<Picture>()};
  if (gives) schema.outputs = {{schema.outputs.front().name, slot_type<Picture>()}};
  return schema;
}

// Of a picture that has not been made: what must be there of the picture that it is made of.
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
// The same picture, made of that part.
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

// Runs f, which uses the rows, to its end.
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

// Its first argument is a DeferredImage. Where it fails, be it that an argument is refused, nobody
// wants the rows any more.
OperatorPtr ends_rows(OperatorSchema schema, OperatorFunctions functions, const OperatorPtr& op);

// What the last of a row does, and what it must have for that: `needed` says which rectangle.
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

// Of an operator from picture to picture. f(DeferredImage&, arguments...) adds what the operator
// does, and throws what it throws.
template <class F>
auto defers_by(F f, bool selects = false, bool wants_whole = false) {
  return [f = std::move(f), selects, wants_whole](const OperatorSchema& schema) {
    Deferral deferral = deferral_of(schema, f, &F::operator());
    deferral.selects = selects;
    deferral.wants_whole = wants_whole;
    return deferral;
  };
}

// Of an operator that makes something else of a picture. f is its function, which takes a
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
