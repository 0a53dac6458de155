#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace sluice::detail {
namespace {

// Special values in place of a file's number.
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kTwice = kNone - 1;
constexpr std::uint32_t kKey = kNone - 2;  // the column is the sample's name
bool is_file(std::uint32_t found) { return found != kNone && found != kKey; }

using Columns = std::vector<std::vector<std::string>>;

struct Span {
  std::uint32_t archive = 0;
  std::uint32_t first = 0;  // of the archive's files
  std::uint32_t count = 0;
};

}  // namespace

struct TarSamples::Shared {
  std::vector<std::string> paths;
  std::vector<std::string> columns;
  TarIndex known;
  std::vector<LeftOut> left_out;
  std::vector<Span> samples;
  std::vector<std::uint32_t> files;  // for each sample and column
  std::optional<ImageReader> reader;
  std::shared_ptr<JpegIndex> index;

  void take_options(const TarOptions& options);
  const TarIndex::Archive& archive(const Span& span) const {
    return known.archives()[span.archive];
  }
  std::string_view column_of(const Span& span, std::uint32_t file) const {
    const TarIndex::Archive& from = archive(span);
    return tar_name_parts(from.name_of(from.entries[file]))->column;
  }
  std::string_view stem(const Span& span) const {
    const TarIndex::Archive& from = archive(span);
    return tar_name_parts(from.name_of(from.entries[span.first]))->stem;
  }
  std::string name(const Span& span) const {
    return paths[span.archive] + "/" + std::string(stem(span));
  }

  void find_samples();
  std::uint32_t find(const Span& span, const std::vector<std::string>& names) const;
  bool is_wanted(const Span& span, std::uint32_t file, const Columns& wanted) const;
  std::string columns_in(const Span& span) const;
};

std::uint32_t TarSamples::Shared::find(const Span& span,
                                       const std::vector<std::string>& names) const {
  if (names.front() == kTarKeyColumn) return kKey;
  for (const std::string& name : names) {
    std::uint32_t found = kNone;
    for (std::uint32_t file = span.first; file < span.first + span.count; ++file) {
      if (is_tar_column(column_of(span, file), name)) found = found == kNone ? file : kTwice;
    }
    if (found != kNone) return found;
  }
  return kNone;
}

bool TarSamples::Shared::is_wanted(const Span& span, std::uint32_t file,
                                   const Columns& wanted) const {
  const std::string_view column = column_of(span, file);
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return is_tar_column(column, name); });
  });
}

std::string TarSamples::Shared::columns_in(const Span& span) const {
  constexpr std::uint32_t kMostShown = 16;
  std::string all;
  for (std::uint32_t file = span.first; file < span.first + span.count; ++file) {
    if (file == span.first + kMostShown) return all + ", ...";
    all += (all.empty() ? "" : ", ") + in_quotes(column_of(span, file));
  }
  return all;
}

void TarSamples::Shared::find_samples() {
  Columns wanted;
  for (const std::string& column : columns) wanted.push_back(names_of_tar_column("tar_in", column));
  std::optional<Span> any;
  std::vector<bool> is_there(columns.size());
  std::vector<std::uint32_t> found(columns.size());
  detail::LeftOutCounter others;
  const auto path_of = [&](std::uint32_t archive, std::uint32_t file) {
    const TarIndex::Archive& from = known.archives()[archive];
    return paths[archive] + "/" + std::string(from.name_of(from.entries[file]));
  };
  const auto add = [&](const Span& span) {
    if (!any) any = span;
    for (std::size_t i = 0; i < wanted.size(); ++i) found[i] = find(span, wanted[i]);
    const bool has_one = std::any_of(found.begin(), found.end(), is_file);
    bool is_meant = has_one;  // true also for dotted files: then the sample fails
    for (std::uint32_t file = span.first; file < span.first + span.count; ++file) {
      if (!ends_like_tar_column(column_of(span, file), wanted) || is_wanted(span, file, wanted))
        continue;
      is_meant = true;
      if (has_one) others.add(path_of(span.archive, file), kDottedTarColumn);
    }
    if (!is_meant)
      return others.add(path_of(span.archive, span.first), kOtherTarSample, span.count);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (found[i] != kNone) is_there[i] = true;
    samples.push_back(span);
    files.insert(files.end(), found.begin(), found.end());
  };
  for (std::uint32_t a = 0; a < known.archives().size(); ++a) {
    const TarIndex::Archive& from = known.archives()[a];
    std::string_view stem;
    Span span{a, 0, 0};
    for (std::uint32_t file = 0; file < from.entries.size(); ++file) {
      const auto parts = tar_name_parts(from.name_of(from.entries[file]));
      if (span.count > 0 && parts && parts->stem == stem) {
        ++span.count;
        continue;
      }
      if (span.count > 0) add(span);
      span = {a, file, parts ? 1U : 0U};
      if (parts) {
        stem = parts->stem;
      } else {
        others.add(path_of(a, file), why_not_tar_name(from.name_of(from.entries[file])));
      }
    }
    if (span.count > 0) add(span);
  }
  if (!any && !left_out.empty() && left_out.front().unreadable)
    throw IoError(left_out.front().reason);
  if (!any) throw IoError("there are no samples in the archives: no file has a name like 0001.jpg");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_there[i]) continue;
    const std::string there = columns_in(*any);
    throw IoError("no sample has the column " + in_quotes(columns[i]) + "; the first one, '" +
                  escape_control_chars(name(*any)) + "', has " + there +
                  std::string(dots_in_tar_columns(there)));
  }
  const std::vector<LeftOut> all = others.list();
  left_out.insert(left_out.end(), all.begin(), all.end());
}

void TarSamples::Shared::take_options(const TarOptions& options) {
  columns = options.columns;
  find_samples();
  index = options.index;
  reader.emplace(index, files.size(), ImageReader::Options{.parts = options.parts});
}

TarSamples::TarSamples(const std::vector<std::string>& archives, const TarOptions& options,
                       std::size_t types) {
  check_tar_columns("tar_in", archives, options.columns, types);
  auto shared = std::make_shared<Shared>();
  shared->paths = archives;
  shared->known = options.offsets.empty()
                      ? TarIndex::of(archives, options.unreadable, &shared->left_out)
                      : TarIndex::open(options.offsets).for_archives(archives, options.offsets);
  shared->take_options(options);
  shared_ = std::move(shared);
}

TarSamples::TarSamples(const std::vector<std::string>& archives, const TarOptions& options,
                       TarIndex known, std::size_t types) {
  check_tar_columns("tar_at", archives, options.columns, types);
  auto shared = std::make_shared<Shared>();
  shared->paths = archives;
  shared->known = std::move(known);
  shared->take_options(options);
  shared_ = std::move(shared);
}

std::string TarSamples::fingerprint() const {
  Fingerprint print;
  for (const TarIndex::Archive& archive : shared_->known.archives()) print.add(archive.hash);
  for (const std::string& column : shared_->columns) print.add(column);
  return print.text();
}

std::int64_t TarSamples::size() const { return std::ssize(shared_->samples); }
SourceReads TarSamples::reads() const { return shared_->reader->reads(); }
const std::vector<LeftOut>& TarSamples::left_out() const { return shared_->left_out; }

std::string TarSamples::name(std::int64_t i) const {
  return shared_->name(shared_->samples.at(static_cast<std::size_t>(i)));
}

std::vector<TarFile> TarSamples::files(std::int64_t i) const {
  const Span& span = shared_->samples.at(static_cast<std::size_t>(i));
  std::vector<TarFile> files;
  for (std::uint32_t file = span.first; file < span.first + span.count; ++file) {
    files.push_back(
        {std::string(shared_->column_of(span, file)), shared_->archive(span).entries[file].size});
  }
  return files;
}

struct TarSamples::Sample::Place {
  Place(std::shared_ptr<const Shared> all, std::size_t number, const RandomAccess* elsewhere)
      : shared(std::move(all)), i(number), span(shared->samples.at(i)), file(elsewhere) {}

  void open() {
    opened.emplace(shared->paths[span.archive]);
    (void)opened->state();
    file = &*opened;
  }

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw IoError("the sample '" + escape_control_chars(shared->name(span)) + "', column " +
                  in_quotes(shared->columns[column]) + ": " + what);
  }

  std::uint32_t found(std::size_t column) const {
    return shared->files[i * shared->columns.size() + column];
  }

  // The column must not be the key.
  const TarIndex::Entry& entry(std::size_t column) const {
    const std::uint32_t found = this->found(column);
    if (found == kNone) fail(column, no_tar_column(shared->columns_in(span)));
    if (found == kTwice)
      fail(column, "it is there more than once; the sample has " + shared->columns_in(span));
    const TarIndex::Entry& entry = shared->archive(span).entries[found];
    require_size_of_image(in_quotes(shared->archive(span).name_of(entry)), entry.size);
    return entry;
  }

  void read(std::size_t column, const TarIndex::Entry& entry, std::span<std::uint8_t> to) const {
    TarBlock header;
    const std::size_t got = file->read(entry.data - kTarBlock, header, to);
    if (got < kTarBlock + to.size()) {
      fail(column, "the archive has become shorter since it was opened: it ends at byte " +
                       std::to_string(entry.data - kTarBlock + got));
    }
    if (hash_of_tar_header(header) != entry.header_hash) {
      fail(column,
           "the archive has changed since its headers were read: another file lies at "
           "byte " +
               std::to_string(entry.data));
    }
    if (const auto target = target_in_tar_header(header)) {
      fail(column, "it is a link to " + in_quotes(*target) +
                       ", which leads to no file in the archive; a hard link leads to one that "
                       "comes before it");
    }
  }

  std::shared_ptr<const Shared> shared;
  std::size_t i;
  const Span& span;
  std::optional<OpenFile> opened;
  const RandomAccess* file;
};

TarSamples::Extent TarSamples::extent(std::int64_t i) const {
  const Sample::Place place(shared_, static_cast<std::size_t>(i), nullptr);
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  for (std::size_t column = 0; column < shared_->columns.size(); ++column) {
    if (place.found(column) == kKey) continue;
    const TarIndex::Entry& entry = place.entry(column);
    begin = std::min(begin, entry.data - kTarBlock);
    end = std::max(end, entry.data + entry.size);
  }
  return {place.span.archive, begin, end - begin};
}

TarSamples::Sample::Sample(const TarSamples& samples, std::int64_t i)
    : Sample(samples, i, nullptr) {
  place_->open();
}
TarSamples::Sample::Sample(const TarSamples& samples, std::int64_t i, const RandomAccess* archive)
    : place_(std::make_unique<Place>(samples.shared_, static_cast<std::size_t>(i), archive)) {}
TarSamples::Sample::~Sample() = default;

void TarSamples::Sample::read(std::size_t column, Bytes& out) const {
  const Shared& shared = *place_->shared;
  if (place_->found(column) == kKey) {
    const std::string_view stem = shared.stem(place_->span);
    out = Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(stem.data()), stem.size()});
    return;
  }
  const TarIndex::Entry& entry = place_->entry(column);
  const auto fetch = [&] {
    Bytes bytes(entry.size);
    place_->read(column, entry, {bytes.data(), bytes.size()});
    return bytes;
  };
  if (place_->opened) {
    out = shared.reader->read(place_->i * shared.columns.size() + column, *place_->opened,
                              {.offset = entry.data, .size = entry.size}, fetch);
  } else {
    out = fetch();
    if (shared.index != nullptr) out.set_index(shared.index);
  }
}

std::string TarSamples::Sample::text(std::size_t column) const {
  if (place_->found(column) == kKey) return std::string(place_->shared->stem(place_->span));
  const TarIndex::Entry& entry = place_->entry(column);
  std::string text(entry.size, '\0');
  place_->read(column, entry, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return text;
}

void TarSamples::Sample::fail(std::size_t column, const char* what) const {
  place_->fail(column, what);
}

}  // namespace sluice::detail

namespace sluice {

Tar<Bytes, std::int64_t> tar_in(const std::vector<std::string>& archives,
                                const TarOptions& options) {
  return Tar<Bytes, std::int64_t>(archives, options);
}

}  // namespace sluice
