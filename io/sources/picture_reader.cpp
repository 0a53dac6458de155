#include <sluice/io/sources/files.h>
#include <sluice/io/sources/picture_reader.h>

namespace sluice {
namespace {

Bytes whole(const OpenFile& file) {
  const std::uint64_t size = file.state().size;
  require_size_of_picture(file.name(), size);
  Bytes bytes(size);
  const std::size_t got = file.read(0, {bytes.data(), bytes.size()});
  if (got < size) {
    throw IoError(file.name() + " became shorter while it was read: " + std::to_string(got) +
                  " of " + std::to_string(size) + " bytes");
  }
  return bytes;
}

}  // namespace

Bytes PictureReader::read(std::size_t i, const std::string& path) const {
  const OpenFile file(path);
  return read(i, file, [&file] { return whole(file); });
}

void require_size_of_picture(const std::string& name, std::uint64_t bytes) {
  if (bytes <= std::uint64_t{1} << 30) return;
  throw IoError(name + " has " + std::to_string(bytes) + " bytes; more than 1 GiB is no picture");
}

Bytes read_file(const std::string& path) { return whole(OpenFile(path)); }

}  // namespace sluice
