#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/values.h>
#include <sluice/io/workers/wire.h>
#include <sluice/runtime/error.h>

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

namespace {

// Keeps a value in shared memory in use until it is destroyed.
class Held {
 public:
  Held(std::shared_ptr<Segment> segment, std::shared_ptr<ReleasedValues> released,
       const WireValue& wire)
      : segment_(std::move(segment)),
        released_(std::move(released)),
        id_(wire.id),
        bytes_(wire.bytes) {
    if (released_ != nullptr) released_->hold(bytes_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (released_ != nullptr) released_->give_back(id_, bytes_);
  }

 private:
  std::shared_ptr<Segment> segment_;
  std::shared_ptr<ReleasedValues> released_;
  std::uint64_t id_;
  std::size_t bytes_;
};

ValueSpec spec_of(const WireValue& wire) {
  ValueSpec spec;
  spec.shape.rank = wire.rank;
  spec.shape.dims = wire.dims;
  spec.dtype = wire.dtype;
  spec.layout = wire.layout;
  return spec;
}

void check_tensor(const WireValue& wire) {
  if (wire.rank == -1 && wire.bytes == 0) return;
  if (wire.rank < 0 || wire.rank > Shape::kMaxRank)
    throw ProtocolError("a tensor of rank " + std::to_string(wire.rank));
  if (wire.dtype > DType::u16 || wire.layout > Layout::chw)
    throw ProtocolError("a tensor of a type or layout that there is not");
  for (std::size_t axis = 0; axis < wire.dims.size(); ++axis) {
    if (wire.dims[axis] < 0 ||
        (wire.dims[axis] != 0 && axis >= static_cast<std::size_t>(wire.rank)))
      throw ProtocolError("a tensor with a dimension of " + std::to_string(wire.dims[axis]));
  }
  const ValueSpec spec = spec_of(wire);
  try {
    const bool aligned = wire.segment == 0 || wire.offset % size_of(wire.dtype) == 0;
    if (spec.bytes() == wire.bytes && aligned) return;
  } catch (const std::invalid_argument&) {  // larger than any memory
  }
  throw ProtocolError("a tensor of shape " + to_string(spec.shape) + " in " +
                      std::to_string(wire.bytes) + " bytes at " + std::to_string(wire.offset));
}

}  // namespace

ReplyReader::Value ReplyReader::check(const WireValue& wire, std::span<const std::byte> inlined,
                                      const Segments& segments,
                                      const std::shared_ptr<ReleasedValues>& released) {
  if (wire.kind > ValueKind::image) throw ProtocolError("a value of a kind that there is not");
  if (wire.kind == ValueKind::number) return {wire, nullptr, nullptr};
  if (wire.kind == ValueKind::tensor || wire.kind == ValueKind::image) check_tensor(wire);
  const auto refuse = [&] {
    throw ProtocolError(std::to_string(wire.bytes) + " bytes at " + std::to_string(wire.offset) +
                        ", which is beyond what there is");
  };
  if (wire.segment == 0) {
    if (wire.bytes > inlined.size() || wire.offset > inlined.size() - wire.bytes) refuse();
    return {wire, nullptr, const_cast<std::byte*>(inlined.data()) + wire.offset};
  }
  const auto segment = segments.find(wire.segment);
  if (segment == segments.end())
    throw ProtocolError("a value in shared memory that it never announced");
  if (segment->second != nullptr && !segment->second->holds(wire.offset, wire.bytes)) refuse();
  shared_bytes_ += wire.bytes;
  return {wire, std::make_shared<Held>(segment->second, released, wire),
          segment->second == nullptr ? nullptr : segment->second->data() + wire.offset};
}

ReplyReader::ReplyReader(MessageReader message, std::size_t count, const Segments& segments,
                         const std::shared_ptr<ReleasedValues>& released) {
  if (count > kMostMessage / sizeof(WireValue)) throw ProtocolError("a message that is too short");
  std::vector<WireValue> wires(count);
  for (WireValue& wire : wires) wire = message.take<WireValue>();
  values_.reserve(count);
  for (const WireValue& wire : wires)
    values_.push_back(check(wire, message.rest(), segments, released));
}

ReplyReader::Value& ReplyReader::next(ValueKind kind) {
  if (next_ == values_.size()) throw ProtocolError("a sample with too few values");
  Value& value = values_[next_++];
  if (value.wire.kind != kind) throw ProtocolError("a value of another type than was agreed on");
  if (value.owner != nullptr && value.at == nullptr) {
    throw Error(
        "the shared memory of the sample cannot be had: this process has no descriptor or "
        "no memory left for it");
  }
  return value;
}

void ReplyReader::finish() const {
  if (next_ != values_.size()) throw ProtocolError("a sample with too many values");
}

std::string ReplyReader::text() {
  const Value& value = next(ValueKind::text);
  return {reinterpret_cast<const char*>(value.at), value.wire.bytes};
}

Bytes ReplyReader::bytes() {
  Value& value = next(ValueKind::bytes);
  const std::span elements(reinterpret_cast<std::uint8_t*>(value.at), value.wire.bytes);
  if (value.owner == nullptr) return Bytes::copy_of(elements);
  return Bytes::shared(std::move(value.owner), elements);
}

Tensor ReplyReader::tensor(ValueKind kind) {
  Value& value = next(kind);
  const ValueSpec spec = spec_of(value.wire);
  Tensor tensor;
  if (value.wire.rank < 0) return tensor;
  if (value.owner == nullptr) {
    tensor.create(spec.shape, spec.dtype, spec.layout);
    if (value.wire.bytes > 0) std::memcpy(tensor.bytes(), value.at, value.wire.bytes);
  } else {
    tensor = Tensor::shared(std::move(value.owner), value.at, spec);
  }
  if (value.wire.read_only != 0) tensor.make_read_only();
  return tensor;
}

std::uint64_t read_number(ReplyReader& from) { return from.number(); }
void read_value(ReplyReader& from, std::string& text) { text = from.text(); }
void read_value(ReplyReader& from, Bytes& bytes) { bytes = from.bytes(); }
void read_value(ReplyReader& from, Tensor& tensor) { tensor = from.tensor(); }
void read_value(ReplyReader& from, Image& image) {
  Tensor tensor = from.tensor(ValueKind::image);
  if (tensor.empty()) return;
  try {
    image = Image(std::move(tensor));
  } catch (const std::invalid_argument& error) {
    throw ProtocolError(std::string("an image that is none: ") + error.what());
  }
}

}  // namespace sluice::detail
