// Feeds invalid datasets and images to their readers: tar archives, archive indexes, lists, and
// files of each image format beside JPEG. Only a Sluice error may result. For libFuzzer, under the
// address and undefined behavior sanitizers; scripts/fuzz builds and runs it. The first byte of an
// input selects the reader.

#include "tests/fuzz/memory_file.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_samples.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <tuple>

namespace sluice {
namespace {

constexpr std::int64_t kMostSamples = 50;

template <class Source>
void read_all(const Source& source) {
  for (std::int64_t i = 0; i < std::min(source.size(), kMostSamples); ++i) {
    (void)source.name(i);
    try {
      (void)source.read(i);
    } catch (const Error&) {
    }
  }
}

void read_tar(const std::string& path) {
  read_all(tar_in<Bytes, double>(
      {path}, {.columns = {"jpg;png", "cls"}, .unreadable = Unreadable::leave_out}));
}

// From its front, also when it is compressed.
void stream_tar(const std::string& path) {
  const TarStop never;
  const detail::TarSampleReader::Columns columns = {{"jpg", "png"}, {"__key__"}, {"cls"}};
  constexpr std::uint64_t kMany = std::uint64_t{1} << 20;
  detail::LeftOutCounter left_out;
  detail::TarSampleReader samples(path, columns,
                                  {.sample_bytes = kMany, .expansion = 10, .link_bytes = kMany},
                                  never, left_out);
  for (std::int64_t i = 0; i < kMostSamples && samples.next(); ++i) {
  }
}

void read_list(const std::string& path, ListFormat format) {
  // Only names of missing files: the files of a list do not matter here.
  const auto list = list_in<std::string, std::int64_t>(
      path, {.columns = {"a", "b"}, .format = format, .folder = "/proc/none"});
  for (std::int64_t i = 0; i < std::min(list.size(), kMostSamples); ++i) {
    (void)list.name(i);
    try {
      (void)list.columns(i);
    } catch (const Error&) {
    }
  }
}

void decode(std::span<const std::uint8_t> file, ColorSpace color) {
  const ImageOptions options{.color = color, .max_output_bytes = 1 << 18};
  Image out;
  decode_image_file(file, options, out);
  const ImageSize size = peek_image(file, options);
  if (out.height() == size.height && out.width() == size.width) return;
  std::cerr << "the image has another size than its header says" << std::endl;
  std::abort();
}

void examine(std::uint8_t kind, std::span<const std::uint8_t> content) {
  if (kind % 8 >= 6) return decode(content, kind % 8 == 6 ? ColorSpace::rgb : ColorSpace::gray);
  const MemoryFile file(content);
  switch (kind % 8) {
    case 0:
      return read_tar(file.path());
    case 1:
      return stream_tar(file.path());
    case 2:
      (void)TarIndex::open(file.path());
      return;
    case 3:
      return read_list(file.path(), ListFormat::csv);
    case 4:
      return read_list(file.path(), ListFormat::tsv);
    default:
      return read_list(file.path(), ListFormat::json_lines);
  }
}

}  // namespace
}  // namespace sluice

// The entry point that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    sluice::examine(data[0], {data + 1, size - 1});
  } catch (const sluice::Error&) {
  }
  return 0;
}
