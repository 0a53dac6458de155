#include <sluice/io/workers/reply_writer.h>
#include <sluice/io/workers/values.h>
#include <sluice/runtime/error.h>

#include <utility>

namespace sluice::detail {
namespace {

constexpr std::size_t kMostInlineOfAll = kMostMessage / 4;
constexpr std::size_t kMostValues = kMostMessage / 2 / sizeof(WireValue);

std::span<const std::byte> bytes_of(std::span<const std::uint8_t> bytes) {
  return std::as_bytes(bytes);
}

}  // namespace

bool ReplyWriter::put_inline(WireValue& value, std::span<const std::byte> elements) {
  value.bytes = elements.size();
  if (elements.size() > kMostInline || inline_.size() + elements.size() > kMostInlineOfAll)
    return false;
  value.offset = inline_.size();
  inline_.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  values_.push_back(value);
  return true;
}

bool ReplyWriter::find(WireValue& value, const std::byte* at, bool is_view) const {
  // Whoever gives a view may write there again for the next sample.
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
  values_.push_back(value);
}

void ReplyWriter::add_number(std::uint64_t bits) {
  WireValue value;
  value.offset = bits;
  values_.push_back(value);
}

void ReplyWriter::add_text(const std::string& text) {
  const std::span whole(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  add(Bytes::view_of(whole), ValueKind::text);
}

void ReplyWriter::add(Bytes&& bytes, ValueKind kind) {
  WireValue value;
  value.kind = kind;
  if (put_inline(value, bytes_of(bytes))) return;
  const auto start = [&] { return bytes_of(bytes).data(); };
  if (!find(value, start(), bytes.is_view())) {
    bytes = Bytes::copy_of(bytes);
    if (!find(value, start(), false)) throw Error(refusal(value.bytes));
  }
  keep(value, std::move(bytes));
}

void ReplyWriter::add(Tensor&& tensor, ValueKind kind) {
  WireValue value;
  value.kind = kind;
  value.rank = tensor.empty() ? -1 : tensor.shape().rank;
  if (tensor.empty()) return values_.push_back(value);
  require_on_host(tensor.place());
  value.dtype = tensor.dtype();
  value.layout = tensor.layout();
  value.dims = tensor.shape().dims;
  value.read_only = tensor.read_only() ? 1 : 0;
  value.bytes = tensor.nbytes();
  if (!tensor.contiguous()) tensor = tensor.clone();
  const auto start = [&] { return std::as_const(tensor).bytes(); };
  if (put_inline(value, {start(), value.bytes})) return;
  if (!find(value, start(), tensor.is_view())) {
    tensor = tensor.clone();
    if (!find(value, start(), false)) throw Error(refusal(value.bytes));
  }
  keep(value, std::move(tensor));
}

MessageWriter ReplyWriter::finish(std::uint64_t number) {
  if (values_.size() > kMostValues) {
    throw Error("a worker gives at most " + std::to_string(kMostValues) + " values for a sample");
  }
  MessageWriter message({MessageKind::sample, static_cast<std::uint32_t>(values_.size()), number});
  for (const WireValue& value : values_) message.add(value);
  message.add_text(inline_);
  values_.clear();
  inline_.clear();
  return message;
}

void ReplyWriter::abandon() noexcept {
  for (const WireValue& value : values_) kept_.erase(value.id);
  values_.clear();
  inline_.clear();
}

void write_number(ReplyWriter& to, std::uint64_t bits) { to.add_number(bits); }
void write_value(ReplyWriter& to, const std::string& text) { to.add_text(text); }
void write_value(ReplyWriter& to, Bytes&& bytes) { to.add(std::move(bytes)); }
void write_value(ReplyWriter& to, Tensor&& tensor) { to.add(std::move(tensor), ValueKind::tensor); }
void write_value(ReplyWriter& to, Image&& image) {
  to.add(std::move(image).tensor(), ValueKind::image);
}

}  // namespace sluice::detail
