// Shared by the tests of tar_stream: archives, compressed ones and pipes among them, and the
// results of an epoch.
#pragma once

#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/tar_stream.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifdef SLUICE_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include <sys/stat.h>

namespace sluice {

using Strings = std::vector<std::string>;

#ifdef SLUICE_HAS_ARCHIVE
inline constexpr bool kReadsCompressed = true;
// `how` is "gzip", "zstd", "xz" or "bzip2".
inline std::string compressed(const std::string& content, const std::string& how) {
  std::string out(content.size() + (1 << 16), '\0');
  ::archive* const a = archive_write_new();
  archive_write_set_format_raw(a);
  EXPECT_EQ(archive_write_add_filter_by_name(a, how.c_str()), ARCHIVE_OK);
  archive_write_set_bytes_in_last_block(a, 1);
  std::size_t used = 0;
  EXPECT_EQ(archive_write_open_memory(a, out.data(), out.size(), &used), ARCHIVE_OK);
  ::archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  EXPECT_EQ(archive_write_header(a, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(a, content.data(), content.size()),
            static_cast<la_ssize_t>(content.size()));
  archive_entry_free(entry);
  EXPECT_EQ(archive_write_close(a), ARCHIVE_OK);
  archive_write_free(a);
  out.resize(used);
  return out;
}
#else
inline constexpr bool kReadsCompressed = false;
inline std::string compressed(const std::string& content, const std::string&) { return content; }
#endif

// Writes into a named pipe, on a thread of its own.
class Writer {
 public:
  Writer(const std::string& path, std::string content) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    thread_ = std::thread(
        [path, content = std::move(content)] { std::ofstream(path, std::ios::binary) << content; });
  }
  ~Writer() { thread_.join(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  std::thread thread_;
};

class TarStreamTest : public ScratchTest {
 protected:
  // Makes samples first to end - 1: "7.jpg" holds "seven...7" of some length, "7.cls" the number.
  static std::string numbered(int first, int end, std::size_t bytes = 10) {
    TarWriter writer;
    for (int i = first; i < end; ++i) {
      const std::string stem = std::to_string(i);
      writer.file(stem + ".jpg", std::string(bytes, 'x') + stem).file(stem + ".cls", stem);
    }
    return writer.whole();
  }
  // Writes archives of samples 0, 1, 2, ...: sizes[i] of them in archive i.
  Strings archives(const std::vector<int>& sizes, std::size_t bytes = 10) const {
    Strings paths;
    int first = 0;
    for (const int size : sizes) {
      paths.push_back(
          write("n" + std::to_string(paths.size()) + ".tar", numbered(first, first + size, bytes)));
      first += size;
    }
    return paths;
  }

  using Labeled = TarStream<std::string, Bytes, std::int64_t>;
  static Labeled labeled(const Strings& paths, TarStreamOptions options = {}) {
    options.columns = {"__key__", "jpg", "cls"};
    return tar_stream<std::string, Bytes, std::int64_t>(paths, options);
  }
  static auto pipeline_of(const Labeled& stream, PipelineOptions options = {.batch_size = 4}) {
    if (options.threads == 0) options.threads = 2;
    options.on_error = OnError::skip;
    return make_pipeline(options, [&](Graph& g) {
      auto [key, file, label] = g.read(stream);
      return g.map(
          "text",
          [](const std::string& k, const Bytes& f, std::int64_t l) {
            return k + "=" + text_of(f) + "," + std::to_string(l);
          },
          key, file, label);
    });
  }
  // Returns each sample as "x/1=JPEG,5", or its error, in the order of positions.
  template <class P>
  Strings epoch_of(P& pipeline) const {
    std::map<std::int64_t, std::string> all;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i)
        all[batch.keys()[i].index] = std::string(batch.template get<0>()[i]);
      for (const SampleError& error : batch.errors())
        all[error.id] = error_of([&] { throw Error(error.what); });
    }
    Strings texts;
    for (auto& [position, text] : all) {
      EXPECT_EQ(position, std::ssize(texts));
      texts.push_back(std::move(text));
    }
    return texts;
  }
  Strings read(const Strings& paths, const TarStreamOptions& options = {}) const {
    auto pipeline = pipeline_of(labeled(paths, options));
    return epoch_of(pipeline);
  }
  // Returns the labels of the samples.
  static std::vector<std::int64_t> numbers(const Strings& texts) {
    std::vector<std::int64_t> all;
    for (const std::string& text : texts)
      all.push_back(std::stoll(text.substr(text.rfind(',') + 1)));
    return all;
  }
};

}  // namespace sluice
