// files_in: a dataset of the JPEG files in a folder, for Graph::read. Also LeftOut and ReadParts,
// which other datasets use too.
//
//   auto [jpeg, label] = g.read(files_in("photos"));
//
// Files are found once, when files_in is called, in the folder and all folders below, and sorted by
// path. Entries whose names begin with a dot are left out, with everything in such folders. Links
// to folders are followed. Within a class a folder is read once: under the first path that leads to
// it, in sorted order. left_out() counts everything that is not read.
//
// Labels follow the usual layout of image classification. If the files are in folders, the folders
// directly below `folder` are the classes, numbered in sorted order from 0. If all files are in
// `folder` itself, every label is -1. A class without files is an error unless `allow_empty`
// permits it. It then keeps its number, so that labels of training and validation agree. `classes`
// fixes the list:
//
//   const Files train = files_in("train");
//   const Files val = files_in("val", {.classes = train.classes()});
//
// With an index that knows the file, only the header and the parts that the decoded region needs
// are read:
//
//   g.read(files_in("photos", {.index = JpegIndex::in_memory()}))            // from epoch 1 on
//   g.read(files_in("photos", {.index = JpegIndex::open("photos.index")}))   // see `sluice index`
//
// The index finds a file by the hash of its content. The hash is computed once, when the whole file
// is read for the first time, and kept until the file changes. From then on, a file of a local disk
// that the system has in memory is read as Bytes on demand: the header is read here, the rest by
// the step that decodes (ReadParts changes that). If a file changes in between, its sample fails:
// pixels never mix two contents. No descriptor is kept open meanwhile. Files of a network are
// always read whole. So are files that go to a step that needs all bytes, or into a batch.
//
// With `verify`, files are compared with the digests that the index keeps. left_out() counts the
// files that are not in the index, which will fail, and those of the index that were not found.
//
// Ownership: Files is a small handle on a shared, immutable list, which keeps the index; copies are
// cheap. The bytes that it returns keep the index, too. Threads: any number at once. Errors:
// files_in throws IoError for a folder that is missing, unreadable or without JPEG files, for a
// class that is not in `classes`, and for an index without digests to verify. Unless FilesOptions
// permit them, it also throws for a class without files and for an unreadable folder below. A file
// that cannot be read later fails its sample only.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice {

// LeftOut: files that a source does not read, with the reason.
//
//   for (const LeftOut& one : files.left_out()) ...
//   log(words_of(files.left_out()));  // "left out 4 with the ending .png (first: 'a/1.png')"
//
// Each folder, link or archive that cannot be read has its own entry. Files that a rule leaves out,
// for example by the endings of their names, are counted: one entry for each reason, with the first
// path. Entries are in the order of their paths.
//
// Ownership: values. Threads: LeftOutCounter may be used by several. Errors: std::bad_alloc.

struct LeftOut {
  std::string path;    // the first of them
  std::string reason;  // "Permission denied"; for a rule "with the ending .png"
  // The number of files that a rule leaves out; 0: a warning about the path, which is read.
  std::int64_t count = 1;
  bool unreadable = true;  // true: cannot be read; false: left out by a rule
};

// Returns a sentence with the counts of the first reasons; empty if nothing is left out. Paths are
// printable.
std::string words_of(const std::vector<LeftOut>& left_out);

namespace detail {

class LeftOutCounter {
 public:
  LeftOutCounter();
  ~LeftOutCounter();
  LeftOutCounter(const LeftOutCounter&) = delete;
  LeftOutCounter& operator=(const LeftOutCounter&) = delete;

  void add_unreadable(std::string path, std::string reason);
  // `reason` completes "left out 4 ...".
  void add(std::string_view path, std::string_view reason, std::int64_t count = 1);
  std::vector<LeftOut> list() const;
  void clear();

 private:
  struct Counts;
  std::unique_ptr<Counts> counts_;
};

}  // namespace detail

// ReadParts: when only the needed parts of a JPEG file are read, if an index knows it. An option of
// files_in, list_in and tar_in. Plain data.

// Parts are read by the step that decodes, on a compute thread. Whole files are read on threads
// that may wait for a disk.
enum class ReadParts : std::uint8_t {
  never,
  // For files that the system has in memory, so that no compute thread waits for a disk.
  cached,
  // Also for files on a disk, which then reads less. But a compute thread waits for the disk, so
  // the pipeline needs more threads. For large files and small regions.
  always
};

// Verify: which files are compared with the digests that the index keeps of them, when they are
// read. An option of files_in and list_in. So corruption that still decodes is found, and so are
// files that others have replaced. Such a file fails its sample. Plain data.

enum class Verify : std::uint8_t {
  never,
  sample,  // in each epoch one of 16, so that 16 epochs compare each file once
  always   // each file; all bytes of it are then read, also for a region
};

// A file or folder that cannot be read, or is not of the expected kind.
class IoError : public Error {
 public:
  using Error::Error;
};

class JpegIndex;

// The treatment of unreadable entries below a folder: locked folders, links that lead nowhere or
// back to a folder above them.
enum class Unreadable : std::uint8_t {
  fail,      // files_in throws
  leave_out  // Files::left_out() lists them
};

struct FilesOptions {
  std::shared_ptr<JpegIndex> index = {};  // null: none
  ReadParts parts = ReadParts::cached;    // of files that the index knows
  // Needs an index that `sluice index` has made of the same folder.
  Verify verify = Verify::never;
  Unreadable unreadable = Unreadable::fail;
  // Endings of the names of files to read, in any letter case.
  std::vector<std::string> endings = {".jpg", ".jpeg", ".jpe"};
  // The names of the classes, in the order of their numbers; a class may then have no files. If
  // empty: the folders directly below, sorted.
  std::vector<std::string> classes = {};
  // A folder directly below without files is a class, too; otherwise it is an error.
  bool allow_empty = false;
};

class Files {
 public:
  explicit Files(const std::string& folder, const FilesOptions& options = {});

  std::int64_t size() const;
  // The path of file i, beginning with the given folder.
  const std::string& name(std::int64_t i) const;
  // The same without the folder.
  std::string_view name_below(std::int64_t i) const;
  // The class of file i, or -1.
  std::int64_t label(std::int64_t i) const;
  // Names of the classes; empty if there are none.
  const std::vector<std::string>& classes() const;
  // The folder as given.
  const std::string& folder() const;
  // The files and folders below that are not read, and classes without files.
  const std::vector<LeftOut>& left_out() const;

  // For checkpoints: identifies the list of files by their paths below the folder, and the classes.
  const std::string& fingerprint() const;

  // The amount read from the files so far; for stats().
  SourceReads reads() const;

  // Returns the bytes of file i, and its class. Verify::sample depends on the epoch.
  std::tuple<Bytes, std::int64_t> read(std::int64_t i, std::int64_t epoch = 0) const;

  // For Graph::read: reads file info.index.
  static constexpr bool blocks = true;
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const;

 private:
  struct List;
  std::shared_ptr<const List> list_;
};

// The dataset of files whose names have one of the endings: by default .jpg, .jpeg or .jpe, in any
// letter case.
Files files_in(const std::string& folder, const FilesOptions& options = {});

// Throws an IoError that names the difference unless both number the same classes in the same way.
void require_same_classes(const Files& one, const Files& other);

// Returns the bytes of a file; throws IoError with the path and the reason.
Bytes read_file(const std::string& path);

}  // namespace sluice
