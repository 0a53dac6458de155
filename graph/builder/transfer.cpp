// The operators that copy pictures and tensors to a device, and back.
#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/graph/builder/recorder.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
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
  // `staging`: what is copied from, where it is the gather's own.
  void add(void* to, const void* from, std::size_t bytes, Tensor staging = {}) {
    copies_.push_back({to, from, bytes, std::move(staging)});
  }
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
    Tensor staging;
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

template <class T>
void to_device(Gather& gather, const T& in, T& out) {
  if (in.empty()) throw std::invalid_argument("the value is empty");
  create_like(in, out);
  const Tensor& from = tensor_of(in);
  Copies& copies = gather.launch_of_step<Copies>();
  gather.will_upload(from.nbytes());
  if (from.contiguous() && from.place().kind == MemoryKind::pinned) {
    copies.add(data_of(out), from.bytes(), from.nbytes());
    return;
  }
  const BufferPoolScope pinned(gather.pinned());
  Tensor staging = from.clone();
  const std::byte* const at = staging.bytes();
  copies.add(data_of(out), at, from.nbytes(), std::move(staging));
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

template <class T, class F>
std::function<void(Sample&)> bound(const Call& call, F copy) {
  const SlotId from = std::get<SlotArgument>(call.arguments[0]).slot, to = call.outputs[0];
  return [from, to, copy](Sample& sample) {
    copy(Gather::current(), std::as_const(sample).get<T>(from), sample.get<T>(to));
  };
}

OperatorPtr make_move(const char* name, const char* summary, MemoryKind moves_to) {
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& all) -> std::vector<const SlotType*> {
    return {std::get<SlotArgument>(all[0]).type};
  };
  functions.infer = [](const Arguments&, const std::vector<TensorSpec>& in) {
    TensorSpec spec = in[0];
    spec.place.reset();
    return std::vector<TensorSpec>{spec};
  };
  const bool there = moves_to == MemoryKind::device;
  functions.bind = [there](const OperatorSchema&,
                           const Call& call) -> std::function<void(Sample&)> {
    const SlotArgument from = std::get<SlotArgument>(call.arguments[0]);
    const bool image = from.type == slot_type<Image>();
    if (!image && from.type != slot_type<Tensor>()) {
      return [from = from.slot, to = call.outputs[0]](Sample& sample) { sample.alias(to, from); };
    }
    if (there) {
      return image ? bound<Image>(call, to_device<Image>) : bound<Tensor>(call, to_device<Tensor>);
    }
    return image ? bound<Image>(call, to_host<Image>) : bound<Tensor>(call, to_host<Tensor>);
  };
  auto op =
      std::make_shared<const Operator>(schema_of(name, summary, moves_to), std::move(functions));
  keep_device_version(op);
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
