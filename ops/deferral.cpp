#include <sluice/ops/deferral.h>

#include <memory>
#include <utility>
#include <variant>

namespace sluice::detail {

OperatorPtr ends_rows(OperatorSchema schema, OperatorFunctions functions, const OperatorPtr& op) {
  functions.bind = [op](const OperatorSchema&, const Call& call) -> StepFunction {
    const SlotId picture = std::get<SlotArgument>(call.arguments.front()).slot;
    return [run = op->bind(call), picture](Sample& sample) {
      try {
        run(sample);
      } catch (...) {
        const auto& in = sample.get<kernels::DeferredImage>(picture);
        if (in.rows() != nullptr) in.rows()->discard();
        throw;
      }
    };
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

}  // namespace sluice::detail
