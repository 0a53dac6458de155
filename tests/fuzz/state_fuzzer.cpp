// Feeds invalid files of Sluice's own kinds to their readers: packs, JPEG indexes, archive indexes,
// saved plans and checkpoints. Only a Sluice error may result. For libFuzzer, under the address and
// undefined behavior sanitizers; scripts/fuzz builds and runs it. The first byte of an input
// selects the kind, and the rest is the file.
//
// The idea: packs and indexes have checksums, which no mutated file would pass. So the fuzzer
// usually computes them anew before it reads a file, and gets to what comes after them.

#include "tests/fuzz/memory_file.h"
#include "tests/io/images.h"
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/io/packs/shard.h>
#include <sluice/io/readers/tar.h>
#include <sluice/ops/operators.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

using Content = std::vector<std::uint8_t>;

[[noreturn]] void fail(const char* what) {
  std::cerr << what << std::endl;
  std::abort();
}

// A part of a file, whose numbers are little-endian, as those of this machine.
class Part {
 public:
  explicit Part(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::span<std::uint8_t> bytes() const { return bytes_; }
  // Empty if there are too few bytes.
  Part part(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return Part({});
    return Part(bytes_.subspan(at, size));
  }
  template <class T>
  T get(std::size_t at) const {
    T number{};
    if (at + sizeof number <= bytes_.size())
      std::memcpy(&number, bytes_.data() + at, sizeof number);
    return number;
  }
  template <class T>
  void set(std::size_t at, T number) const {
    if (at + sizeof number <= bytes_.size())
      std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  std::uint64_t hash() const { return digest_of(bytes_).hash; }

 private:
  std::span<std::uint8_t> bytes_;
};

// See packed_jpeg.h for the layout.
void seal_packed_jpeg(const Part& sample, std::uint64_t dictionary) {
  const auto head_bytes = sample.get<std::uint32_t>(0);
  const std::size_t header_bytes = sample.get<std::uint16_t>(12);
  const std::size_t grain = sample.get<std::uint8_t>(14);
  const Part head = sample.part(0, head_bytes);
  if (head.size() < PackedJpegParts::kFixedBytes) return;
  head.set(24, dictionary);
  const std::size_t groups = head.get<std::uint32_t>(20);
  const std::size_t segments = grain > 0 ? (groups + grain - 1) / grain : groups;
  std::size_t at = PackedJpegParts::kFixedBytes + header_bytes;
  std::size_t data = head_bytes;
  for (std::uint32_t row = 0; row < head.get<std::uint32_t>(16); ++row) {
    const Part entry = head.part(at, 4 + 2 * segments);
    if (entry.size() == 0) break;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < segments; ++i) bytes += entry.get<std::uint16_t>(4 + 2 * i);
    entry.set(0, checksum_of_packed_row(sample.part(data, bytes).bytes()));
    at += entry.size();
    data += bytes;
  }
  head.set(32, checksum_of_packed_head(head.bytes()));
}

// See shard.h for the layout.
void seal_pack(const Part& pack) {
  constexpr std::size_t kBegin = 32, kEnd = 48, kEntry = 24;
  if (pack.size() < kBegin + kEnd) return;
  const std::uint64_t dictionary =
      checksum_of_dictionary(pack.part(kBegin, pack.get<std::uint32_t>(12)).bytes());
  pack.set(16, dictionary);
  pack.set(24, pack.part(0, 24).hash());
  const Part end = pack.part(pack.size() - kEnd, kEnd);
  const Part index = pack.part(end.get<std::uint64_t>(8), end.get<std::uint64_t>(16));
  std::size_t at = 4;
  for (std::uint32_t i = 0; i < index.get<std::uint32_t>(0) && at < index.size(); ++i)
    at += 4 + index.get<std::uint32_t>(at);
  for (std::uint64_t i = 0; i < end.get<std::uint64_t>(24); ++i, at += kEntry) {
    const Part entry = index.part(at, kEntry);
    if (entry.size() == 0) break;
    const Part sample = pack.part(entry.get<std::uint64_t>(0), entry.get<std::uint32_t>(8));
    if (entry.get<std::uint32_t>(12) > 0) seal_packed_jpeg(sample, dictionary);
    entry.set(16, sample.hash());
  }
  end.set(32, index.hash());
  end.set(40, end.part(0, 40).hash());
}

// See JpegIndexFile for the layout.
void seal_jpeg_index(const Part& file) {
  constexpr std::size_t kHeader = 56, kRow = 48, kName = 24;
  const auto files = file.get<std::uint64_t>(16), names = file.get<std::uint64_t>(32);
  if (files > file.size() || names > file.size()) return;
  const Part table = file.part(kHeader, files * kRow);
  const Part name_table = file.part(kHeader + files * kRow, names * kName);
  const std::size_t records = kHeader + files * kRow + names * kName;
  for (std::size_t at = 0; at < table.size(); at += kRow) {
    const Part row = table.part(at, kRow);
    const std::uint64_t first = row.get<std::uint64_t>(16) % (file.size() + 1);
    row.set(40, file.part(records + first * sizeof(JpegIndexRecord),
                          row.get<std::uint32_t>(24) * sizeof(JpegIndexRecord))
                    .hash());
  }
  std::uint64_t both[] = {table.hash(), name_table.hash()};
  const std::span<std::uint64_t> hashes(both);
  file.set(40, Part({reinterpret_cast<std::uint8_t*>(hashes.data()), hashes.size_bytes()}).hash());
  file.set(48, file.part(0, 48).hash());
}

void seal_archive_index(const Part& file) {
  constexpr std::size_t kHeader = 32;
  if (file.size() >= kHeader) file.set(24, file.part(kHeader, file.size() - kHeader).hash());
}

constexpr std::int64_t kMostSamples = 50;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 19;  // of an image

void read_pack(const std::string& path) {
  const auto pack = pack_in<std::string>(path, {.columns = {"name"}});
  Image image;
  for (std::int64_t i = 0; i < std::min(pack.size(), kMostSamples); ++i) {
    (void)pack.name(i);
    try {
      const auto [file, name] = pack.read(i);
      const JpegOptions options{.max_scans = 6, .max_output_bytes = kMostBytes};
      decode_jpeg_image(file, options, image);
      decode_jpeg_region(file, {0, 0, 1, 1}, options, image);
      (void)unpack_jpeg(pack.read_whole(i));
    } catch (const Error&) {
    }
  }
}

// A valid index belongs to this file.
const Bytes& indexed_file() {
  static const Bytes file = encode_jpeg(draw_image(37, 50, 3));
  return file;
}

void read_jpeg_index(const std::string& path) {
  for (const std::int64_t bytes_in_memory : {0, 1 << 20}) {
    const auto index = JpegIndex::open(path, bytes_in_memory);
    (void)index->matches("a.jpg", digest_of(indexed_file()));
    Bytes file = Bytes::copy_of(indexed_file());
    file.set_index(index, digest_of(file).hash);
    Image image;
    for (const Rectangle& region : {Rectangle{0, 0, 1, 1}, Rectangle{30, 40, 7, 10}}) {
      try {
        decode_jpeg_region(file, region, {}, image);
      } catch (const Error&) {
      }
    }
  }
}

void read_archive_index(const std::string& path) {
  std::size_t bytes = 0;
  const TarIndex index = TarIndex::open(path);
  for (const TarIndex::Archive& archive : index.archives())
    for (const TarIndex::Entry& entry : archive.entries) bytes += archive.name_of(entry).size();
  if (bytes > (std::size_t{1} << 30)) fail("names of files are longer than the index");
}

SavedPlan parse(const std::string& text) {
  return SavedPlan::parse(text, "plan", detail::registry());
}

// What can be read can be recorded, and what is recorded can be read again as the same.
void read_plan(const std::string& text) {
  const auto recorded = [](const SavedPlan& plan) {
    const auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
      auto [jpeg, label] = g.source(1, [](const SampleInfo& info) {
        return std::tuple{Bytes(), info.index_in_epoch};
      });
      return plan.apply<Image, std::int64_t>(jpeg, label);
    });
    return detail::to_json(pipeline.recorded_plan(), detail::registry());
  };
  const std::string first = recorded(parse(text));
  if (recorded(parse(first)) != first) fail("a plan that was recorded is another one when read");
}

void read_checkpoint(const std::string& text) {
  const Checkpoint checkpoint = Checkpoint::from_json(text);
  if (Checkpoint::from_json(checkpoint.to_json()) != checkpoint)
    fail("a checkpoint that was written is another one when read");
}

void examine(std::uint8_t kind, std::span<const std::uint8_t> content) {
  const std::string text(content.begin(), content.end());
  if (kind % 8 == 6) return read_plan(text);
  if (kind % 8 == 7) return read_checkpoint(text);
  Content sealed(content.begin(), content.end());
  const bool is_sealed = kind % 2 == 0;
  constexpr void (*kSeals[])(const Part&) = {seal_pack, seal_jpeg_index, seal_archive_index};
  constexpr void (*kReaders[])(const std::string&) = {read_pack, read_jpeg_index,
                                                      read_archive_index};
  if (is_sealed) kSeals[kind % 8 / 2](Part(sealed));
  const MemoryFile file(sealed);
  kReaders[kind % 8 / 2](file.path());
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
