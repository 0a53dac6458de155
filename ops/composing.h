// How operators on pictures say what they do as one of several in a row that become one: see
// Composing. Part of the declarations of operators.
//
// Ownership: the versions have a copy of the function, and are kept for as long as the process.
// Threads: declare on one; the function runs on several at once. Errors: BuildError for a function
// that does not fit the schema.
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

// They make the picture.
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

// The operator, a map of colours. f(ComposedColours&, arguments...) adds what it does, and throws
// what it throws. `light`: it is a table of levels.
template <class F>
OperatorPtr composes_colours(OperatorPtr op, const F& f, bool light = false) {
  Composing composing = composing_by(op->schema(), f, &F::operator());
  composing.applies = composed_colours_operator();
  composing.light = light;
  keep_composing(op, std::move(composing));
  return op;
}

// The operator, a map of places, by f(ComposedWarp&, arguments...). `manner` says how it
// interpolates and fills; null: it does neither, and is light.
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
