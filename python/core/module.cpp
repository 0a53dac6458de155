// The module sluice._core, on which the Python package is built. Users import the package.
#include "array.h"
#include "description.h"
#include "errors.h"
#include "memory.h"
#include "options.h"
#include "text.h"
#include "values.h"
#include "words.h"
#include <sluice/cuda/gpu.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/readers/environment.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace sluice::python {
namespace {

ColorSpace color_of(const std::string& name) {
  if (name == "rgb") return ColorSpace::rgb;
  if (name == "gray") return ColorSpace::gray;
  throw std::invalid_argument("color must be 'rgb' or 'gray', not '" + name + "'");
}

// Reads an object's buffer and keeps it alive.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&buffer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::span<const std::uint8_t> bytes() const {
    return {static_cast<const std::uint8_t*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
  }

 private:
  Py_buffer buffer_{};
};

Array decode_and_crop(nb::handle data, int y, int x, int height, int width,
                      const std::string& color, bool apply_orientation) {
  const Buffer file(data);
  const JpegOptions options{.color = color_of(color), .apply_orientation = apply_orientation};
  Image image;
  {
    const nb::gil_scoped_release unlocked;
    image = sluice::decode_and_crop(file.bytes(), y, x, height, width, options);
    if (!image.contiguous()) image = image.clone();
  }
  return Array(std::move(image).tensor());
}

Array decode(nb::handle data, const std::string& color, bool apply_orientation) {
  const Buffer file(data);
  const JpegOptions options{.color = color_of(color), .apply_orientation = apply_orientation};
  Image image;
  {
    const nb::gil_scoped_release unlocked;
    (void)decode_jpeg_image(file.bytes(), options, image);
  }
  return Array(std::move(image).tensor());
}

nb::bytes encode(nb::handle array, int quality) {
  Image image;
  copy_image(array, image);
  Bytes file;
  {
    const nb::gil_scoped_release unlocked;
    file = encode_jpeg(image, {.quality = quality});
  }
  const std::span<const std::uint8_t> bytes = file;
  return nb::bytes(bytes.data(), bytes.size());
}

void write_file(nb::handle path, const nb::bytes& content) {
  const std::string to = path_of(path);
  const std::span<const std::uint8_t> bytes(static_cast<const std::uint8_t*>(content.data()),
                                            content.size());
  const nb::gil_scoped_release unlocked;
  write_whole(to, {&bytes, 1});
}

}  // namespace
}  // namespace sluice::python

NB_MODULE(_core, module) {
  using namespace sluice::python;
  module.attr("__version__") = SLUICE_PYTHON_VERSION;
  // Objects in a frame that an exception holds at exit are not leaks of this module.
  nb::set_leak_warnings(false);
  register_object_type();
  bind_errors(module);
  bind_arrays(module);
  bind_index(module);
  bind_thread_pool(module);
  bind_memory(module);
  bind_operators(module);
  bind_description(module);
  bind_pipeline(module);
  module.def("decode_and_crop_jpeg", decode_and_crop, nb::arg("data"), nb::arg("y"), nb::arg("x"),
             nb::arg("height"), nb::arg("width"), nb::arg("color"), nb::arg("apply_orientation"));
  module.def("decode_jpeg", decode, nb::arg("data"), nb::arg("color"),
             nb::arg("apply_orientation"));
  module.def("encode_jpeg", encode, nb::arg("image"), nb::arg("quality"));
  module.def("write_file", write_file, nb::arg("path"), nb::arg("content"));
  module.def("in_python", in_python);
  module.def("has_gpu", [](int index) {
    const sluice::Gpus all = sluice::look_for_gpus();
    return std::any_of(all.gpus.begin(), all.gpus.end(), [&](const sluice::Gpu& one) {
      return one.index == index && one.why_not.empty();
    });
  });
  module.def("devices", [] { return to_string(sluice::look_for_gpus()); });
  module.def("rank_of_environment", [] {
    const sluice::Rank rank = sluice::rank_of_environment();
    return nb::make_tuple(rank.index, rank.count, rank.local);
  });
}
