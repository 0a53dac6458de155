// Packs: what PackWriter writes, pack_in reads. Broken packs, changed packs and wrong calls have
// clear errors.

#include "tests/io/images.h"
#include "tests/io/readers/scratch.h"
#include "tests/mutants.h"
#include "tests/tried.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pack_in_test {

class PackIn : public ScratchTest {
 protected:
  static constexpr int kFiles = 9;

  void SetUp() override {
    ScratchTest::SetUp();
    for (int i = 0; i < kFiles; ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      files_.push_back(encode_jpeg(draw_image(90 + i, 300 - i, i % 4 == 3 ? 1 : 3, seed),
                                   {.quality = 70 + i, .progressive = i % 5 == 4}));
    }
    files_.push_back(Bytes::copy_of(bytes_of("not an image")));
  }
  static std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  static std::vector<std::string> cells(int i) {
    return {"class " + std::to_string(i % 2) + "/" + std::to_string(i) + ".jpg",
            std::to_string(i % 2), std::to_string(i) + ".5"};
  }
  std::string folder() const { return path("packs"); }
  PackStats write_packs(const PackWriterOptions& options = {}, int files = kFiles + 1) {
    PackWriter writer(folder(), {"name", "label", "weight"}, options);
    for (int i = 0; i < files; ++i)
      writer.add(Bytes::view_of(files_[static_cast<std::size_t>(i)]), cells(i));
    writer.finish();
    return writer.stats();
  }
  std::string content_of(const std::string& file) const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  std::vector<Bytes> files_;
};

TEST_F(PackIn, ReadsWhatWasWritten) {
  const PackStats stats = write_packs({.pack_bytes = 30'000, .threads = 2});
  EXPECT_EQ(stats.files, kFiles + 1);
  EXPECT_EQ(stats.packed, kFiles);
  EXPECT_EQ(stats.stored, 1);
  EXPECT_EQ(stats.reasons, (std::map<std::string, std::int64_t>{{"not a JPEG file", 1}}));
  EXPECT_GT(stats.packs, 2);
  const auto pack = pack_in<std::string, std::int64_t, float>(
      folder(), {.columns = {"name", "label", "weight"}, .parts = ReadParts::always});
  ASSERT_EQ(pack.size(), kFiles + 1);
  EXPECT_EQ(pack.all_columns(), (std::vector<std::string>{"name", "label", "weight"}));
  for (int i = 0; i <= kFiles; ++i) {
    SCOPED_TRACE(i);
    const auto [bytes, name, label, weight] = pack.read(i);
    EXPECT_EQ(name, cells(i)[0]);
    EXPECT_EQ(label, i % 2);
    EXPECT_EQ(weight, static_cast<float>(i) + 0.5f);
    EXPECT_TRUE(pack.name(i).ends_with(".pack:" + name)) << pack.name(i);
    EXPECT_EQ(pack.cell(i, "weight"), cells(i)[2]);
    const Bytes& file = files_[static_cast<std::size_t>(i)];
    const Bytes whole = pack.read_whole(i);
    if (i == kFiles) {
      EXPECT_FALSE(pack.is_packed(i));
      EXPECT_EQ(text_of(bytes), "not an image");
      continue;
    }
    EXPECT_TRUE(pack.is_packed(i));
    const std::vector<std::uint8_t> again = unpack_jpeg(whole);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), file.begin(), file.end()));
    Image expected, decoded;
    decode_jpeg_image(file, {}, expected);
    EXPECT_EQ(decode_jpeg_image(bytes, {}, decoded).path, JpegPath::packed);
    EXPECT_EQ(decoded, expected);
  }
}

TEST_F(PackIn, ARegionReadsOnlyItsRows) {
  write_packs();
  constexpr Rectangle kRegion{40, 100, 20, 50};
  for (const ReadParts parts : {ReadParts::never, ReadParts::always}) {
    const auto pack = pack_in(folder(), {.parts = parts});
    for (int i = 0; i < kFiles; ++i) {
      const SourceReads before = pack.reads();
      const auto [bytes, label] = pack.read(i);
      EXPECT_EQ(label, i % 2);
      Image expected, decoded;
      decode_jpeg_region(files_[static_cast<std::size_t>(i)], kRegion, {}, expected);
      decode_jpeg_region(bytes, kRegion, {}, decoded);
      EXPECT_EQ(decoded, expected);
      const SourceReads read = pack.reads() - before;
      EXPECT_EQ(read.files, 1);
      EXPECT_EQ(read.file_bytes, pack.bytes(i));
      const bool whole = parts == ReadParts::never;
      EXPECT_EQ(read.bytes_read == read.file_bytes, whole);
      EXPECT_TRUE(whole || read.bytes_read < read.file_bytes * 3 / 4);
    }
  }
}

TEST_F(PackIn, TheNumberOfThreadsDoesNotChangeAPack) {
  write_packs({.threads = 1});
  const std::string one = content_of(folder() + "/part-00000.pack");
  std::filesystem::remove_all(folder());
  write_packs({.threads = 3});
  EXPECT_EQ(content_of(folder() + "/part-00000.pack"), one);
}

TEST_F(PackIn, WritingContinuesAfterWholePacks) {
  const PackWriterOptions options{.pack_bytes = 20'000};
  write_packs(options);
  std::vector<std::string> packs;
  for (int i = 0;; ++i) {
    const std::string file = folder() + "/part-0000" + std::to_string(i) + ".pack";
    if (!std::filesystem::exists(file)) break;
    packs.push_back(content_of(file));
  }
  ASSERT_GT(packs.size(), 3u);
  // The last packs are missing, as after a kill.
  for (std::size_t i = 2; i < packs.size(); ++i)
    std::filesystem::remove(folder() + "/part-0000" + std::to_string(i) + ".pack");
  EXPECT_EQ(error_of([&] { write_packs(options); }),
            "the folder 'packs' has packs already; give another folder, remove them, or continue "
            "them with resume (sluice pack --resume)");
  PackWriterOptions resume = options;
  resume.resume = true;
  const PackStats stats = write_packs(resume);
  EXPECT_GT(stats.skipped, 0);
  EXPECT_EQ(stats.skipped + stats.files, kFiles + 1);
  for (std::size_t i = 0; i < packs.size(); ++i)
    EXPECT_EQ(content_of(folder() + "/part-0000" + std::to_string(i) + ".pack"), packs[i]) << i;

  EXPECT_EQ(error_of([&] { write_packs(resume, 1); }),
            "the packs in 'packs' hold 10 samples, but only 1 were passed again; give another "
            "folder");
  EXPECT_EQ(error_of([&] {
              PackWriter writer(folder(), {"name", "label", "weight"}, resume);
              writer.add({}, {"other.jpg", "0", "0.5"});
            }),
            "the packs in 'packs' are of other files: sample 0 has name 'class 0/0.jpg' there, but "
            "'other.jpg' here; give another folder");
  EXPECT_EQ(error_of([&] { PackWriter(folder(), {"name"}, resume); }),
            "the pack 'packs/part-00000.pack' has other columns than those to be written; give "
            "another folder");
}

TEST_F(PackIn, OtherPacksAreNotMixedOrReplaced) {
  write_packs({.pack_bytes = 20'000});
  // With a gap, the pack behind it would be replaced.
  std::filesystem::remove(folder() + "/part-00000.pack");
  const std::string expected =
      "the folder 'packs' has another pack, 'part-0000X.pack'; give another folder, or move it "
      "away";
  for (const bool resume : {false, true}) {
    std::string error = error_of([&] { write_packs({.pack_bytes = 20'000, .resume = resume}); });
    const std::size_t digit = error.find(".pack'");
    ASSERT_NE(digit, std::string::npos) << error;
    error[digit - 1] = 'X';
    EXPECT_EQ(error, expected);
  }
  std::filesystem::remove_all(folder());
  PackWriter writer(folder(), {"label"});
  EXPECT_NE(error_of([&] {
              writer.add(Bytes::copy_of(bytes_of("SLUICEPJ and more")), {"1"});
            }).find("unpack it"),
            std::string::npos);
}

TEST_F(PackIn, WrongCallsAreRefused) {
  write_packs();
  const auto read = [&](const PackOptions& options) { (void)pack_in(folder(), options); };
  EXPECT_EQ(error_of([&] { read({.columns = {"class"}}); }),
            "the pack 'packs/part-00000.pack' has no column 'class'; its columns: 'name', 'label', "
            "'weight'");
  EXPECT_EQ(error_of([&] { read({.columns = {}}); }),
            "pack_in: there are 1 types for 0 columns (none)");
  EXPECT_EQ(error_of([&] { (void)pack_in(std::vector<std::string>{}); }),
            "pack_in: there are no packs; give a folder or files");
  EXPECT_EQ(error_of([&] { (void)pack_in(path("missing")).size(); }),
            "'missing' cannot be opened: No such file or directory");
  std::filesystem::create_directory(path("empty"));
  EXPECT_EQ(error_of([&] { (void)pack_in(path("empty")).size(); }),
            "the folder 'empty' holds no packs (.pack); 'sluice pack' writes them");
  const auto names = pack_in<std::int64_t>(folder(), {.columns = {"name"}});
  EXPECT_EQ(error_of([&] { (void)names.read(1); }),
            "sample 'packs/part-00000.pack:class 1/1.jpg', column 'name': 'class 1/1.jpg' is not a "
            "whole number");
  EXPECT_THROW((void)names.read(100), std::out_of_range);
  EXPECT_EQ(error_of([&] {
              PackWriter(path("w"), {"a", "a"});
            }),
            "PackWriter: a column has no name, or the name of another one");
  EXPECT_EQ(error_of([&] { PackWriter(path("w"), {"a"}).add({}, {}); }),
            "PackWriter::add: 0 texts were given for 1 columns");
  const std::string other = write("file", "x");
  EXPECT_EQ(error_of([&] { PackWriter(other + "/w", {"a"}); }),
            "the folder 'file/w' cannot be made");
}

TEST_F(PackIn, ADamagedSampleFailsAlone) {
  write_packs({}, 3);
  const std::string file = folder() + "/part-00000.pack";
  std::string content = content_of(file);
  const auto whole = pack_in(folder());
  const std::int64_t end = whole.bytes(0) + whole.bytes(1) + whole.bytes(2);
  // The samples stand before the index and the end; change the middle of the second.
  std::uint64_t index_at = 0;
  std::memcpy(&index_at, content.data() + content.size() - 40, 8);
  const auto second = index_at - static_cast<std::uint64_t>(end - whole.bytes(0)) +
                      static_cast<std::uint64_t>(whole.bytes(1)) / 2;
  content[second] = static_cast<char>(content[second] ^ 4);
  std::filesystem::remove(file);
  write("packs/part-00000.pack", content);
  for (const ReadParts parts : {ReadParts::never, ReadParts::always}) {
    const auto pack = pack_in(folder(), {.parts = parts});
    for (int i = 0; i < 3; ++i) {
      const auto decode = [&] {
        const auto [bytes, label] = pack.read(i);
        Image image;
        decode_jpeg_image(bytes, {}, image);
      };
      const std::string error = error_of(decode);
      if (i != 1) {
        EXPECT_EQ(error, "no error");
      } else {
        EXPECT_NE(error.find("checksum"), std::string::npos) << error;
      }
    }
  }
}

TEST_F(PackIn, APackThatChangesFailsItsSamples) {
  write_packs({}, 3);
  const std::string file = folder() + "/part-00000.pack";
  const auto pack = pack_in(folder(), {.parts = ReadParts::always});
  const auto [begun, label] = pack.read(0);
  const std::string content = content_of(file);
  write("packs/part-00000.pack", content.substr(0, content.size() / 2));
  const std::string expected =
      "the pack 'packs/part-00000.pack' has changed since it was opened; do not change packs while "
      "a pipeline reads them";
  EXPECT_EQ(error_of([&] { (void)pack.read(1); }), expected);
  EXPECT_EQ(error_of([&] { (void)pack.read_whole(1); }), expected);
  Image image;
  const Bytes& first = begun;
  EXPECT_NE(error_of([&] { decode_jpeg_image(first, {}, image); }).find("has changed"),
            std::string::npos);
  std::filesystem::remove(file);
  EXPECT_EQ(error_of([&] { (void)pack.read(1); }),
            "'packs/part-00000.pack' cannot be opened: No such file or directory");
}

TEST_F(PackIn, CutAndForgedPacksAreErrors) {
  write_packs({}, 4);
  const std::string file = folder() + "/part-00000.pack";
  const std::string content = content_of(file);
  std::filesystem::remove_all(folder());
  const auto read_all = [&](const std::string& name) {
    const auto pack = pack_in<std::string>(name, {.columns = {"name"}});
    for (std::int64_t i = 0; i < pack.size(); ++i) (void)pack.read_whole(i);
  };
  for (std::size_t bytes = 0; bytes < content.size(); bytes += 1 + content.size() / 60) {
    const std::string cut = write("cut.pack", content.substr(0, bytes));
    testing::tried("damaged-input");
    EXPECT_NE(error_of([&] { read_all(cut); }), "no error") << bytes;
  }
  testing::Mutants mutants(content);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string mutant = write("mutant.pack", mutants.next());
    testing::tried("damaged-input");
    refused += error_of([&] { read_all(mutant); }) != "no error" ? 1 : 0;
  }
  EXPECT_GT(refused, 100);
  std::string newer = content;
  newer[8] = 2;
  EXPECT_EQ(error_of([&] { read_all(write("newer.pack", newer)); }),
            "the pack 'newer.pack' has version 2, but this is a program for version 1; install a "
            "newer one, or write the pack again");
  EXPECT_EQ(error_of([&] { read_all(write("text.pack", std::string(1000, 'a'))); }),
            "the pack 'text.pack' is not a pack of Sluice");
}

// A checksum that fits does not make a dictionary valid.
TEST_F(PackIn, AForgedDictionaryIsFoundWhenThePackIsOpened) {
  write_packs({.pack_bytes = 30'000}, 6);
  const std::string second = folder() + "/part-00001.pack";
  std::string content = content_of(second);
  constexpr std::size_t kHeader = 32;
  const auto put = [&](std::size_t at, std::uint64_t number) {
    std::memcpy(content.data() + at, &number, sizeof number);
  };
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, content.data() + 12, sizeof bytes);
  content[kHeader + 2] = 9;  // the length of the first token
  const std::string_view text = content;
  put(16, checksum_of_dictionary(bytes_of(text.substr(kHeader, bytes))));
  put(24, checksum_of_dictionary(bytes_of(text.substr(0, 24))));  // all checksums are of one kind
  write("packs/part-00001.pack", content);
  const std::string expected =
      "the pack 'packs/part-00001.pack' is damaged (the dictionary of tokens is damaged: a token "
      "is too long); write it again with 'sluice pack'";
  EXPECT_EQ(error_of([&] { (void)pack_in(folder()).size(); }), expected);
  EXPECT_EQ(error_of([&] {
              PackWriter(folder(), {"name", "label", "weight"}, {.resume = true});
            }),
            expected);
}

}  // namespace pack_in_test
}  // namespace sluice
