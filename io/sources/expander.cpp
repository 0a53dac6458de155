#include <sluice/io/sources/expander.h>
#include <sluice/io/sources/files.h>

#include <algorithm>
#include <utility>

namespace sluice {

Expander::Expander(std::unique_ptr<TarInput> from, const TarCompression& compression,
                   std::vector<std::uint8_t> begin, std::uint64_t max_expansion)
    : from_(std::move(from)),
      compression_(compression),
      max_expansion_(max_expansion),
      piece_(std::move(begin)) {}

std::size_t Expander::read(std::span<std::uint8_t> to) {
  std::size_t done = 0;
  while (done < to.size() && !is_over_) {
    const std::size_t got = expand(to.subspan(done));
    is_over_ = got == 0;
    done += got;
    out_ += got;
    check_expansion();
  }
  return done;
}

std::uint64_t Expander::skip(std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes && !is_over_) {
    scratch_.resize(std::size_t{64} << 10);
    done +=
        read({scratch_.data(),
              static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, scratch_.size()))});
  }
  return done;
}

std::span<const std::uint8_t> Expander::next_piece() {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  if (in_ > 0) {
    piece_.resize(kPiece);
    piece_.resize(from_->read(piece_));
  }
  in_ += piece_.size();
  return piece_;
}

void Expander::check_expansion() {
  // Always allowed: a first piece alone may expand to this, such as zeros at the end of an archive.
  constexpr std::uint64_t kAlways = std::uint64_t{16} << 20;
  if (out_ <= kAlways || (out_ - kAlways) / max_expansion_ < in_) return;
  fail("it has become more than " + std::to_string(max_expansion_) +
       " times as large as what was read of it, which no pictures do; if it is right, say so by "
       ".max_expansion");
}

void Expander::fail(const std::string& what) {
  is_over_ = true;
  throw IoError("the archive " + name() + " (" + compression_.name + "), after " +
                std::to_string(out_) + " bytes of what is in it: " + what);
}

}  // namespace sluice
