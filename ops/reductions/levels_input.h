// The input of operators that reduce images and tensors to a number: either of them, as a tensor.
// For operators only.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <vector>

namespace sluice::detail {

// An input that is an Image or a Tensor; refers to the sample's.
struct Levels {
  const Tensor& tensor;
};
template <>
struct InputTraits<Levels> {
  static std::vector<const SlotType*> types() { return {slot_type<Image>(), slot_type<Tensor>()}; }
  static Levels of(const Sample& sample, const SlotArgument& from) {
    return {from.type == slot_type<Image>() ? sample.get<Image>(from.slot).tensor()
                                            : sample.get<Tensor>(from.slot)};
  }
};

}  // namespace sluice::detail
