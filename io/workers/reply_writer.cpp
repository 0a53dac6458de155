#include <sluice/io/workers/reply_writer.h>
#include <sluice/io/workers/values.h>
#include <sluice/runtime/error.h>

#include <utility>

namespace sluice::detail {
namespace {

std::span<const std::byte> bytes_of(std::span<const std::uint8_t> bytes) {
  return std::as_bytes(bytes);
}

}  // namespace

bool ReplyWriter::find(WireValue& value, const std::byte* at, bool is_view) const {
  // The memory of a view may be reused for the next sample, so copy it.
  if (is_view) return false;
  const auto place = memory_->place_of(at, value.bytes);
  if (!place) return false;
  value.segment = place->segment;
  value.offset = place->offset;
  return true;
}

std::string ReplyWriter::refusal(std::uint64_t bytes) const {
  return "there is no shared memory for a value of " + std::to_string(bytes) +
         " bytes: " + memory_->refusal();
}

template <class T>
void ReplyWriter::keep(WireValue& value, T&& object) {
  value.id = next_id_++;
  kept_.emplace(value.id, std::forward<T>(object));
  wires_.add(value);
}

void ReplyWriter::add_text(const std::string& text) {
  const std::span whole(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  add(Bytes::view_of(whole), ValueKind::text);
}

void ReplyWriter::add(Bytes&& bytes, ValueKind kind) {
  WireValue value;
  value.kind = kind;
  if (wires_.add_inline(value, bytes_of(bytes))) return;
  const auto start = [&] { return bytes_of(bytes).data(); };
  if (!find(value, start(), bytes.is_view())) {
    bytes = Bytes::copy_of(bytes);
    if (!find(value, start(), false)) throw Error(refusal(value.bytes));
  }
  keep(value, std::move(bytes));
}

void ReplyWriter::add(Tensor&& tensor, ValueKind kind) {
  WireValue value = WireValues::of(tensor, kind);
  if (tensor.empty()) return wires_.add(value);
  require_on_host(tensor.place());
  if (!tensor.contiguous()) tensor = tensor.clone();
  const auto start = [&] { return std::as_const(tensor).bytes(); };
  if (wires_.add_inline(value, {start(), value.bytes})) return;
  if (!find(value, start(), tensor.is_view())) {
    tensor = tensor.clone();
    if (!find(value, start(), false)) throw Error(refusal(value.bytes));
  }
  keep(value, std::move(tensor));
}

MessageWriter ReplyWriter::finish(std::uint64_t number) {
  if (wires_.count() > WireValues::kMostValues) {
    throw Error("a worker gives at most " + std::to_string(WireValues::kMostValues) +
                " values for a sample");
  }
  MessageWriter message({MessageKind::sample, wires_.count(), number});
  wires_.write(message);
  wires_.clear();
  return message;
}

void ReplyWriter::abandon() noexcept {
  for (const WireValue& value : wires_.values()) kept_.erase(value.id);
  wires_.clear();
}

void write_number(ReplyWriter& to, std::uint64_t bits) { to.add_number(bits); }
void write_value(ReplyWriter& to, const std::string& text) { to.add_text(text); }
void write_value(ReplyWriter& to, Bytes&& bytes) { to.add(std::move(bytes)); }
void write_value(ReplyWriter& to, Tensor&& tensor) { to.add(std::move(tensor), ValueKind::tensor); }
void write_value(ReplyWriter& to, Image&& image) {
  to.add(std::move(image).tensor(), ValueKind::image);
}

}  // namespace sluice::detail
