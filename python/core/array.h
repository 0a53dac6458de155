// Array: shares the elements of a batch or a sample with other libraries through DLPack, without a
// copy. It keeps the memory alive.
//
// Ownership: shared with its consumers. Threads: with the GIL held. Errors: those of to_dlpack();
// Python's BufferError if a consumer requests an impossible copy or device.
#pragma once

#include "object.h"
#include <sluice/graph/exec/column.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::python {

// The arguments of __dlpack__.
struct DlpackRequest {
  std::optional<std::intptr_t> stream = {};
  bool versioned = false;                          // the consumer supports versioned capsules
  std::optional<std::pair<int, int>> device = {};  // DLPack's device type, and the number
  std::optional<bool> copy = {};                   // none: copy only if necessary
};

class Array {
 public:
  explicit Array(Tensor tensor) : tensor_(std::make_shared<Tensor>(std::move(tensor))) {}

  const Tensor& tensor() const { return *tensor_; }
  nb::object dlpack(const DlpackRequest& request) const;  // returns a capsule
  // A NumPy array of the same elements, which must be in host memory. This does not use DLPack:
  // NumPy before 2.3 imports such arrays read-only, and before 1.25 without bools.
  nb::object numpy() const;
  // DLPack's device type and number.
  std::pair<int, int> device() const;
  Array to_host() const { return Array(tensor_->to_host()); }

 private:
  std::shared_ptr<Tensor> tensor_;
};

// A column of images or tensors.
class ArrayColumn {
 public:
  explicit ArrayColumn(ImageBatch images)
      : images_(std::make_shared<ImageBatch>(std::move(images))) {}
  explicit ArrayColumn(TensorBatch tensors)
      : tensors_(std::make_shared<TensorBatch>(std::move(tensors))) {}
  const detail::MemoryBatch& column() const {
    return images_ != nullptr ? static_cast<const detail::MemoryBatch&>(*images_) : *tensors_;
  }
  // One of these two is null.
  const ImageBatch* images() const { return images_.get(); }
  TensorBatch* tensors() const { return tensors_.get(); }

 private:
  std::shared_ptr<ImageBatch> images_;
  std::shared_ptr<TensorBatch> tensors_;
};

// Copies an array in host memory into `out`. It accepts DLPack and the buffer protocol.
void copy_array(nb::handle object, Tensor& out, Layout layout = Layout::none);
// The same for an image: u8, height x width, or height x width x channels.
void copy_image(nb::handle object, Image& out);

// Keeps the memory of an array alive.
using Exports = std::vector<std::shared_ptr<const void>>;
// The same, but `out` views the pixels of the array if they lie side by side, and is a copy
// otherwise. The view is valid as long as the result lives.
[[nodiscard]] std::shared_ptr<const void> view_image(nb::handle object, Image& out);

void bind_arrays(nb::module_& module);

}  // namespace sluice::python
