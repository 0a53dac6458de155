// Dataset: the input of `sluice augment`: the folder of --data, the list of --list, the archives of
// --tar or the packs of --pack.
//
// A result is named after its sample: see place(). `wants` adds the boxes or the mask of each
// sample. Lists have them, and packs may have boxes.
//
// Ownership: shared and immutable once opened. Threads: any number at once. Errors: open_dataset
// throws UsageError that names the option; an exception from read() is the error of its sample.
#pragma once

#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/ops/boxes.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::app {

// The data that a recipe or a plan needs of each sample, besides its file.
enum class Wants { label, boxes, mask };
// For messages: the columns that a list must have, and their options, such as "boxes come from
// --list FILE ...". Empty for a label.
std::string list_with(Wants wants);

// Exactly one of data, list, tar and pack is set.
struct DatasetOptions {
  Wants wants = Wants::label;
  std::string data = {};               // folder with JPEG files
  std::string list = {};               // see list_in
  std::vector<std::string> tar = {};   // archives, or patterns for their names: see tar_in
  std::vector<std::string> pack = {};  // packs, or folders of packs: see pack_in
  std::string path = "path";           // the list's column with the file names
  // The column with the label, for a list, an archive or packs; empty: the label is -1, or the
  // column "label" of packs that have one. With boxes, the column with their labels; empty:
  // "labels".
  std::string label = {};
  std::string boxes = "boxes";  // the column with the boxes
  BoxFormat box_format = BoxFormat::xyxy;
  std::string mask = "mask";  // the column with the file name of the mask
  std::string offsets = {};   // for the archives: see TarIndex
  bool verify = false;        // compare the files of data or list with their digests in the index
};

// A sample of the dataset.
struct DatasetSample {
  Bytes file;
  std::int64_t label = -1;
  Tensor boxes = {}, labels = {};  // edges in pixels, f32, n x 4; and i64, n
  Bytes mask = {};                 // the content of the mask file
};

class Dataset {
 public:
  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;
  // For example "160 files in photos".
  virtual std::string words() const = 0;
  // The name of sample i in errors: a path, or "a.tar/x/0001".
  virtual std::string name(std::int64_t i) const = 0;
  // The name of sample i for people: relative to the folder, without control characters.
  virtual std::string title(std::int64_t i) const = 0;
  // The place of sample i's results below --out: folders and a name, with or without an ending. It
  // is a safe relative path. Several samples may have the same place.
  virtual std::string place(std::int64_t i) const = 0;
  virtual DatasetSample read(std::int64_t i) const = 0;
  // The amount read from files so far.
  virtual SourceReads reads() const = 0;
  // Differs for datasets with different samples.
  virtual std::string fingerprint() const = 0;
  // The names of the classes. Each gets a folder in the results, even if it stays empty.
  virtual std::vector<std::string> classes() const { return {}; }
  // The files and folders that are not read, for messages.
  virtual const std::vector<LeftOut>& left_out() const = 0;
};

std::shared_ptr<const Dataset> open_dataset(const DatasetOptions& options,
                                            const std::shared_ptr<JpegIndex>& index = nullptr);

// Throws UsageError unless exactly one of --data, --list, --tar and --pack is given, with options
// that fit it. `command` is the command's name for messages.
void check_dataset(const DatasetOptions& options, const char* command);

// The archives of --tar. A value with *, ? or [ that is not a file is a shell pattern. Throws
// UsageError for a pattern without a match.
std::vector<std::string> archives_of(const std::vector<std::string>& patterns);

}  // namespace sluice::app
