#include "report.h"

#include "annotations.h"
#include "results.h"
#include "summary.h"
#include <sluice/io/jpeg/decode.h>

#include <cstddef>

#include <fmt/format.h>

namespace sluice::app {
namespace {

// Decodes as much of the file as possible; empty if that is nothing.
Image picture_in(const Bytes& file) {
  Image picture;
  try {
    decode_jpeg_image(file, {.damage = DamagePolicy::tolerant}, picture);
  } catch (const Error&) {
    picture.release();
  }
  return picture;
}

}  // namespace

std::string Report::in_words_of(const SampleError& error) { return in_words(error.what); }

void Report::replace(const SampleError& error, std::int64_t by, const std::string& note,
                     const std::string& result) {
  replaced_.emplace_back(error, by);
  show({error.key.index, "replaced by " + dataset_.title(by) + (note.empty() ? "" : ", ") + note,
        Fate::replaced, result});
}

std::string Report::reason(const SampleError& error) const {
  const std::string epoch = error.key.epoch > 0 ? fmt::format(" of epoch {}", error.key.epoch) : "";
  return fmt::format("{} (sample {}{}, {}): {}", dataset_.title(error.key.index), error.key.index,
                     epoch, error.step, in_words_of(error));
}

void Report::print_problems() const {
  if (!warnings_.empty()) {
    fmt::print("warned of:\n");
    name_each(warnings_, [this](const SampleError& warning) { return reason(warning); });
  }
  if (!replaced_.empty()) {
    fmt::print("replaced {} that cannot be used:\n", replaced_.size());
    name_each(replaced_, [this](const auto& r) {
      return reason(r.first) + "; in its place: " + dataset_.title(r.second);
    });
  }
  if (!lost_.empty()) {
    fmt::print("skipped {} that cannot be used:\n", lost_.size());
    name_each(lost_, [this](const SampleError& error) { return reason(error); });
  }
}

void Report::print_left_out() const { name_left_out(dataset_.left_out()); }

Image Report::before(const Shown& shown) const {
  DatasetSample sample;
  try {
    sample = dataset_.read(shown.sample);
  } catch (const Error&) {
    return {};
  }
  Image picture = picture_in(sample.file);
  if (sample.boxes.elements() > 0)
    draw_boxes({sample.boxes.data<float>(), static_cast<std::size_t>(sample.boxes.elements())},
               picture);
  if (!sample.mask.empty()) draw_mask(sample.mask, picture);
  return picture;
}

Image Report::after(const Shown& shown) {
  if (shown.result.empty()) return {};
  try {
    Image picture = picture_in(read_file(shown.result));
    const Beside beside = read_beside(shown.result);
    draw_boxes(beside.boxes, picture);
    if (!beside.mask.empty()) draw_mask(beside.mask, picture);
    return picture;
  } catch (const Error&) {
    return {};
  }
}

Image Report::draw_sheet(const std::string& title, const std::string& caption) const {
  ContactSheet sheet(title, caption);
  for (const Shown& shown : shown_) {
    sheet.add(dataset_.title(shown.sample), shown.note, shown.fate, before(shown), after(shown));
  }
  return sheet.draw();
}

}  // namespace sluice::app
