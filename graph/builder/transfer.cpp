// The operators that copy images and tensors to a device and back.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/graph/builder/recorder.h>
#include <sluice/graph/plan/gather.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

using ByteSpan = std::span<const std::uint8_t>;

// Copies between pinned memory and the device's, one for each sample.
class Copies : public StepLaunch {
 public:
  void add(void* to, const void* from, std::size_t bytes) { copies_.push_back({to, from, bytes}); }
  void clear() noexcept override { copies_.clear(); }
  void write(Gather&) override {}
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
void to_device(Gather& gather, const T& in, const Staged& staged, T& out) {
  create_like(in, out);
  const Tensor& from = staged.copy.empty() ? tensor_of(in) : staged.copy;
  gather.will_upload(from.nbytes());
  gather.launch_of_step<Copies>().add(data_of(out), from.bytes(), from.nbytes());
}

template <class T>
void to_host(Gather& gather, const T& in, T& out) {
  const Tensor& from = tensor_of(in);
  {
    const BufferPoolScope pinned(gather.pinned());
    create_like(in, out);
  }
  gather.will_download(from.nbytes());
  gather.launch_of_step<Copies>().add(data_of(out), from.bytes(), from.nbytes());
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
      to_host(Gather::current(), std::as_const(sample).get<T>(from), sample.get<T>(to));
    };
  }
  const SlotId staged = std::get<SlotArgument>(call.arguments[1]).slot;
  return [from, staged, to](Sample& sample) {
    to_device(Gather::current(), std::as_const(sample).get<T>(from),
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
  keep_device_version(std::make_shared<const Operator>(std::move(schema), std::move(functions)));
  return op;
}

template <class T>
Value<T> moved(const OperatorPtr& op, const Value<T>& value, bool there) {
  Recorder& recorder = require_recorder(op->name(), value);
  if (recorder.plan().slots.at(value.slot()).on_device == there) return value;
  return apply_operator<T>(op, value);
}

}  // namespace

const OperatorPtr& gpu_operator() {
  static const OperatorPtr op =
      make_move("gpu", "The same in the memory of the pipeline's device.", MemoryKind::device);
  return op;
}
const OperatorPtr& cpu_operator() {
  static const OperatorPtr op =
      make_move("cpu", "The same in the memory of the host.", MemoryKind::host);
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
