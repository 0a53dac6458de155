// Dataset: what `sluice augment` reads: the folder of --data, the list of --list or the archives of
// --tar.
//
// A result is named after its sample: see place().
//
// With `wants` each sample has its boxes or its mask, too, which only lists have.
//
// Ownership: shared and immutable once opened. Threads: any number at once. Errors: open_dataset
// throws UsageError that names the option; read() throws what is the error of its sample.
#pragma once

#include <sluice/io/jpeg/index.h>
#include <sluice/io/sources/files.h>
#include <sluice/ops/boxes.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::app {

// What a recipe or a plan is given of each sample beside its file.
enum class Wants { label, boxes, mask };
// "boxes come from --list FILE ...": which columns a list must have, and the options that name
// them, for messages; empty for a label.
std::string list_with(Wants wants);

// One of data, list and tar is given.
struct DatasetOptions {
  Wants wants = Wants::label;
  std::string data = {};              // folder with JPEG files
  std::string list = {};              // see list_in
  std::vector<std::string> tar = {};  // archives, or patterns of their names: see tar_in
  std::string path = "path";          // the column of a list that names the file
  // The column of a list or an archive with the label; empty: the label is -1. With boxes, the
  // column of their labels; empty: "labels".
  std::string label = {};
  std::string boxes = "boxes";  // the column with the boxes
  BoxFormat box_format = BoxFormat::xyxy;
  std::string mask = "mask";  // the column that names the file of the mask
  std::string offsets = {};   // of the archives: see TarIndex
};

// One of them.
struct DatasetSample {
  Bytes file;
  std::int64_t label = -1;
  Tensor boxes = {}, labels = {};  // edges in pixels, f32, n x 4; i64, n
  Bytes mask = {};                 // a file
};

class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;
  // "160 files in photos".
  virtual std::string words() const = 0;
  // What errors call sample i: a path, or "a.tar/x/0001".
  virtual std::string name(std::int64_t i) const = 0;
  // What people are told, below the folder and without control characters.
  virtual std::string title(std::int64_t i) const = 0;
  // Where the results of sample i lie below --out: a relative path that leads nowhere else, the
  // folders and the name, with or without an ending. Several samples may have the same.
  virtual std::string place(std::int64_t i) const = 0;
  virtual DatasetSample read(std::int64_t i) const = 0;
  // What has been read of files so far.
  virtual SourceReads reads() const = 0;
  // Tells datasets that give other samples.
  virtual std::string fingerprint() const = 0;
  // The names of the classes. Each gets a folder among the results, also one without results.
  virtual std::vector<std::string> classes() const { return {}; }
  // The files and folders that are not read, as people are told of them.
  virtual const std::vector<LeftOut>& left_out() const = 0;
};

std::shared_ptr<const Dataset> open_dataset(const DatasetOptions& options,
                                            const std::shared_ptr<JpegIndex>& index = nullptr);

// Throws UsageError unless just one of --data, --list and --tar is given, what goes with it, and
// what `wants` asks for; `command` is what it says it for.
void check_dataset(const DatasetOptions& options, const char* command);

// The archives of --tar. What is no file and has *, ? or [ in it is a pattern of names, as shells
// have them. Throws UsageError for a pattern that nothing fits.
std::vector<std::string> archives_of(const std::vector<std::string>& patterns);

}  // namespace sluice::app
