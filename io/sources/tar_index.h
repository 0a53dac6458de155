// TarIndex: where the files lie in tar archives, so that each can be read alone.
//
//   TarIndex::of({"a.tar", "b.tar"}).save("train.offsets");     // as `sluice index --tar` does
//   g.read(tar_in({"a.tar", "b.tar"}, {.offsets = "train.offsets"}));
//
// Without a saved one it is made whenever archives are opened, which reads the headers alone: one
// small read for each file in them, or fewer. A saved one says of each archive its name without the
// folder, its size, when it was written, and a hash of where everything lies. When only the time
// differs, as after a copy, the headers are read again and must give the same hash; anything else
// is an archive that has changed, and an error. So it may be moved along with its archives.
//
// The file, all numbers little-endian: 8 "SLUICETX", 4 version, 4 size of an entry, 8 archives, 8
// hash of all that follows; for each archive 8 size, 8 time, 8 hash, 8 entries, 8 bytes of names, 8
// bytes of its own name; then for each its entries, names and name. All of it is copied into memory
// and checked there.
//
// Ownership: a value, 40 bytes and the name for each file. Threads: like a vector. Errors: IoError
// that names the archive or the index.
#pragma once

#include <sluice/io/sources/files.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class RandomAccess;

class TarIndex {
 public:
  struct Entry {
    std::uint64_t data = 0;  // where its bytes begin
    std::uint64_t size = 0;
    std::uint64_t name = 0;  // where in `names`
    std::uint32_t name_size = 0;
    std::uint32_t seal = 0;  // of its header
  };
  struct Archive {
    std::string name;  // without the folder
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // nanoseconds since 1970
    std::uint64_t hash = 0;     // of entries and names
    std::vector<Entry> entries;
    std::string names;
    std::string_view name_of(const Entry& entry) const {
      return std::string_view(names).substr(entry.name, entry.name_size);
    }
  };

  // Reads the headers of these archives. With Unreadable::leave_out an archive that is damaged
  // gives what comes before the damage, and `left_out` says so.
  static TarIndex of(const std::vector<std::string>& paths,
                     Unreadable unreadable = Unreadable::fail,
                     std::vector<LeftOut>* left_out = nullptr);
  static TarIndex open(const std::string& file);
  // The same of what such a file holds; `file` for errors.
  static TarIndex of_content(std::string_view content, const std::string& file);
  void save(const std::string& file) const;
  static bool is_one(const std::string& file);

  // What is known of these archives, in their order. Throws for one that is not known or has
  // changed.
  TarIndex for_archives(const std::vector<std::string>& paths, const std::string& file) const;

  // What lies in one more archive, whose headers are read.
  void add(const std::string& archive, const RandomAccess& file);
  // What is known of one with this name and size, or null.
  // Of several that have them, the one after `earlier` others, or the last.
  const Archive* find(std::string_view name, std::uint64_t size, std::size_t earlier) const;
  void add(const Archive& archive) { archives_.push_back(archive); }

  const std::vector<Archive>& archives() const { return archives_; }
  std::int64_t files() const;

 private:
  std::vector<Archive> archives_;
};

}  // namespace sluice
