#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/io/readers/tar_input.h>
#include <sluice/io/readers/tar_samples.h>
#include <sluice/io/readers/tar_stream.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace sluice::detail {
namespace {

std::string in_bytes(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

std::string in_a_row(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ";") + name;
  return all;
}

}  // namespace

// The open archive.
struct TarSampleReader::Open {
  explicit Open(std::unique_ptr<TarInput> from)
      : input(std::move(from)), headers(*input), state(input->state()) {}

  bool has_changed() const {
    if (!state) return false;
    return *input->state() != *state;
  }

  std::unique_ptr<TarInput> input;
  TarHeaders headers;
  std::optional<FileState> state;
  TarLinkTargets targets;
};

TarSampleReader::TarSampleReader(std::string path, const Columns& columns,
                                 const TarStreamLimits& limits, const TarStop& stop,
                                 LeftOutCounter& left_out)
    : path_(std::move(path)),
      columns_(columns),
      limits_(limits),
      stop_(stop),
      left_out_(left_out),
      found_(columns.size()) {}

TarSampleReader::~TarSampleReader() = default;

bool TarSampleReader::reads_pipe() const { return open_ != nullptr && !open_->state; }

std::optional<StreamedSample> TarSampleReader::next() {
  if (over_) return {};
  std::string what = std::exchange(damage_, {});
  if (what.empty()) {
    try {
      return next_of_archive();
    } catch (const TarStopped&) {
      throw;
    } catch (const IoError& error) {
      what = error.what();
      if (open_ != nullptr && open_->has_changed()) what += "; it has changed since it was opened";
    } catch (const std::bad_alloc&) {
      what = "the archive '" + escape_control_chars(path_) + "': there is no memory to read it";
    }
    if (files_ > 0 && !lacks_any()) {
      damage_ = what;
      return finished();
    }
  }
  over_ = true;
  StreamedSample lost;
  lost.name = path_;
  if (files_ > 0) {
    lost.name += "/" + stem_;
    lost.error = "the sample '" + escape_control_chars(lost.name) + "': ";
  }
  lost.error += what;
  if (files_ == 0 && !last_.empty())
    lost.error += "; the last sample before it is '" + escape_control_chars(last_) + "'";
  open_.reset();
  return lost;
}

std::optional<StreamedSample> TarSampleReader::next_of_archive() {
  if (open_ == nullptr) {
    open_ = std::make_unique<Open>(open_tar_input(path_, stop_, limits_.expansion));
  }
  for (;;) {
    std::optional<TarMember> member = ahead_ ? std::exchange(ahead_, {}) : next_member();
    if (!member) break;
    const auto parts = tar_name_parts(member->name);
    if (files_ > 0 && !(parts && parts->stem == stem_)) {
      ahead_ = std::move(member);
      if (auto sample = finished()) return sample;
      continue;
    }
    if (parts) {
      if (files_ == 0) {
        stem_ = parts->stem;
        first_ = member->name;
      }
      take(*member, parts->column);
    } else {
      left_out_.add(path_ + "/" + member->name, why_not_tar_name(member->name));
    }
    open_->targets.passed(*member);
  }
  std::optional<StreamedSample> sample = finished();
  over_ = damage_.empty();
  if (over_) open_.reset();
  return sample || over_ ? std::move(sample) : next();
}

std::optional<TarMember> TarSampleReader::next_member() {
  std::optional<TarMember> member = open_->headers.next();
  if (member) return member;
  if (damage_.empty() && open_->has_changed()) {
    damage_ = "the archive " + open_->input->name() +
              " has changed while it was read: the data may mix both states";
  }
  return {};
}

void TarSampleReader::take(const TarMember& member, std::string_view column) {
  constexpr std::size_t kMostShown = 16;
  ++files_;
  if (there_.size() <= kMostShown)
    there_.push_back(there_.size() < kMostShown ? in_quotes(column) : "...");
  const std::optional<Found>* first = nullptr;
  bool is_wanted = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::vector<std::string>& names = columns_[i];
    const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& wanted) {
      return is_tar_column(column, wanted);
    });
    if (name == names.end()) continue;
    is_wanted = true;
    const auto rank = static_cast<std::size_t>(name - names.begin());
    std::optional<Found>& found = found_[i];
    if (found && found->rank <= rank) {
      found->twice = found->twice || found->rank == rank;
      continue;
    }
    found.reset();
    Found now{.rank = rank};
    if (first != nullptr) {
      now.error = (*first)->error;
      now.bytes = Bytes::copy_of((*first)->bytes);
    } else {
      read(member, now);
    }
    bytes_ += now.bytes.size();
    found = std::move(now);
    first = &found;
  }
  if (!is_wanted && ends_like_tar_column(column, columns_) && dotted_++ == 0) first_ = member.name;
}

// Throws if the archive cannot be read further.
void TarSampleReader::read(const TarMember& member, Found& found) {
  const auto too_large = [&](std::uint64_t size) {
    if (size <= limits_.sample_bytes && bytes_ <= limits_.sample_bytes - size) return false;
    found.error = in_quotes(member.name) + " has " + in_bytes(size) +
                  ", with which the sample has more than .max_sample_bytes, " +
                  std::to_string(limits_.sample_bytes);
    return true;
  };
  try {
    if (member.kind == TarMember::Kind::sparse) {
      found.error =
          in_quotes(member.name) + " is stored as a sparse file; make the archive without --sparse";
    } else if (member.is_link()) {
      const auto target = open_->targets.find(member, *open_->input);
      if (!target.error.empty()) {
        found.error = target.error;
      } else if (!too_large(target.size())) {
        found.bytes = target.read(*open_->input);
        open_->targets.keep(member, found.bytes, *open_->input, limits_.link_bytes);
      }
    } else if (!too_large(member.size)) {
      found.bytes = content(member.size);
      open_->targets.keep(member, found.bytes, *open_->input, limits_.link_bytes);
    }
  } catch (const std::bad_alloc&) {
    found.bytes = Bytes();
    found.error = "there is no memory for " + in_quotes(member.name);
  }
}

// Allocates memory only for data that exists: if the archive's size is unknown, the memory grows
// with the data.
Bytes TarSampleReader::content(std::uint64_t size) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{8} << 20;
  const bool is_there = open_->input->size().has_value();
  Bytes bytes(is_there ? size : std::min(size, kAtOnce));
  open_->headers.read({bytes.data(), bytes.size()});
  while (bytes.size() < size) {
    Bytes more(std::min<std::uint64_t>(size, bytes.size() * 2));
    std::memcpy(more.data(), bytes.data(), bytes.size());
    open_->headers.read({more.data() + bytes.size(), more.size() - bytes.size()});
    bytes = std::move(more);
  }
  return bytes;
}

bool TarSampleReader::lacks_any() const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!found_[i] && columns_[i].front() != kTarKeyColumn) return true;
  return false;
}

std::string TarSampleReader::why_not(std::size_t column) const {
  std::string there;
  for (const std::string& one : there_) there += (there.empty() ? "" : ", ") + one;
  const std::optional<Found>& found = found_[column];
  if (!found) return no_tar_column(there);
  if (found->twice) return "it is there more than once; the sample has " + there;
  return found->error;
}

// Returns the sample that has been read, if there is one, and resets the state for the next.
std::optional<StreamedSample> TarSampleReader::finished() {
  const bool has_one =
      std::any_of(found_.begin(), found_.end(),
                  [](const std::optional<Found>& found) { return found.has_value(); });
  std::optional<StreamedSample> sample;
  if (files_ > 0) last_ = path_ + "/" + stem_;
  if (has_one && dotted_ > 0) left_out_.add(path_ + "/" + first_, kDottedTarColumn, dotted_);
  if (!has_one && dotted_ == 0 && files_ > 0)
    left_out_.add(path_ + "/" + first_, kOtherTarSample, static_cast<std::int64_t>(files_));
  if (has_one || dotted_ > 0) {
    sample.emplace();
    sample->name = last_;
    sample->columns.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].front() == kTarKeyColumn) {
        sample->columns[i] =
            Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(stem_.data()), stem_.size()});
      } else if (const std::string why = why_not(i); !why.empty()) {
        sample->columns.clear();
        sample->error = tar_column_error(last_, in_a_row(columns_[i]), why);
        break;
      } else {
        sample->columns[i] = std::move(found_[i]->bytes);
      }
    }
    // Small blocks have an overhead: the handle, and the rounding of the pool.
    constexpr std::size_t kBlock = 256;
    sample->bytes += sizeof(StreamedSample);
    for (const Bytes& bytes : sample->columns)
      sample->bytes += sizeof(Bytes) + kBlock + bytes.size();
    sample->bytes += sample->name.size() + sample->error.size();
  }
  for (std::optional<Found>& found : found_) found.reset();
  there_.clear();
  files_ = 0;
  dotted_ = 0;
  bytes_ = 0;
  return sample;
}

std::string tar_column_error(const std::string& sample, const std::string& column,
                             const std::string& what) {
  return "the sample '" + escape_control_chars(sample) + "', column " + in_quotes(column) + ": " +
         what;
}

}  // namespace sluice::detail

namespace sluice {

bool is_tar_stream(const std::string& path) {
  try {
    if (is_read_once(path)) return true;
    std::vector<std::uint8_t> begin(kTarBlock);
    begin.resize(OpenFile(path).read(0, begin));
    return !is_tar_header(begin) && tar_compression(begin) != nullptr;
  } catch (const IoError&) {
    return false;
  }
}

void list_tar_stream(
    const std::string& path, const std::string& column,
    const std::function<bool(const std::string&, const std::vector<TarFile>&)>& take,
    detail::LeftOutCounter& left_out) {
  const std::vector<std::string> wanted = detail::names_of_tar_column("list_tar_stream", column);
  const TarStop never;
  const std::unique_ptr<TarInput> input =
      open_tar_input(path, never, TarStreamOptions().max_expansion);
  TarHeaders headers(*input);
  std::string stem;
  std::vector<TarFile> files;
  const auto name_of = [&](const TarFile& file) { return path + "/" + stem + "." + file.column; };
  const auto give = [&] {
    const auto is_wanted = [&](const TarFile& file) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return detail::is_tar_column(file.column, name);
      });
    };
    const auto is_dotted = [&](const TarFile& file) {
      return !is_wanted(file) && detail::ends_like_tar_column(file.column, {wanted});
    };
    const bool has_one = std::any_of(files.begin(), files.end(), is_wanted);
    const bool has_dotted = std::any_of(files.begin(), files.end(), is_dotted);
    for (const TarFile& file : files) {
      if (has_one && is_dotted(file)) left_out.add(name_of(file), detail::kDottedTarColumn);
      if (!has_one && !has_dotted) left_out.add(name_of(file), detail::kOtherTarSample);
    }
    const bool goes_on = !(has_one || has_dotted) || take(path + "/" + stem, files);
    files.clear();
    return goes_on;
  };
  bool is_file = false;  // the last member is a file of a sample
  try {
    while (const std::optional<TarMember> member = headers.next()) {
      const auto parts = detail::tar_name_parts(member->name);
      is_file = parts.has_value();
      if (!files.empty() && !(parts && parts->stem == stem) && !give()) return;
      if (!parts) {
        left_out.add(path + "/" + member->name, detail::why_not_tar_name(member->name));
        continue;
      }
      if (files.empty()) stem = parts->stem;
      files.push_back({std::string(parts->column), member->size});
    }
  } catch (const IoError&) {
    if (is_file && headers.left() > 0) files.pop_back();  // its bytes are missing
    (void)give();
    throw;
  }
  (void)give();
}

}  // namespace sluice
