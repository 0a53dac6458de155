// files_in: the JPEG files of a folder as a dataset for Graph::read; with LeftOut and ReadParts,
// which other datasets have, too.
//
//   auto [jpeg, label] = g.read(files_in("photos"));
//
// Files are found once, when files_in is called, in all folders below, and sorted by path. Entries
// whose names begin with a dot are left out, and so is what lies in such folders. Links to folders
// are followed. Below a class a folder is read once: under the first path that leads to it, in
// sorted order. left_out() counts all that is not read.
//
// Labels follow the usual layout of image classification: when the files lie in folders, the
// folders directly below `folder` are the classes, numbered in sorted order from 0; when they all
// lie in `folder` itself, every label is -1. A class without files is an error unless `allow_empty`
// permits it; it then keeps its number, so that labels of training and validation agree. `classes`
// fixes the list:
//
//   const Files train = files_in("train");
//   const Files val = files_in("val", {.classes = train.classes()});
//
// With an index that knows the file, only the header of the file and the parts that the decoded
// region needs are read:
//
//   g.read(files_in("photos", {.index = JpegIndex::in_memory()}))            // from epoch 1 on
//   g.read(files_in("photos", {.index = JpegIndex::open("photos.index")}))   // see `sluice index`
//
// The index finds a file by the hash of its content, which is computed once, when the file is read
// as a whole for the first time, and then kept for as long as the file stays as it is
// (file_hashes.h). From then on a file of a local disk that the system has in memory comes as Bytes
// on demand: the header is read here, the rest by the step that decodes (ReadParts has the
// choice). A file that changes in between is the error of its sample: pixels are never of two
// contents. No descriptor is kept open meanwhile. Files of a network are always read whole, and so
// are those that come to a step which looks at all bytes, or to a batch.
//
// Ownership: Files is a small handle on a shared, immutable list, which keeps the index; copies are
// cheap. The bytes that it gives keep the index, too. Threads: any number at once. Errors: files_in
// throws IoError for a folder that is missing, unreadable or without JPEG files, for a class that
// is not in `classes`, and, unless FilesOptions say otherwise, for a class without files and a
// folder below that cannot be read. A file that cannot be read later on is the error of its sample.
#pragma once

#include <sluice/graph/plan/sample.h>
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

// LeftOut: what a source does not read of its dataset, with the reason.
//
//   for (const LeftOut& one : files.left_out()) ...
//   log(words_of(files.left_out()));  // "left out 4 with the ending .png (first: 'a/1.png')"
//
// Each folder, link or archive that cannot be read is an entry of its own. Files that a rule leaves
// out, by the ending of their names for example, are counted: one entry for each reason, with the
// first path. Entries are in the order of their paths.
//
// Ownership: values. Threads: LeftOutCounter may be used by several. Errors: std::bad_alloc.

struct LeftOut {
  std::string path;        // the first of them
  std::string reason;      // "Permission denied"; for a rule "with the ending .png"
  std::int64_t count = 1;  // how many a rule leaves out
  bool unreadable = true;  // it cannot be read; else a rule leaves it out
};

// A sentence with the counts of the first reasons; empty if nothing is left out. Paths are
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

// ReadParts: when no more is read of a JPEG file than what is needed, where an index knows it: an
// option of files_in, list_in and tar_in. Plain data.

// Parts are read by the step that decodes, on a thread that computes; whole files on threads that
// may wait for a disk.
enum class ReadParts : std::uint8_t {
  never,
  // Of files that the system has in memory, so that nobody waits for a disk.
  cached,
  // Also of those that come from a disk, which then has less to read; but a thread that computes
  // waits for it, so that the pipeline wants more of them: for large files and small regions.
  always
};

// A file or folder that cannot be read, or is not what it should be.
class IoError : public Error {
 public:
  using Error::Error;
};

class JpegIndex;

// What becomes of what cannot be read below a folder: folders that are locked, links that lead
// nowhere or back to a folder above them.
enum class Unreadable : std::uint8_t {
  fail,      // files_in throws
  leave_out  // Files::left_out() names it
};

struct FilesOptions {
  std::shared_ptr<JpegIndex> index = {};  // null: none
  ReadParts parts = ReadParts::cached;    // of files that the index knows
  Unreadable unreadable = Unreadable::fail;
  // How the names of files end that count, in any case.
  std::vector<std::string> endings = {".jpg", ".jpeg", ".jpe"};
  // The names of the classes, in the order of their numbers; a class may have no files then. Empty:
  // the folders directly below, sorted.
  std::vector<std::string> classes = {};
  // A folder directly below that has no files is a class, too; otherwise it is an error.
  bool allow_empty = false;
};

class Files {
 public:
  explicit Files(const std::string& folder, const FilesOptions& options = {});

  std::int64_t size() const;
  // The path of file i, as it was found below the folder that was given.
  const std::string& name(std::int64_t i) const;
  // The class of file i, or -1.
  std::int64_t label(std::int64_t i) const;
  // Names of the classes; empty when there are none.
  const std::vector<std::string>& classes() const;
  // As it was given.
  const std::string& folder() const;
  // The files and folders below that are not read. A class without files is named here, too.
  const std::vector<LeftOut>& left_out() const;

  // For checkpoints: tells lists of files by their paths below the folder, and the classes.
  const std::string& fingerprint() const;

  // What has been read of the files so far; for stats().
  SourceReads reads() const;

  // The bytes of file i, and its class.
  std::tuple<Bytes, std::int64_t> read(std::int64_t i) const;

  // For Graph::read: reads file info.index.
  static constexpr bool blocks = true;
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const;

 private:
  struct List;
  std::shared_ptr<const List> list_;
};

// Files whose names end as the options say: in .jpg, .jpeg or .jpe, in any case.
Files files_in(const std::string& folder, const FilesOptions& options = {});

// Throws an IoError that names the difference unless both give the same numbers to the same
// classes.
void require_same_classes(const Files& one, const Files& other);

// The bytes of a file; throws IoError with the path and the reason.
Bytes read_file(const std::string& path);

}  // namespace sluice
