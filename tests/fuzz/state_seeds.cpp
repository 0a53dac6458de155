// Writes first inputs of all kinds for state_fuzzer into a folder:
//
//   state_seeds FOLDER

#include "tests/io/images.h"
#include "tests/io/readers/tar_writer.h"
#include "tests/ops/saved_plan/programs.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/readers/tar.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace sluice {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)), scratch_(path_.string() + ".scratch") {
    fs::create_directories(path_);
    fs::remove_all(scratch_);
    fs::create_directories(scratch_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string scratch(const std::string& name) const { return (scratch_ / name).string(); }
  // The first byte is the kind: see examine() of state_fuzzer.
  void add(const std::string& name, char kind, const std::string& content) const {
    std::ofstream out(path_ / name, std::ios::binary);
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out << kind << content;
  }
  // Adds a file for both kinds: with checksums that the fuzzer computes, and as it is.
  void add_file(const std::string& name, char sealed, const std::string& file) const {
    std::ifstream in(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    add(name + "-sealed", sealed, content);
    add(name, static_cast<char>(sealed + 1), content);
  }

 private:
  fs::path path_, scratch_;
};

void add_packs(const Folder& folder) {
  for (const int files : {0, 1, 4}) {
    const std::string name = "pack" + std::to_string(files);
    PackWriter writer(folder.scratch(name), {"name", "label"}, {.threads = 1});
    for (int i = 0; i < files; ++i) {
      writer.add(encode_jpeg(draw_image(20 + 9 * i, 40 - i, i % 4 == 3 ? 1 : 3),
                             {.quality = 60 + 9 * i, .progressive = i == 2}),
                 {std::to_string(i) + ".jpg", std::to_string(i % 2)});
    }
    if (files > 0) {
      constexpr std::string_view kNoImage = "not an image";
      writer.add(
          Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(kNoImage.data()), kNoImage.size()}),
          {"text", ""});
    }
    writer.finish();
    for (const fs::directory_entry& pack : fs::directory_iterator(folder.scratch(name)))
      folder.add_file(name, '\0', pack.path().string());
  }
}

void add_jpeg_indexes(const Folder& folder) {
  const Bytes file = encode_jpeg(draw_image(37, 50, 3));  // the one that state_fuzzer decodes
  for (const std::uint32_t grain : {0U, 1U}) {
    const auto index = JpegIndex::in_memory({.grain = grain});
    (void)learn_jpeg(file, *index);
    (void)learn_jpeg(encode_jpeg(draw_image(90, 20, 1)), *index);
    index->keep_name("a.jpg", digest_of(file));
    const std::string path = folder.scratch("index");
    index->save(path);
    folder.add_file("index" + std::to_string(grain), '\2', path);
  }
}

void add_archive_indexes(const Folder& folder) {
  const std::string archive = folder.scratch("a.tar"), path = folder.scratch("a.index");
  std::ofstream(archive, std::ios::binary)
      << TarWriter().file("x/1.jpg", "one").file("x/1.cls", "1").file("2.jpg", "").whole();
  TarIndex::of({archive, archive}).save(path);
  folder.add_file("archives", '\4', path);
}

void add_plans(const Folder& folder) {
  for (const auto& [name, describe] :
       {Program{"train", train}, {"eval", eval}, {"rotate", rotate_some}, {"all", everything}}) {
    const auto pipeline = pipeline_of(1, describe);
    folder.add("plan-" + name, '\6', json_of(pipeline.recorded_plan()));
    Checkpoint checkpoint = pipeline.checkpoint();
    folder.add("checkpoint-" + name, '\7', checkpoint.to_json());
    checkpoint.done = {{2, 4}, {3, 1}};
    checkpoint.judged = 3;
    checkpoint.states = {"text", std::string("\1\377\0z", 4)};
    folder.add("states-" + name, '\7', checkpoint.to_json());
  }
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: state_seeds FOLDER\n");
    return 2;
  }
  const sluice::Folder folder(argv[1]);
  sluice::add_packs(folder);
  sluice::add_jpeg_indexes(folder);
  sluice::add_archive_indexes(folder);
  sluice::add_plans(folder);
} catch (const std::exception& error) {
  std::fprintf(stderr, "state_seeds: %s\n", error.what());
  return 1;
}
