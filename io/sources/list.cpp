#include <sluice/io/sources/files.h>
#include <sluice/io/sources/list.h>
#include <sluice/io/sources/list_file.h>
#include <sluice/io/sources/picture_reader.h>
#include <sluice/runtime/printable.h>

#include <filesystem>
#include <utility>

namespace sluice::detail {
namespace {

std::string folder_of(const std::string& list, const ListOptions& options) {
  return options.folder.empty() ? std::filesystem::path(list).parent_path().string()
                                : options.folder;
}

std::string in_folder(const std::string& folder, std::string path) {
  if (path.front() == '/' || folder.empty()) return path;
  return folder + (folder.ends_with('/') ? "" : "/") + path;
}

}  // namespace

struct ListRows::Shared {
  Shared(const std::string& list, const ListOptions& options)
      : file(list, options),
        folder(folder_of(list, options)),
        reader(options.index, file.size(), {.parts = options.parts}) {}

  ListFile file;
  std::string folder;
  PictureReader reader;
};

ListRows::ListRows(const std::string& list, const ListOptions& options, std::size_t types) {
  if (options.columns.size() != types) {
    throw BuildError("list_in: .columns names " + std::to_string(options.columns.size()) +
                     ", but there are types for " + std::to_string(types) +
                     "; give as many: list_in<std::int64_t, float>(list, {.columns = {\"label\", "
                     "\"weight\"}})");
  }
  shared_ = std::make_shared<const Shared>(list, options);
}

std::int64_t ListRows::size() const { return static_cast<std::int64_t>(shared_->file.size()); }

ListRow ListRows::row(std::int64_t i) const {
  ListRow row = shared_->file.row(static_cast<std::size_t>(i));
  row.path = in_folder(shared_->folder, std::move(row.path));
  return row;
}

SourceReads ListRows::reads() const { return shared_->reader.reads(); }

const std::string& ListRows::fingerprint() const { return shared_->file.fingerprint(); }

std::string ListRows::name(std::int64_t i) const {
  try {
    return row(i).path;
  } catch (const Error&) {  // its sample reports the error
    return shared_->file.path() + ":" +
           std::to_string(shared_->file.line(static_cast<std::size_t>(i)));
  }
}

Bytes ListRows::read(std::int64_t i, const ListRow& row) const {
  return shared_->reader.read(static_cast<std::size_t>(i), row.path);
}

Bytes ListRows::read_column(const ListRow& row, std::size_t column) const {
  const std::string& path = row.cells[column].text;
  if (path.empty()) fail(row, column, "the path is empty");
  if (row.cells[column].kind == Cell::Kind::list || path.find('\0') != std::string::npos)
    fail(row, column, (in_quotes(path) + " is no path").c_str());
  return read_file(in_folder(shared_->folder, path));
}

void ListRows::fail(const ListRow& row, std::size_t column, const char* what) const {
  shared_->file.fail(row.line, column, what);
}

}  // namespace sluice::detail

namespace sluice {

List<std::int64_t> list_in(const std::string& list, const ListOptions& options) {
  return List<std::int64_t>(list, options);
}

}  // namespace sluice
