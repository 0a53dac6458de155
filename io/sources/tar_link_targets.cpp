#include <sluice/io/sources/cell.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/tar_link_targets.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

Bytes TarLinkTargets::Target::read(const TarInput& input) const {
  if (kept != nullptr) return Bytes::copy_of(*kept);
  TarBlock header;
  Bytes bytes(file.size);
  const std::size_t got =
      input.file()->read(file.data - kTarBlock, header, {bytes.data(), bytes.size()});
  if (got < kTarBlock + bytes.size() || seal_of_tar_header(header) != file.seal)
    throw IoError("the archive " + input.name() + " has changed while it was read: " +
                  in_quotes(file.name) + " is no longer at byte " + std::to_string(file.data));
  return bytes;
}

// A link to a known file becomes a name of that file.
void TarLinkTargets::add(Files& files, const TarMember& member) {
  if (member.kind == TarMember::Kind::file) files.insert_or_assign(tar_path(member.name), member);
  if (!member.is_link()) return;
  const auto target = files.find(tar_path_of_target(member));
  if (target == files.end()) return;
  const TarMember file = target->second;
  files.insert_or_assign(tar_path(member.name), file);
}

TarLinkTargets::Target TarLinkTargets::find(const TarMember& link, const TarInput& input) {
  const std::string path = tar_path_of_target(link);
  const std::string what = "it is a link to " + in_quotes(link.target);
  if (input.file() == nullptr) {
    const auto kept = std::find_if(kept_.rbegin(), kept_.rend(),
                                   [&](const Kept& one) { return one.path == path; });
    if (kept != kept_.rend()) return {.kept = &kept->bytes};
    return {.error = what +
                     ", which is not among the files before it; of an archive that is compressed "
                     "or a pipe, only the last ones of the columns that are read are kept for "
                     "links: make the archive with --hard-dereference, or see .max_link_bytes"};
  }
  if (!files_) {
    files_.emplace();
    constexpr std::size_t kAhead = 8 * kTarBlock;
    TarFileInput again(*input.file(), kAhead);
    TarHeaders headers(again);
    for (auto member = headers.next(); member && member->data < link.data; member = headers.next())
      add(*files_, *member);
  }
  const auto file = files_->find(path);
  if (file == files_->end())
    return {.error = what + ", and no such file comes before it in the archive"};
  return {.file = file->second};
}

void TarLinkTargets::passed(const TarMember& member) {
  if (files_) add(*files_, member);
}

void TarLinkTargets::keep(const TarMember& member, const Bytes& bytes, const TarInput& input,
                          std::uint64_t most) {
  if (input.file() != nullptr) return;
  constexpr std::size_t kBeside = 128;  // the memory of an empty entry
  const std::string path = tar_path(member.name);
  const std::uint64_t taken = bytes.size() + path.size() + kBeside;
  if (taken > most) return;
  while (kept_bytes_ > most - taken) {
    kept_bytes_ -= kept_.front().taken;
    kept_.pop_front();
  }
  kept_.push_back({path, Bytes::copy_of(bytes), taken});
  kept_bytes_ += taken;
}

}  // namespace sluice::detail
