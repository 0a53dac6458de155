// The operators of draws and constants, and those that copy images and tensors to a device and
// back.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/device_batch.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

// E is BuildError for constants, and the sample's error type for values.
template <class E>
void require_range(float lo, float hi) {
  if (lo <= hi && std::isfinite(hi - lo)) return;
  throw E(fmt::format("uniform: the range from {} to {} {}", lo, hi,
                      lo <= hi ? "is wider than a float can hold; give a smaller one"
                               : "is empty; give the smaller number first"));
}

const char* const kApplyRandom = "apply_random(g, image, suite, {.n = 2, .magnitude = 9})";

float parameter_of(bool negative, int magnitude, float low, float high, bool randomly_negate,
                   int bins) {
  if (magnitude >= bins) {
    throw std::out_of_range(
        fmt::format("the magnitude is {}, but must lie between 0 and {}", magnitude, bins - 1));
  }
  const float share =
      bins == 1 ? 0.f : static_cast<float>(magnitude) / static_cast<float>(bins - 1);
  const float parameter = low + (high - low) * share;
  return randomly_negate && negative ? -parameter : parameter;
}

template <class T>
StepFunction giving(SlotId out, const T& constant) {
  return [out, constant](Sample& sample) { sample.get<T>(out) = constant; };
}

}  // namespace

const OperatorPtr& uniform_operator() {
  static const OperatorPtr op =
      declare_operator("uniform")
          .family("random")
          .summary("Draws a number uniformly from [lo, hi), or lo if they are equal.")
          .in_cpp("g.uniform(-10.f, 10.f)")
          .parameter<float>("lo", {.help = "lower bound, included"})
          .parameter<float>("hi", {.help = "upper bound, excluded"})
          .output<float>("number")
          .checks([](const Arguments& arguments) {
            const auto* lo = constant_of<float>(arguments[0]);
            const auto* hi = constant_of<float>(arguments[1]);
            if (lo != nullptr && hi != nullptr) require_range<BuildError>(*lo, *hi);
          })
          .runs([](Random& draw, float lo, float hi) {
            require_range<std::invalid_argument>(lo, hi);
            return draw.uniform(lo, hi);
          });
  return op;
}

const OperatorPtr& normal_operator() {
  static const OperatorPtr op =
      declare_operator("normal")
          .family("random")
          .summary("Draws a number from a normal distribution.")
          .in_cpp("g.normal(0.f, 1.f)")
          .parameter<float>("mean", {.help = "mean of the distribution"})
          .parameter<float>("stddev", {.low = 0, .help = "standard deviation of the distribution"})
          .output<float>("number")
          .runs([](Random& draw, float mean, float stddev) { return draw.normal(mean, stddev); });
  return op;
}

const OperatorPtr& coin_flip_operator() {
  static const OperatorPtr op =
      declare_operator("coin_flip")
          .family("random")
          .summary("Draws true with the given probability.")
          .in_cpp("g.coin_flip(0.25f)")
          .parameter<float>("probability",
                            {.value = 0.5f, .low = 0, .high = 1, .help = "probability of true"})
          .output<bool>("heads")
          .runs([](Random& draw, float probability) { return draw.unit() < probability; });
  return op;
}

const OperatorPtr& draw_operator() {
  static const OperatorPtr op =
      declare_operator("draw")
          .family("random")
          .summary("Draws one of several uniformly, and a sign, for apply_random.")
          .in_cpp(kApplyRandom)
          .constant<std::int64_t>("count",
                                  {.low = 1, .high = 4294967295.0, .help = "number of choices"})
          .output<std::int64_t>("chosen")
          .output<bool>("negative")
          .runs([](Random& draw, std::int64_t count) {
            const std::uint32_t chosen = draw.below(static_cast<std::uint32_t>(count));
            return std::tuple{static_cast<std::int64_t>(chosen), (draw.next() & 1u) != 0};
          });
  return op;
}

const OperatorPtr& magnitude_operator() {
  static const OperatorPtr op =
      declare_operator("magnitude")
          .family("random")
          .summary("Computes the parameter of an operator that apply_random has drawn.")
          .in_cpp(kApplyRandom)
          .input<bool>("negative")
          .parameter<std::int32_t>("magnitude", {.low = 0, .help = "0 to bins - 1"})
          .constant<float>("low", {.help = "the parameter at magnitude 0"})
          .constant<float>("high", {.help = "the parameter at the highest magnitude"})
          .constant<bool>("randomly_negate", {.value = false, .help = "applies the drawn sign"})
          .constant<std::int32_t>("bins", {.value = 31, .low = 1, .help = "number of magnitudes"})
          .output<float>("parameter")
          .runs(parameter_of);
  return op;
}

const OperatorPtr& constant_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema;
    schema.name = "constant";
    schema.family = "arithmetic";
    schema.summary = "Returns the same value for every sample.";
    schema.cpp = {"g.constant(0.5f)"};
    Parameter value;
    value.name = "value";
    value.type = ParameterType::any;
    value.per_sample = false;
    value.help = "a bool, number, text or rectangle";
    schema.parameters = {value};
    schema.outputs = {{"value", nullptr}};
    OperatorFunctions functions;
    functions.output_types = [](const Arguments& arguments) {
      return std::visit(
          []<class T>(const T& constant) -> std::vector<const SlotType*> {
            if constexpr (std::is_same_v<T, Number>) {
              return {slot_type_of(constant.type())};
            } else {
              return {slot_type<T>()};
            }
          },
          std::get<Constant>(arguments[0]));
    };
    functions.bind = [](const OperatorSchema&, const Call& call) {
      return std::visit(
          [out = call.outputs[0]]<class T>(const T& constant) {
            if constexpr (std::is_same_v<T, Number>) {
              return constant.visit([out](auto number) { return giving(out, number); });
            } else {
              return giving(out, constant);
            }
          },
          std::get<Constant>(call.arguments[0]));
    };
    return std::make_shared<const Operator>(std::move(schema), std::move(functions));
  }();
  return op;
}

std::vector<OperatorPtr> built_in_operators() {
  std::vector<OperatorPtr> all{
      uniform_operator(),   normal_operator(),   coin_flip_operator(), draw_operator(),
      magnitude_operator(), constant_operator(), filter_operator(),    cast_operator(),
      convert_operator(),   count_operator(),    list_operator(),      append_operator(),
      appended_operator(),  reverse_operator(),  element_operator(),   slice_operator(),
      pad_operator(),       stack_operator(),    gpu_operator(),       cpu_operator()};
  for (const char* name : {"add",          "subtract",      "multiply",    "divide",    "remainder",
                           "floor_divide", "modulo",        "power",       "minimum",   "maximum",
                           "bitwise_and",  "bitwise_or",    "bitwise_xor", "less",      "greater",
                           "less_equal",   "greater_equal", "equal",       "not_equal", "negate",
                           "absolute",     "sqrt",          "exp",         "log",       "not"})
    all.push_back(arithmetic_operator(name));
  return all;
}

namespace {

using ByteSpan = std::span<const std::uint8_t>;

// Copies between pinned memory and the device's, one for each sample.
class Copies : public StepLaunch {
 public:
  void add(void* to, const void* from, std::size_t bytes) { copies_.push_back({to, from, bytes}); }
  void clear() noexcept override { copies_.clear(); }
  void write(DeviceBatch&) override {}
  void launch(DeviceStream& stream) override {
    for (const Copy& copy : copies_) stream.copy(copy.to, copy.from, copy.bytes);
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  std::vector<Copy> copies_;
};

const Tensor& tensor_of(const Image& image) { return image.tensor(); }
const Tensor& tensor_of(const Tensor& tensor) { return tensor; }

void create_like(const Image& in, Image& out) {
  out.create(in.height(), in.width(), in.channels());
}
void create_like(const Tensor& in, Tensor& out) { out.create(in.shape(), in.dtype(), in.layout()); }
void* data_of(Image& image) { return image.data(); }
void* data_of(Tensor& tensor) { return tensor.bytes(); }

// The source of a copy: the value itself if `copy` is empty, else a copy in pinned memory.
struct Staged {
  Tensor copy;
  void release() noexcept { copy.release(); }
};

template <class T>
void stage(const T& in, Staged& out) {
  if (in.empty()) throw std::invalid_argument("the value is empty");
  const Tensor& from = tensor_of(in);
  if (from.contiguous() && from.place().kind == MemoryKind::pinned) return;
  const BufferPoolScope pinned(DeviceMemory::current().pinned);
  out.copy = from.clone();
}

template <class T>
void to_device(DeviceBatch& device_batch, const T& in, const Staged& staged, T& out) {
  create_like(in, out);
  const Tensor& from = staged.copy.empty() ? tensor_of(in) : staged.copy;
  device_batch.will_upload(from.nbytes());
  device_batch.launch_of_step<Copies>().add(data_of(out), from.bytes(), from.nbytes());
}

template <class T>
void to_host(DeviceBatch& device_batch, const T& in, T& out) {
  const Tensor& from = tensor_of(in);
  {
    const BufferPoolScope pinned(device_batch.pinned());
    create_like(in, out);
  }
  device_batch.will_download(from.nbytes());
  device_batch.launch_of_step<Copies>().add(data_of(out), from.bytes(), from.nbytes());
}

OperatorSchema schema_of(const char* name, const char* summary, MemoryKind moves_to) {
  OperatorSchema schema;
  schema.name = name;
  schema.family = "devices";
  schema.summary = summary;
  schema.inputs = {{"data", {slot_type<Image>(), slot_type<Tensor>()}}};
  if (moves_to == MemoryKind::device) {
    schema.inputs[0].types.push_back(slot_type<Bytes>());
    schema.inputs[0].types.push_back(slot_type<ByteSpan>());
  }
  schema.outputs = {{"data", nullptr}};
  schema.cpp = {moves_to == MemoryKind::device ? "image.gpu()" : "image.gpu().cpu()"};
  schema.moves_to = moves_to;
  return schema;
}

template <class T>
StepFunction staging(const Call& call) {
  const SlotId from = std::get<SlotArgument>(call.arguments[0]).slot, to = call.outputs[0];
  return [from, to](Sample& sample) {
    auto& staged = sample.get<Staged>(to);
    staged.release();
    stage(std::as_const(sample).get<T>(from), staged);
  };
}

template <class T>
StepFunction copying(const Call& call) {
  const SlotId from = std::get<SlotArgument>(call.arguments[0]).slot, to = call.outputs[0];
  if (call.arguments.size() == 1) {
    return [from, to](Sample& sample) {
      to_host(DeviceBatch::current(), std::as_const(sample).get<T>(from), sample.get<T>(to));
    };
  }
  const SlotId staged = std::get<SlotArgument>(call.arguments[1]).slot;
  return [from, staged, to](Sample& sample) {
    to_device(DeviceBatch::current(), std::as_const(sample).get<T>(from),
              std::as_const(sample).get<Staged>(staged), sample.get<T>(to));
  };
}

bool is_image(const Arguments& arguments) {
  return std::get<SlotArgument>(arguments[0]).type == slot_type<Image>();
}

// Makes the operator and its version for devices. The operator runs for files only, and just adds
// another name for the value. The device version copies images and tensors.
OperatorPtr make_move(const char* name, const char* summary, MemoryKind moves_to) {
  OperatorSchema schema = schema_of(name, summary, moves_to);
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& all) -> std::vector<const SlotType*> {
    return {std::get<SlotArgument>(all[0]).type};
  };
  functions.infer = [](const Arguments&, const std::vector<TensorSpec>& in) {
    TensorSpec spec = in[0];
    spec.place.reset();
    return std::vector<TensorSpec>{spec};
  };
  functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
    return [from = std::get<SlotArgument>(call.arguments[0]).slot,
            to = call.outputs[0]](Sample& sample) { sample.alias(to, from); };
  };
  auto op = std::make_shared<const Operator>(schema, functions);

  functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
    return is_image(call.arguments) ? copying<Image>(call) : copying<Tensor>(call);
  };
  if (moves_to == MemoryKind::device) {
    OperatorSchema before = schema;
    before.outputs = {{"staged", slot_type<Staged>()}};
    schema.inputs.push_back({"staged", {slot_type<Staged>()}});
    OperatorFunctions stages;
    stages.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return is_image(call.arguments) ? staging<Image>(call) : staging<Tensor>(call);
    };
    functions.preparation = std::make_shared<const Operator>(std::move(before), std::move(stages));
  }
  op->set_device_version(std::make_shared<const Operator>(std::move(schema), std::move(functions)));
  return op;
}

template <class T>
Value<T> moved(const OperatorPtr& op, const Value<T>& value, bool there) {
  PlanBuilder& builder = require_builder(op->name(), value);
  if (builder.plan().slots.at(value.slot()).on_device == there) return value;
  return apply_operator<T>(op, value);
}

}  // namespace

const OperatorPtr& gpu_operator() {
  static const OperatorPtr op = make_move(
      "gpu", "Moves the value to the memory of the pipeline's device.", MemoryKind::device);
  return op;
}
const OperatorPtr& cpu_operator() {
  static const OperatorPtr op =
      make_move("cpu", "Moves the value to host memory.", MemoryKind::host);
  return op;
}

template <>
Value<Image> moved_to_device(const Value<Image>& image) {
  return moved(gpu_operator(), image, true);
}
template <>
Value<Tensor> moved_to_device(const Value<Tensor>& tensor) {
  return moved(gpu_operator(), tensor, true);
}
template <>
Value<Bytes> moved_to_device(const Value<Bytes>& file) {
  return moved(gpu_operator(), file, true);
}
template <>
Value<ByteSpan> moved_to_device(const Value<ByteSpan>& file) {
  return moved(gpu_operator(), file, true);
}
template <>
Value<Image> moved_to_host(const Value<Image>& image) {
  return moved(cpu_operator(), image, false);
}
template <>
Value<Tensor> moved_to_host(const Value<Tensor>& tensor) {
  return moved(cpu_operator(), tensor, false);
}

}  // namespace sluice::detail
