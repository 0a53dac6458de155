// Helpers by which an image operator declares how it composes with its neighbors into one
// operation: see Composing. Part of the declarations of operators.
//
// Ownership: the composed versions hold a copy of the function and live as long as the process.
// Threads: declare on one thread; the function runs on several at once. Errors: BuildError for a
// function that does not fit the schema.
#pragma once

#include <sluice/graph/plan/composing.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/composed_colours.h>
#include <sluice/ops/kernels/composed_warp.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::detail {

// Operators that compute the image from the composed colors or warp.
const OperatorPtr& composed_colours_operator();
const OperatorPtr& composed_warp_operator();

template <class Map, class F, class... As>
Composing composing_by(const OperatorSchema& schema, const F& f, void (F::*)(Map&, As...) const) {
  Composing composing;
  composing.begins = make_operator(deferred<Map>(schema, false, true), {},
                                   [f](const Image& in, As... arguments, Map& out) {
                                     out = Map(in);
                                     f(out, arguments...);
                                   });
  composing.goes_on = make_operator(deferred<Map>(schema, true, true), {},
                                    [f](const Map& in, As... arguments, Map& out) {
                                      out = in;
                                      f(out, arguments...);
                                    });
  return composing;
}

// Declares the operator as a color map. f(ComposedColours&, arguments...) adds its effect, and
// throws its errors. `light`: it is a lookup table.
template <class F>
OperatorPtr composes_colours(OperatorPtr op, const F& f, bool light = false) {
  Composing composing = composing_by(op->schema(), f, &F::operator());
  composing.applies = composed_colours_operator();
  composing.light = light;
  keep_composing(op, std::move(composing));
  return op;
}

// Declares the operator as a warp: f(ComposedWarp&, arguments...) adds its effect. `manner` returns
// its interpolation and fill; null if it uses neither, which makes it light.
template <class F>
OperatorPtr composes_warp(OperatorPtr op, const F& f, decltype(Composing::manner) manner) {
  Composing composing = composing_by(op->schema(), f, &F::operator());
  composing.applies = composed_warp_operator();
  composing.light = !manner;
  composing.manner = std::move(manner);
  keep_composing(op, std::move(composing));
  return op;
}

}  // namespace sluice::detail
