// Shared parts of the operators that read JPEG files: the file as an input, the decoder options as
// parameters, and the notes about an image. For operators only.
#pragma once

#include <sluice/graph/builder/declare_operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>

#include <vector>

namespace sluice::detail {

// An input of type Bytes or span of bytes, converted to Bytes.
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

// Declares the fields of JpegOptions as parameters, in their order. The operator's function takes
// them one by one.
void declare_jpeg_options(OperatorDeclaration& declaration);
// Returns the names of the events for how an image was read: "index_damaged", "on_device" and
// "on_engines".
std::vector<std::string> jpeg_events();

// Counts how the image was read as an event of the step. Messages of a tolerant decoder become
// warnings about the sample. So do problems with an index, but only once per step, since they may
// concern every file.
void note_report(SampleNotes& notes, const JpegReport& report);
// Notes that a device reads the image.
void note_on_device(SampleNotes& notes);
// Notes that a device's JPEG engines read the image.
void note_on_engines(SampleNotes& notes);

}  // namespace sluice::detail
