// ContactSheet: draws samples of `sluice augment` before and after, side by side, with their names
// and what was done to them. Report: collects the outcomes of the samples for the summary at the
// end and for the sheet. Other functions draw boxes and masks onto images, and write masks as
// files.
//
// Tiles of a sheet are in three columns, in the order in which they were added. The tile of a
// failed sample shows what can be decoded of the file, and a red field with the reason. Images are
// kept as thumbnails, so a sheet with a thousand tiles needs little memory.
//
// Ownership: a sheet owns its thumbnails; a Report refers to the dataset. Threads: one. Errors:
// those of the resize kernel, ImageError for a mask that cannot be decoded, those of write_mask,
// and std::bad_alloc.
#pragma once

#include "dataset.h"
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

// Draws the edges of boxes. Each box is four numbers, in pixels. An image without 3 channels is not
// changed.
void draw_boxes(std::span<const float> boxes, Image& image);

// Overlays a color for each id of the mask; 0 stays clear. `mask` is the content of a mask file. An
// image without 3 channels is not changed.
void draw_mask(const Bytes& mask, Image& image);

// True if this build can write PNG files.
bool can_write_masks();
// Encodes an image of one channel as PNG. Throws Error if it fails.
Bytes write_mask(const Image& mask);

// The outcome of a sample; it decides the color of the tile.
enum class TileStatus { unchanged, changed, replaced, failed };

class ContactSheet {
 public:
  // The two lines above the tiles: a heading, and a caption in smaller letters.
  ContactSheet(std::string heading, std::string caption);

  // `before` and `after` have 1 or 3 channels, or are empty, which leaves a blank field. A failed
  // sample shows a red field with `note` in place of `after`.
  void add(std::string name, std::string note, TileStatus status, const Image& before,
           const Image& after);
  std::size_t size() const { return tiles_.size(); }

  // The sheet as RGB; without tiles, only the heading.
  Image draw() const;

  // The longest side of a thumbnail, in pixels.
  static constexpr int kThumb = 168;
  // A note has at most this many lines, each of at most this many letters; see wrap().
  static constexpr int kNoteLines = 6;
  static constexpr int kNoteLetters = 30;

 private:
  struct Tile {
    std::string name;
    std::string note;
    TileStatus status = TileStatus::unchanged;
    Image before;
    Image after;
  };
  void draw_tile(Image& sheet, int y, int x, int height, const Tile& tile) const;
  std::vector<std::string> note_lines(const Tile& tile) const;
  // The height of the tiles in each row, which depends on their notes.
  std::vector<int> row_heights() const;

  std::string heading_;
  std::string caption_;
  std::vector<Tile> tiles_;
};

class Report {
 public:
  // The sheet shows this many samples, the first ones.
  static constexpr std::size_t kMostTiles = 24;

  explicit Report(const Dataset& dataset) : dataset_(dataset) {}

  void warn(const std::vector<SampleError>& warnings) {
    warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
  }
  void lose(const SampleError& error) {
    lost_.push_back(error);
    show({error.key.index, status_text(error), TileStatus::failed, "", error.key});
  }
  // Sample `by` replaces the failed one; `note` describes what was done to it, `result` is the
  // file.
  void replace(const SampleError& error, std::int64_t by, const std::string& note,
               const std::string& result);
  void deliver(const SampleKey& key, const std::string& note, bool changed,
               const std::string& result) {
    show({key.index, note, changed ? TileStatus::changed : TileStatus::unchanged, result, key});
  }
  // Adds describe(key) to the note of each image on the sheet, unless it is empty.
  template <class Describe>
  void add_notes(Describe describe) {
    for (Shown& shown : shown_) {
      if (shown.status == TileStatus::failed) continue;
      const std::string more = describe(shown.key);
      if (!more.empty()) shown.note += "; " + more;
    }
  }

  std::int64_t lost() const { return static_cast<std::int64_t>(lost_.size()); }
  std::int64_t replaced() const { return static_cast<std::int64_t>(replaced_.size()); }
  bool has_problems() const { return !warnings_.empty() || !replaced_.empty() || !lost_.empty(); }
  // The reason of the first lost sample.
  std::string first_loss() const { return reason(lost_.front()); }
  // Prints the warnings, the replaced samples and the lost ones.
  void print_problems() const;
  // Prints the files and folders of the dataset that are not read.
  void print_left_out() const;
  // The number of samples on the sheet.
  std::size_t shown() const { return shown_.size(); }
  Image draw_sheet(const std::string& title, const std::string& caption) const;

 private:
  // A row of the sheet, drawn when the run is over.
  struct Shown {
    std::int64_t sample;
    std::string note;
    TileStatus status;
    std::string result;  // a file; empty: none
    SampleKey key;       // of the sample that the result is made from
  };
  void show(Shown shown) {
    if (shown_.size() < kMostTiles) shown_.push_back(std::move(shown));
  }
  // Images with boxes and masks drawn in; empty if there is no image.
  Image before(const Shown& shown) const;
  static Image after(const Shown& shown);
  static std::string status_text(const SampleError& error);
  std::string reason(const SampleError& error) const;

  const Dataset& dataset_;
  std::vector<SampleError> lost_;
  std::vector<SampleError> warnings_;
  std::vector<std::pair<SampleError, std::int64_t>> replaced_;  // with its replacement sample
  std::vector<Shown> shown_;
};

}  // namespace sluice::app
