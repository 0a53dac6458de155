#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/device_batch.h>
#include <sluice/runtime/batch_memory.h>

#include <cstring>

namespace sluice {
namespace detail {

void throw_outside_batch(std::size_t index, std::size_t size) {
  throw std::out_of_range("sample " + std::to_string(index) + " of a batch of " +
                          std::to_string(size));
}

void throw_not_dense() {
  throw std::logic_error(
      "the samples of this batch differ in shape, or the batch was moved from, so there is no "
      "single block; check dense() first, or make them one shape, for instance with resize");
}

static void require_block(const BatchMemory* memory) {
  if (memory == nullptr || !(memory->dense() || memory->size() == 0)) throw_not_dense();
}

std::size_t MemoryBatch::size() const { return memory_ == nullptr ? 0 : memory_->size(); }

bool MemoryBatch::dense() const { return memory_ != nullptr && memory_->dense(); }

MemoryPlace MemoryBatch::place() const {
  return memory_ == nullptr ? MemoryPlace{} : memory_->place();
}

void MemoryBatch::wait_on(void* stream) const {
  if (memory_ != nullptr) memory_->wait_on(stream);
}

void MemoryBatch::wait() const {
  if (memory_ != nullptr) memory_->wait();
}

void MemoryBatch::release_after(void* stream) const {
  if (memory_ != nullptr) memory_->release_after(stream);
}

Shape MemoryBatch::shape() const {
  require_block(memory_.get());
  const Shape& each = memory_->each().shape;
  Shape all;
  all.rank = each.rank + 1;
  if (all.rank > Shape::kMaxRank)
    throw std::logic_error("the block of these samples has more than 6 dimensions");
  all.dims[0] = static_cast<std::int64_t>(size());
  for (int axis = 0; axis < each.rank; ++axis)
    all.dims[static_cast<std::size_t>(axis) + 1] = each[axis];
  return all;
}

DType MemoryBatch::dtype() const {
  if (memory_ == nullptr) throw_not_dense();
  return memory_->each().dtype;
}

Layout MemoryBatch::layout() const {
  if (memory_ == nullptr) throw_not_dense();
  return memory_->each().layout;
}

Strides MemoryBatch::strides() const { return contiguous_strides(shape()); }

std::size_t MemoryBatch::nbytes() const {
  require_block(memory_.get());
  return size() * memory_->each().bytes();
}

Tensor MemoryBatch::tensor() const {
  const Shape all = shape();
  return Tensor::shared(memory_, block(), {all, dtype(), Layout::none}, contiguous_strides(all),
                        place(), memory_.get());
}

std::shared_ptr<BatchMemory> MemoryBatch::on_host() const {
  return place().on_host() ? memory_ : memory_->copy_to_host();
}

Tensor MemoryBatch::tensor(std::size_t i) const {
  check(i);
  const ValueSpec& spec = memory_->spec(i);
  return Tensor::shared(memory_, memory_->data(i), spec, contiguous_strides(spec.shape), place(),
                        memory_.get());
}

std::byte* MemoryBatch::block() const {
  require_block(memory_.get());
  return memory_->block();
}

std::byte* MemoryBatch::block(DType type) const {
  std::byte* const elements = block();
  if (dtype() != type) throw_dtype(dtype(), type);
  return elements;
}

Tensor MemoryBatch::view(std::size_t i) const {
  const ValueSpec& spec = memory_->spec(i);
  return Tensor::view(memory_->data(i), spec, contiguous_strides(spec.shape), place(),
                      memory_.get());
}

}  // namespace detail

Image ImageBatch::operator[](std::size_t i) const {
  const Shape& s = memory_->spec(i).shape;
  return Image::view(reinterpret_cast<std::uint8_t*>(memory_->data(i)), static_cast<int>(s[0]),
                     static_cast<int>(s[1]), static_cast<int>(s[2]),
                     static_cast<std::ptrdiff_t>(s[1] * s[2]), place(), memory_.get());
}

namespace detail {

// Returns the sample spec of an empty batch, as far as it is known; unknown sizes are 0.
static ValueSpec expected_of(const TensorSpec& spec) {
  ValueSpec each;
  each.shape.rank = spec.rank.value_or(0);
  each.dtype = spec.dtype.value_or(DType::f32);
  each.layout = spec.layout.value_or(Layout::none);
  return each;
}

Tensor tensor_of(std::shared_ptr<void> owner, std::byte* data, std::size_t size, DType dtype) {
  if (owner == nullptr) {
    throw std::logic_error(
        "there are no values to make a tensor of: the batch is empty, or was moved from");
  }
  return Tensor::shared(std::move(owner), data, {{static_cast<std::int64_t>(size)}, dtype});
}

MemoryColumn::MemoryColumn(std::size_t cells, const ColumnMemory& memory, BatchHistory& history)
    : memory_(std::make_shared<BatchMemory>(cells, *memory.pool, history,
                                            memory.deliver_to == nullptr ? memory.given : nullptr,
                                            memory.device)),
      in_place_(memory.device == nullptr || memory_->place().kind != MemoryKind::host),
      deliver_to_(memory.deliver_to),
      given_(memory.deliver_to == nullptr ? nullptr : memory.given) {}

std::byte* MemoryColumn::place(std::size_t cell, const ValueSpec& spec) {
  return in_place_ ? memory_->place(cell, spec) : nullptr;
}

MemoryPlace MemoryColumn::where(std::size_t cell) const { return memory_->place_of(cell); }

bool MemoryColumn::copy_ahead() noexcept {
  if (deliver_to_ == nullptr || ahead_ != nullptr) return true;
  if (!memory_->is_dense_in_block()) return false;
  try {
    ahead_ = copy_to_device(false);
    return true;
  } catch (...) {  // finish() copies again and reports it
    return false;
  }
}

void MemoryColumn::finish(std::span<const std::uint32_t> kept, std::size_t padding) {
  // The device may read for a dropped copy while values move. Nobody uses that copy.
  if (kept.size() < memory_->size() || padding > 0) ahead_.reset();
  memory_->finish(kept, padding);
  if (deliver_to_ == nullptr) return;
  memory_ = ahead_ != nullptr ? std::move(ahead_) : copy_to_device(true);
}

std::shared_ptr<BatchMemory> MemoryColumn::copy_to_device(bool patient) {
  auto copy = memory_->copy_to_device(deliver_to_->values, given_, patient);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < copy->size(); ++i) bytes += copy->spec(i).bytes();
  deliver_to_->counters.bytes_up += static_cast<std::int64_t>(bytes);
  return copy;
}

std::size_t MemoryColumn::bytes() const { return memory_->bytes(); }

void MemoryColumn::transfer(std::size_t i, Column& to, std::size_t cell) {
  if (!memory_->place().on_host()) {
    static_cast<MemoryColumn&>(to).memory_->adopt(cell, *memory_, i);
    return;
  }
  const ValueSpec& spec = memory_->spec(i);
  std::memcpy(static_cast<MemoryColumn&>(to).memory_->place(cell, spec), memory_->data(i),
              spec.bytes());
}

void ImageColumn::emit(std::size_t cell, void* value, bool last_use) {
  Image& whole = *static_cast<Image*>(value);
  const Image& image = whole;
  if (image.empty()) throw LeftEmpty("image");
  const ValueSpec spec{{image.height(), image.width(), image.channels()}, DType::u8, Layout::hwc};
  const auto* data = reinterpret_cast<const std::byte*>(image.data());
  if (image.contiguous() && memory_->holds(cell, data, spec)) return;
  if (!memory_->place().on_host()) {
    memory_->adopt(cell, last_use ? std::move(whole).tensor() : whole.share().tensor());
    return;
  }
  require_on_host(image.place());
  const Buffer before = memory_->give_up(cell);  // the image may be a part of it
  std::byte* to = memory_->place(cell, spec);
  for (int y = 0; y < image.height(); ++y) {
    std::memmove(to, image.row(y), image.row_bytes());
    to += image.row_bytes();
  }
}

void TensorColumn::emit(std::size_t cell, void* value, bool last_use) {
  Tensor& whole = *static_cast<Tensor*>(value);
  const Tensor& tensor = whole;
  if (tensor.empty()) throw LeftEmpty("tensor");
  const ValueSpec& spec = tensor.spec();
  if (tensor.contiguous() && memory_->holds(cell, tensor.bytes(), spec)) return;
  if (!memory_->place().on_host()) {
    memory_->adopt(cell, last_use ? std::move(whole) : whole.share());
    return;
  }
  const Buffer before = memory_->give_up(cell);  // the tensor may be a part of it
  copy_elements(tensor, memory_->place(cell, spec));
}

TensorSpec TensorColumn::spec(std::size_t cell) const {
  return spec_of(memory_->spec(cell), memory_->place());
}

template <class C>
MemoryMaker<C>::MemoryMaker() : history_(std::make_unique<BatchHistory>()) {}

template <class C>
MemoryMaker<C>::~MemoryMaker() = default;

template <class C>
std::unique_ptr<Column> MemoryMaker<C>::make(std::size_t cells, const ColumnMemory& memory) {
  return std::make_unique<C>(cells, memory, *history_);
}

template <class C>
void MemoryMaker<C>::expect(const TensorSpec& spec) {
  constexpr TensorSpec kImage{.dtype = DType::u8, .layout = Layout::hwc, .rank = 3};
  history_->each = expected_of(std::is_same_v<C, ImageColumn> ? kImage : spec);
}

template class MemoryMaker<ImageColumn>;
template class MemoryMaker<TensorColumn>;

}  // namespace detail
}  // namespace sluice
