#include "array.h"

#include "text.h"
#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/dlpack_abi.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

constexpr int kCpu = 1, kCuda = 2, kCudaHost = 3;  // DLPack's constants

// The consumer renames a capsule once it has taken it over.
template <class Managed>
void drop(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

nb::object capsule_of(DLManagedTensor* managed) {
  return nb::steal(PyCapsule_New(
      managed, "dltensor", [](PyObject* capsule) { drop<DLManagedTensor>(capsule, "dltensor"); }));
}
nb::object capsule_of(DLManagedTensorVersioned* managed) {
  return nb::steal(PyCapsule_New(managed, "dltensor_versioned", [](PyObject* capsule) {
    drop<DLManagedTensorVersioned>(capsule, "dltensor_versioned");
  }));
}

std::vector<std::int64_t> sizes_of(const Shape& shape) {
  return {shape.dims.begin(), shape.dims.begin() + shape.rank};
}

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Code = nb::dlpack::dtype_code;

AnyArray array_of(nb::handle object) {
  // numpy.ma's arrays pass their elements on, without the mask.
  if (nb::hasattr(object, "mask") && nb::hasattr(object, "filled")) {
    throw std::invalid_argument(
        "an array of numpy.ma would lose its mask; x.filled(0) makes a plain array");
  }
  AnyArray array;
  if (!nb::try_cast(object, array)) {
    const nb::object type = nb::getattr(object, "dtype", nb::none());
    if (type.is_none() && nb::hasattr(object, "__array_interface__") &&
        nb::hasattr(object, "mode")) {  // an image of PIL
      return array_of(nb::module_::import_("sluice._eager").attr("pixels_of_pillow")(object));
    }
    if (const nb::object native = nb::getattr(type, "isnative", nb::none());
        !native.is_none() && !nb::cast<bool>(native)) {
      throw std::invalid_argument(
          fmt::format("expected an array of {} in this machine's byte order; "
                      "array.astype(array.dtype.newbyteorder('=')) gives it",
                      message_of(nb::str(type.attr("newbyteorder")("=")))));
    }
    if (!type.is_none() && !nb::getattr(object, "__array_interface__", nb::none()).is_none()) {
      throw std::invalid_argument(fmt::format(
          "an array of numbers is expected, of bool, i8 to u64 or f16 to f64, not of {}; "
          "array.astype('f4'), say, makes one",
          message_of(nb::str(type))));
    }
    throw std::invalid_argument(
        fmt::format("expected an array in host memory (NumPy's, or of any library that has DLPack "
                    "or buffers), not {}",
                    message_of(object.type())));
  }
  return array;
}

// The type's NumPy name, such as "uint16".
std::string name_of_dtype(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  const auto is = [&](Code code) { return type.code == static_cast<std::uint8_t>(code); };
  if (is(Code::Bool)) return "bool";
  const char* const kind = is(Code::Int)       ? "int"
                           : is(Code::UInt)    ? "uint"
                           : is(Code::Float)   ? "float"
                           : is(Code::Complex) ? "complex"
                                               : "another kind of ";
  return kind + std::to_string(type.bits);
}

struct ElementType {
  DType ours;
  nb::dlpack::dtype_code code;
  std::uint8_t bits;
};
constexpr std::array<ElementType, 11> kElementTypes{{{DType::u8, Code::UInt, 8},
                                                     {DType::i8, Code::Int, 8},
                                                     {DType::i16, Code::Int, 16},
                                                     {DType::u16, Code::UInt, 16},
                                                     {DType::i32, Code::Int, 32},
                                                     {DType::i64, Code::Int, 64},
                                                     {DType::f16, Code::Float, 16},
                                                     {DType::bf16, Code::Bfloat, 16},
                                                     {DType::f32, Code::Float, 32},
                                                     {DType::f64, Code::Float, 64},
                                                     {DType::boolean, Code::Bool, 8}}};

DType dtype_of_array(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  for (const ElementType& one : kElementTypes) {
    if (type.code == static_cast<std::uint8_t>(one.code) && type.bits == one.bits &&
        type.lanes == 1)
      return one.ours;
  }
  throw std::invalid_argument(
      fmt::format("an array's elements must be uint8, int8, int16, uint16, int32, int64, float16, "
                  "bfloat16, float32, "
                  "float64 or bool, not {}; convert it with astype()",
                  name_of_dtype(array)));
}

nb::dlpack::dtype dtype_for_array(DType dtype) {
  for (const ElementType& one : kElementTypes) {
    if (one.ours == dtype) return {static_cast<std::uint8_t>(one.code), one.bits, 1};
  }
  throw std::invalid_argument("an array has no elements of this type");
}

ValueSpec spec_of(const AnyArray& array, Layout layout) {
  ValueSpec spec;
  spec.dtype = dtype_of_array(array);
  spec.layout = layout;
  spec.shape.rank = static_cast<int>(array.ndim());
  for (std::size_t i = 0; i < array.ndim(); ++i)
    spec.shape.dims[i] = static_cast<std::int64_t>(array.shape(i));
  return spec;
}

void copy_all(const AnyArray& from, std::byte* to) {
  if (from.size() == 0) return;
  Strides strides{};
  for (std::size_t i = 0; i < from.ndim(); ++i) strides[i] = from.stride(i);
  auto* const elements = static_cast<std::byte*>(const_cast<void*>(from.data()));  // only read
  copy_elements(Tensor::view(elements, spec_of(from, Layout::none), strides), to);
}

}  // namespace

nb::object Array::dlpack(const DlpackRequest& request) const {
  const std::pair<int, int> here = device(), wanted = request.device.value_or(here);
  const bool moves = wanted != here;
  if (moves && wanted.first != kCpu) {
    throw nb::buffer_error(fmt::format("this array is on device ({}, {}) of DLPack and can only be "
                                       "copied to host memory, not to ({}, {})",
                                       here.first, here.second, wanted.first, wanted.second)
                               .c_str());
  }
  if (moves && request.copy == false)
    throw nb::buffer_error("an array of a device is not in the host's memory without a copy");
  const bool copied = moves || request.copy == true;
  if (copied && !moves && here.first == kCuda)
    throw nb::buffer_error("an array on a GPU is not copied here: take it as it is, and copy it");
  Tensor handle = !copied              ? tensor_->share()
                  : here.first == kCpu ? tensor_->clone()
                                       : tensor_->to_host().clone();
  if (!request.versioned) {
    return capsule_of(request.stream ? to_dlpack(std::move(handle), *request.stream)
                                     : to_dlpack(std::move(handle)));
  }
  DLManagedTensorVersioned* const made =
      request.stream ? to_dlpack_versioned(std::move(handle), *request.stream)
                     : to_dlpack_versioned(std::move(handle));
  if (copied) made->flags |= std::uint64_t{1} << 1U;  // DLPack's flag "is copied"
  return capsule_of(made);
}

nb::object Array::numpy() const {
  if (tensor_->empty()) throw std::invalid_argument("an array has elements, an empty tensor none");
  if (tensor_->dtype() == DType::bf16) {
    throw nb::type_error(
        "NumPy has no bf16; .torch() or torch.from_dlpack() returns the elements, or choose "
        "dtype='f32' or 'f16'");
  }
  tensor_->wait();
  Tensor handle = tensor_->share();
  const auto rank = static_cast<std::size_t>(handle.shape().rank);
  std::array<std::size_t, Shape::kMaxRank> sizes{};
  for (std::size_t i = 0; i < rank; ++i)
    sizes[i] = static_cast<std::size_t>(handle.shape().dims[i]);
  const Strides strides = handle.strides();
  const nb::dlpack::dtype dtype = dtype_for_array(handle.dtype());
  const Tensor& elements = handle;
  const void* const at = elements.bytes();
  const bool read_only = handle.read_only();
  const nb::object owner = nb::cast(Array(std::move(handle)));
  const auto made = [&]<class Elements>(std::type_identity<Elements>, auto* data) {
    return nb::cast(Elements(data, rank, sizes.data(), owner, strides.data(), dtype));
  };
  if (read_only) return made(std::type_identity<nb::ndarray<nb::numpy, nb::ro>>(), at);
  return made(std::type_identity<nb::ndarray<nb::numpy>>(), const_cast<void*>(at));
}

std::pair<int, int> Array::device() const {
  const MemoryPlace place = tensor_->place();
  if (place.kind == MemoryKind::pinned) return {kCudaHost, place.device};
  return place.kind == MemoryKind::device ? std::pair(kCuda, place.device) : std::pair(kCpu, 0);
}

void copy_array(nb::handle object, Tensor& out, Layout layout) {
  const AnyArray array = array_of(object);
  if (array.ndim() > Shape::kMaxRank) {
    throw std::invalid_argument(fmt::format("an array has at most {} dimensions here, not {}",
                                            Shape::kMaxRank, array.ndim()));
  }
  const ValueSpec spec = spec_of(array, layout);
  out.create(spec.shape, spec.dtype, layout);
  copy_all(array, out.bytes());
}

namespace {

// Returns height, width and channels. Throws if the array is not an image.
std::array<int, 3> image_size_of(const AnyArray& array) {
  constexpr std::string_view kExpected =
      "an image is an array of uint8, height x width or height x width x channels, not one of ";
  const std::string dtype = name_of_dtype(array);
  if (dtype != "uint8") {
    throw std::invalid_argument(fmt::format(
        "{}{}; x.astype('uint8') if the numbers are 0 to 255, (x * 255).astype('uint8') "
        "if they are 0 to 1, or declare the type 'tensor'",
        kExpected, dtype));
  }
  if (array.ndim() != 2 && array.ndim() != 3)
    throw std::invalid_argument(fmt::format("{}{} dimensions", kExpected, array.ndim()));
  if (array.ndim() == 3 && array.shape(2) > 4) {
    const bool first = array.shape(0) <= 4;
    throw std::invalid_argument(fmt::format(
        "{}{} channels; {}", kExpected, array.shape(2),
        first ? "the channels must be last: x.transpose(1, 2, 0) moves them there, x.permute(1, 2, "
                "0) in PyTorch"
              : "declare the type 'tensor', which has any number of channels"));
  }
  const auto size = [&](std::size_t axis) {
    if (array.shape(axis) > 1'000'000)
      throw std::invalid_argument("an image's sides have at most 65535 pixels");
    return static_cast<int>(array.shape(axis));
  };
  return {size(0), size(1), array.ndim() == 3 ? size(2) : 1};
}

}  // namespace

void copy_image(nb::handle object, Image& out) {
  const AnyArray array = array_of(object);
  const auto [height, width, channels] = image_size_of(array);
  out.create(height, width, channels);
  copy_all(array, reinterpret_cast<std::byte*>(out.data()));
}

std::shared_ptr<const void> view_image(nb::handle object, Image& out) {
  auto array = std::make_shared<const AnyArray>(array_of(object));
  const auto [height, width, channels] = image_size_of(*array);
  const bool side_by_side = array->size() > 0 && array->stride(1) == channels &&
                            (array->ndim() == 2 || array->stride(2) == 1) &&
                            array->stride(0) >= std::int64_t{width} * channels;
  if (!side_by_side) {
    out.create(height, width, channels);
    copy_all(*array, reinterpret_cast<std::byte*>(out.data()));
    return nullptr;
  }
  auto* const pixels = static_cast<std::uint8_t*>(const_cast<void*>(array->data()));  // only read
  out = Image::view(pixels, height, width, channels, array->stride(0));
  return array;
}

void bind_arrays(nb::module_& module) {
  nb::class_<Array>(
      module, "Array",
      "Elements of a batch, for other libraries: numpy.asarray(x), torch.from_dlpack(x), "
      "jax.numpy.from_dlpack(x), cupy.from_dlpack(x). Nothing is copied.")
      .def_prop_ro("shape",
                   [](const Array& a) { return nb::tuple(nb::cast(sizes_of(a.tensor().shape()))); })
      .def_prop_ro("dtype", [](const Array& a) { return name_of(a.tensor().dtype()); })
      .def_prop_ro("layout", [](const Array& a) { return name_of(a.tensor().layout()); })
      .def_prop_ro("on_device",
                   [](const Array& a) { return a.tensor().place().kind == MemoryKind::device; })
      .def("to_host", &Array::to_host, nb::call_guard<nb::gil_scoped_release>(),
           "The same elements in host memory, copied if they are on a device.")
      .def(
          "__dlpack__",
          [](const Array& a, std::optional<std::intptr_t> stream, const nb::object& max_version,
             std::optional<std::pair<int, int>> device, std::optional<bool> copy) {
            return a.dlpack(
                {.stream = stream,
                 .versioned = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1,
                 .device = device,
                 .copy = copy});
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &Array::device)
      .def("numpy", &Array::numpy, "NumPy's array of the same elements, in the host's memory.")
      .def("__len__", [](const Array& a) {
        if (a.tensor().shape().rank == 0) throw nb::type_error("a scalar has no length");
        return a.tensor().shape()[0];
      });

  nb::class_<ArrayColumn>(module, "ArrayColumn", "A column of images or tensors.")
      .def("__len__", [](const ArrayColumn& p) { return p.column().size(); })
      .def_prop_ro("dense",
                   [](const ArrayColumn& p) { return p.column().dense() || p.column().empty(); })
      .def_prop_ro("layout", [](const ArrayColumn& p) { return name_of(p.column().layout()); })
      .def("block", [](const ArrayColumn& p) { return Array(p.column().tensor()); })
      .def("sample",
           [](const ArrayColumn& p, std::size_t i) { return Array(p.column().tensor(i)); })
      .def("wait_on",
           [](const ArrayColumn& p, std::uintptr_t stream) {
             p.column().wait_on(reinterpret_cast<void*>(stream));
           })
      .def("release_after",
           [](const ArrayColumn& p, std::uintptr_t stream) {
             p.column().release_after(reinterpret_cast<void*>(stream));
           })
      .def(
          "wait", [](const ArrayColumn& p) { p.column().wait(); },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace sluice::python
