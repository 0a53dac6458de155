#include <sluice/io/workers/request_inputs.h>
#include <sluice/io/workers/segment.h>
#include <sluice/runtime/error.h>

#include <cstring>
#include <system_error>
#include <utility>

namespace sluice::detail {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

void RequestInputs::add(std::span<const std::uint8_t> bytes, ValueKind kind) {
  WireValue value;
  value.kind = kind;
  place(value, std::as_bytes(bytes));
}

void RequestInputs::add(const Tensor& tensor, ValueKind kind) {
  const WireValue value = WireValues::of(tensor, kind);
  if (tensor.empty()) return wires_.add(value);
  require_on_host(tensor.place());
  const Tensor* whole = &tensor;
  if (!tensor.contiguous()) whole = &made_.emplace_back(tensor.clone());
  place(value, {whole->bytes(), value.bytes});
}

void RequestInputs::place(WireValue value, std::span<const std::byte> elements) {
  if (wires_.add_inline(value, elements)) return;
  value.segment = kSegment;
  value.offset = bytes_;
  copies_.push_back({elements, bytes_});
  bytes_ += (elements.size() + kAlignment - 1) / kAlignment * kAlignment;
  wires_.add(value);
}

void RequestInputs::seal() {
  if (wires_.count() > WireValues::kMostValues) {
    throw Error("a worker is given at most " + std::to_string(WireValues::kMostValues) +
                " values of a sample");
  }
  if (copies_.empty()) return;
  try {
    auto [segment, descriptor] = Segment::make(bytes_);
    for (const Copy& copy : copies_)
      std::memcpy(segment.data() + copy.offset, copy.from.data(), copy.from.size());
    memory_ = std::move(descriptor);
  } catch (const std::system_error& error) {
    throw Error("there is no shared memory for the " + std::to_string(bytes_) +
                " bytes that a worker is to be given: " + error.what());
  }
  copies_.clear();
  made_.clear();
}

}  // namespace sluice::detail
