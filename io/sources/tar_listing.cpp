#include <sluice/io/sources/open_file.h>
#include <sluice/io/sources/tar_headers.h>
#include <sluice/io/sources/tar_input.h>
#include <sluice/io/sources/tar_listing.h>
#include <sluice/io/sources/tar_names.h>
#include <sluice/io/sources/tar_stream.h>

#include <algorithm>
#include <memory>
#include <optional>

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
