#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/dlpack_abi.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace sluice {
namespace {

static_assert(sizeof(void*) == 8 && sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 &&
              sizeof(DLManagedTensorVersioned) == 80);

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("DLPack: " + why); }

struct Type {
  DType ours;
  DLDataType theirs;
};
constexpr std::array<Type, 11> kTypes{{{DType::u8, {kDLUInt, 8, 1}},
                                       {DType::i8, {kDLInt, 8, 1}},
                                       {DType::i16, {kDLInt, 16, 1}},
                                       {DType::u16, {kDLUInt, 16, 1}},
                                       {DType::i32, {kDLInt, 32, 1}},
                                       {DType::i64, {kDLInt, 64, 1}},
                                       {DType::f16, {kDLFloat, 16, 1}},
                                       {DType::bf16, {kDLBfloat, 16, 1}},
                                       {DType::f32, {kDLFloat, 32, 1}},
                                       {DType::f64, {kDLFloat, 64, 1}},
                                       {DType::boolean, {kDLBool, 8, 1}}}};

DLDataType type_of(DType dtype) {
  for (const Type& type : kTypes) {
    if (type.ours == dtype) return type.theirs;
  }
  refuse("elements of an unknown type");
}

DType type_of(const DLDataType& dtype) {
  for (const Type& type : kTypes) {
    if (type.theirs.code == dtype.code && type.theirs.bits == dtype.bits && dtype.lanes == 1)
      return type.ours;
  }
  static constexpr std::array<const char*, 7> kNames{"int",    "uint",    "float", "handle",
                                                     "bfloat", "complex", "bool"};
  refuse(
      "elements of type " +
      (dtype.code < kNames.size() ? std::string(kNames[dtype.code])
                                  : "code " + std::to_string(dtype.code)) +
      ", " + std::to_string(dtype.bits) + " bits, " + std::to_string(dtype.lanes) +
      " lanes are not known; a tensor can hold u8, i8, i16, u16, i32, i64, f16, bf16, f32, f64 and "
      "bool, with "
      "one lane");
}

DLDevice device_of(const MemoryPlace& place) {
  switch (place.kind) {
    case MemoryKind::host:
      return {kDLCPU, 0};
    case MemoryKind::pinned:
      return {kDLCUDAHost, place.device};
    case MemoryKind::device:
      return {kDLCUDA, place.device};
  }
  refuse("memory of an unknown kind");
}

MemoryPlace place_of(const DLDevice& device) {
  if (device.device_type == kDLCPU) return {};
  if (device.device_type == kDLCUDAHost) return {MemoryKind::pinned, device.device_id};
  if (device.device_type == kDLCUDA) return {MemoryKind::device, device.device_id};
  refuse("a tensor on a device of type " + std::to_string(device.device_type) +
         " cannot be imported; it must be in host memory (1), pinned host memory (3) or CUDA "
         "device memory (2)");
}

constexpr std::intptr_t kNoStream = -1;
// The consumer's stream is not known. This is not a number that a consumer may pass.
constexpr std::intptr_t kUnknown = std::numeric_limits<std::intptr_t>::min();

// Checks the stream that a consumer passes.
std::intptr_t checked(std::intptr_t stream) {
  if (stream > 0 || stream == kNoStream) return stream;
  refuse(std::to_string(stream) +
         " is not a stream; pass 1 for CUDA's legacy default stream, 2 for the per-thread default "
         "stream, the stream's cudaStream_t, or -1 for none");
}

// CUDA's own handles for its default streams are 1 and 2.
void* stream_of(std::intptr_t stream) { return reinterpret_cast<void*>(stream); }

// The consumer owns this: the struct that it sees, and all that the struct refers to.
template <class Managed>
struct Capsule {
  Managed managed{};
  Tensor tensor;
  std::array<std::int64_t, Shape::kMaxRank> shape{};
  Strides strides{};
  std::intptr_t stream = kNoStream;

  ~Capsule() {
    if (stream == kNoStream) return;
    try {
      tensor.release_after(stream_of(stream));
    } catch (...) {  // the stream or the device is gone, and what it did is over
    }
  }
};

template <class Managed>
Managed* hand_over(Tensor&& tensor, std::intptr_t stream) {
  constexpr bool kVersioned = std::is_same_v<Managed, DLManagedTensorVersioned>;
  if (tensor.empty()) refuse("an empty tensor cannot be exported");
  if (tensor.is_view()) {
    refuse(
        "a view cannot be exported because it does not keep its elements alive; export a clone(), "
        "or a batch's tensor()");
  }
  if (tensor.read_only() && !kVersioned) {
    refuse("a read-only tensor can only be exported by to_dlpack_versioned()");
  }
  const DLDevice device = device_of(tensor.place());
  const DLDataType dtype = type_of(tensor.dtype());
  auto capsule = std::make_unique<Capsule<Managed>>();
  Managed& managed = capsule->managed;
  if constexpr (kVersioned) {
    managed.version = {1, 0};
    managed.flags = tensor.read_only() ? kDLPackReadOnly : 0;
  }
  if (stream == kUnknown) {
    tensor.wait();
  } else if (stream != kNoStream) {
    tensor.wait_on(stream_of(stream));
    capsule->stream = stream;
  }
  managed.manager_ctx = capsule.get();
  managed.deleter = [](Managed* self) {
    if (self != nullptr) delete static_cast<Capsule<Managed>*>(self->manager_ctx);
  };
  capsule->shape = tensor.shape().dims;
  capsule->strides = tensor.strides();
  DLTensor& out = managed.dl_tensor;
  const Tensor& elements = tensor;
  // Without elements, DLPack requires a null address.
  out.data = elements.elements() == 0 ? nullptr : const_cast<std::byte*>(elements.bytes());
  out.device = device;
  out.ndim = tensor.shape().rank;
  out.dtype = dtype;
  out.shape = capsule->shape.data();
  out.strides = capsule->strides.data();
  out.byte_offset = 0;
  capsule->tensor = std::move(tensor);
  return &capsule.release()->managed;
}

// Keeps a foreign tensor alive. Until `managed` is set, the caller owns it.
template <class Managed>
struct Guest {
  Guest() = default;
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest() {
    if (managed == nullptr || managed->deleter == nullptr) return;
    try {
      managed->deleter(managed);
    } catch (...) {  // a C function; the error cannot be handled here
    }
  }
  Managed* managed = nullptr;
};

Shape shape_of(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > Shape::kMaxRank) {
    refuse("a tensor of " + std::to_string(tensor.ndim) + " dimensions cannot be imported; at " +
           "most " + std::to_string(Shape::kMaxRank) + " are possible");
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) refuse("the shape is null");
  Shape shape;
  shape.rank = tensor.ndim;
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (tensor.shape[axis] < 0) {
      refuse("dimension " + std::to_string(axis) + " is " + std::to_string(tensor.shape[axis]));
    }
    shape.dims[static_cast<std::size_t>(axis)] = tensor.shape[axis];
  }
  (void)shape.elements();  // throws if there are too many
  return shape;
}

Strides strides_of(const DLTensor& tensor, const Shape& shape, DType dtype) {
  if (tensor.strides == nullptr) return contiguous_strides(shape);
  Strides strides{};
  std::int64_t reach = 0;  // the largest distance between elements
  for (int axis = 0; axis < shape.rank; ++axis) {
    const std::int64_t stride = tensor.strides[axis];
    strides[static_cast<std::size_t>(axis)] = stride;
    if (shape[axis] < 2) continue;
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 16;
    std::int64_t far = 0;
    if (stride == std::numeric_limits<std::int64_t>::min() ||
        __builtin_mul_overflow(stride < 0 ? -stride : stride, shape[axis] - 1, &far) ||
        __builtin_add_overflow(reach, far, &reach) ||
        reach > kFar / static_cast<std::int64_t>(size_of(dtype))) {
      refuse("the strides exceed the address space");
    }
  }
  return strides;
}

template <class Managed>
Tensor take_over(Managed* managed, Layout layout) {
  const DLTensor& from = managed->dl_tensor;
  const MemoryPlace place = place_of(from.device);
  ValueSpec spec;
  spec.dtype = type_of(from.dtype);
  spec.layout = layout;
  spec.shape = shape_of(from);
  const Strides strides = strides_of(from, spec.shape, spec.dtype);
  // A tensor without elements may have no address, but must not be empty().
  static std::byte nothing{};
  std::byte* data = &nothing;
  if (spec.shape.elements() > 0) {
    if (from.data == nullptr) refuse("the data is null");
    data = static_cast<std::byte*>(from.data) + from.byte_offset;
    if (reinterpret_cast<std::uintptr_t>(data) % size_of(spec.dtype) != 0) {
      refuse(std::string("the data is not aligned to its elements, which are ") +
             name_of(spec.dtype));
    }
  }
  auto guest = std::make_shared<Guest<Managed>>();
  Guest<Managed>& armed = *guest;
  Tensor tensor = Tensor::shared(std::move(guest), data, spec, strides, place);
  armed.managed = managed;  // nothing can fail from here on
  return tensor;
}

}  // namespace

DLManagedTensor* to_dlpack(Tensor&& tensor) {
  return hand_over<DLManagedTensor>(std::move(tensor), kUnknown);
}
DLManagedTensor* to_dlpack(Tensor&& tensor, std::intptr_t stream) {
  return hand_over<DLManagedTensor>(std::move(tensor), checked(stream));
}

DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor) {
  return hand_over<DLManagedTensorVersioned>(std::move(tensor), kUnknown);
}
DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor, std::intptr_t stream) {
  return hand_over<DLManagedTensorVersioned>(std::move(tensor), checked(stream));
}

Tensor from_dlpack(DLManagedTensor* managed, Layout layout) {
  if (managed == nullptr) refuse("there is no tensor: the pointer is null");
  return take_over(managed, layout);
}

Tensor from_dlpack(DLManagedTensorVersioned* managed, Layout layout) {
  if (managed == nullptr) refuse("there is no tensor: the pointer is null");
  if (managed->version.major != 1) {
    refuse("a tensor of version " + std::to_string(managed->version.major) + "." +
           std::to_string(managed->version.minor) +
           " cannot be imported; only version 1 is supported");
  }
  Tensor tensor = take_over(managed, layout);
  if ((managed->flags & kDLPackReadOnly) != 0) tensor.make_read_only();
  return tensor;
}

}  // namespace sluice
