// What the operators that read JPEG files share: the file as an input, the options of the decoder
// as parameters, and what is said of a picture. For operators only.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>

#include <vector>

namespace sluice::detail {

// An input that is Bytes or a span of them, as Bytes.
class JpegFile {
 public:
  explicit JpegFile(const Bytes& file) : file_(&file) {}
  explicit JpegFile(ByteSpan file) : view_(Bytes::view_of(file)) {}
  const Bytes& bytes() const { return file_ != nullptr ? *file_ : view_; }

 private:
  const Bytes* file_ = nullptr;
  Bytes view_;
};
template <>
struct InputTraits<JpegFile> {
  static std::vector<const SlotType*> types() {
    return {slot_type<Bytes>(), slot_type<ByteSpan>()};
  }
  static JpegFile of(const Sample& sample, const SlotArgument& from) {
    if (from.type == slot_type<ByteSpan>()) return JpegFile(sample.get<ByteSpan>(from.slot));
    return JpegFile(sample.get<Bytes>(from.slot));
  }
};

// The parameters that JpegOptions are, in the order of its fields. The function of the operator
// takes them one by one.
void declare_jpeg_options(OperatorDeclaration& declaration);
// The names of the ways a picture may be read, "index_damaged", "on_device" and
// "on_engines".
std::vector<std::string> jpeg_events();

// Which way the picture was read is counted as an event of the step, and what a tolerant decoder
// has to say becomes a warning about the sample. So is what is wrong with an index, but as a
// warning only once a step: it may concern every file.
void note_report(SampleNotes& notes, const JpegReport& report);
// A device reads it.
void note_on_device(SampleNotes& notes);
// Its JPEG engines do.
void note_on_engines(SampleNotes& notes);

}  // namespace sluice::detail
