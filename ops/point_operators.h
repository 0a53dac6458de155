// Point operators: replace each pixel value by its entry in a lookup table, independently of
// position and channel. Such an operator is declared by a function that returns the table for its
// parameters. The function for one image, the fused form and the version for devices follow from
// the table.
//
// To add one, declare it with runs_by_table(), and add it to for_each_point_operator():
//
//   static const OperatorPtr op =
//       runs_by_table(kernels::solarize_table,
//                     declare_operator("solarize")
//                         .input<Image>("image")
//                         .parameter<float>("threshold", {.low = 0, .high = 256})
//                         .output<Image>("image"));
//
// Ownership: operators live until the program ends. Threads: declare on one thread. Errors: a table
// function throws std::invalid_argument for invalid parameters, which is the sample's error.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/color.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/runtime/image.h>

namespace sluice::detail {

// Declares only the deferred form. Use it for an operator with its own `.runs()`, such as `invert`.
template <class... Parameters>
OperatorDeclaration& defers_by_table(kernels::Lut (*table)(Parameters...),
                                     OperatorDeclaration& declaration) {
  return declaration.defers(defers_by(
      [op = declaration.name(), table](kernels::DeferredImage& image, Parameters... parameters) {
        image.check(op.c_str());
        image.map_levels(table(parameters...));
      }));
}

// The same, and the operator's function applies the table to the image.
template <class... Parameters>
OperatorPtr runs_by_table(kernels::Lut (*table)(Parameters...), OperatorDeclaration& declaration) {
  return defers_by_table(table, declaration)
      .runs(
          [op = declaration.name(), table](const Image& in, Parameters... parameters, Image& out) {
            kernels::check_pixels(op.c_str(), in);
            kernels::map_levels(in, table(parameters...), out);
          });
}

// Calls visit(op, table) for each point operator.
template <class Visit>
void for_each_point_operator(const Visit& visit) {
  visit(brightness_contrast_operator(), kernels::brightness_contrast_table);
  visit(gamma_correction_operator(), kernels::gamma_correction_table);
  visit(invert_operator(), kernels::invert_table);
  visit(lookup_table_operator(), kernels::rounded_table);
  visit(posterize_operator(), kernels::posterize_table);
  visit(solarize_operator(), kernels::solarize_table);
}

}  // namespace sluice::detail
