#include "tests/sanitizers.h"
#include <sluice/runtime/bytes.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace bytes_test {

const std::vector<std::uint8_t> kText = {'s', 'l', 'u', 'i', 'c', 'e'};

std::vector<std::uint8_t> all_of(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

// The pointer is not dereferenced in these tests; a holder of the index holds `alive`.
std::shared_ptr<JpegIndex> some_index(const std::shared_ptr<int>& alive) {
  return {alive, reinterpret_cast<JpegIndex*>(alive.get())};
}

TEST(Bytes, CopiesOwnAndViewsRefer) {
  BufferPool pool;
  const BufferPoolScope scope(pool);
  const Bytes view = Bytes::view_of(kText);
  EXPECT_EQ(view.data(), kText.data());
  EXPECT_EQ(all_of(view), kText);
  EXPECT_EQ(scope.bytes_allocated(), 0u);
  const Bytes copy = Bytes::copy_of(view);
  EXPECT_NE(copy.data(), kText.data());
  EXPECT_EQ(all_of(copy), kText);
  EXPECT_GE(scope.bytes_allocated(), kText.size());
  EXPECT_TRUE(Bytes::copy_of({}).empty());
  EXPECT_TRUE(Bytes::view_of({}).empty());
}

TEST(Bytes, KeepTheIndexUntilTheyAreMovedOrReleased) {
  for (const bool view : {false, true}) {
    Bytes bytes = view ? Bytes::view_of(kText) : Bytes::copy_of(kText);
    EXPECT_EQ(bytes.index(), nullptr);
    auto owner = std::make_shared<int>(0);
    const std::weak_ptr<int> kept = owner;
    const JpegIndex* const index = some_index(owner).get();
    bytes.set_index(some_index(owner));
    owner.reset();
    EXPECT_FALSE(kept.expired());

    Bytes made(std::move(bytes));
    EXPECT_EQ(made.index(), index);
    EXPECT_EQ(all_of(made), kText);
    // NOLINTNEXTLINE(bugprone-use-after-move): what is left of it is what is tested.
    EXPECT_TRUE(bytes.empty() && bytes.index() == nullptr);

    Bytes assigned = Bytes::copy_of(std::vector<std::uint8_t>(100));
    assigned = std::move(made);
    EXPECT_EQ(assigned.index(), index);
    EXPECT_EQ(kept.use_count(), 1);
    EXPECT_EQ(all_of(assigned), kText);
    // NOLINTNEXTLINE(bugprone-use-after-move)
    EXPECT_TRUE(made.empty() && made.index() == nullptr);

    assigned.release();
    EXPECT_TRUE(assigned.empty());
    EXPECT_EQ(assigned.index(), nullptr);
    EXPECT_TRUE(kept.expired());
  }
}

TEST(Bytes, OwnCopiesAView) {
  Bytes bytes = Bytes::view_of(kText);
  const auto index = some_index(std::make_shared<int>(0));
  bytes.set_index(index);
  EXPECT_TRUE(bytes.is_view());
  bytes.own();
  EXPECT_FALSE(bytes.is_view());
  EXPECT_NE(bytes.data(), kText.data());
  EXPECT_EQ(all_of(bytes), kText);
  EXPECT_EQ(bytes.index(), index.get());
  const std::uint8_t* const at = bytes.data();
  bytes.own();
  EXPECT_EQ(bytes.data(), at);
  bytes = Bytes::view_of({at + 1, 2});  // of itself
  EXPECT_EQ(bytes.data(), at + 1);
  EXPECT_FALSE(bytes.is_view());
}

TEST(Bytes, SharedOnesGoBackByTheirDeleterOnce) {
  int deleted = 0;
  std::vector<std::uint8_t> kept = kText;
  Bytes bytes = Bytes::shared(std::shared_ptr<void>(kept.data(), [&](void*) { ++deleted; }), kept);
  EXPECT_FALSE(bytes.is_view());
  bytes.own();
  EXPECT_EQ(bytes.begin(), kept.data());
  Bytes made(std::move(bytes));
  EXPECT_TRUE(bytes.empty());                    // NOLINT(bugprone-use-after-move)
  made = Bytes::view_of({made.begin() + 1, 2});  // of itself
  EXPECT_EQ(made.begin(), kept.data() + 1);
  EXPECT_FALSE(made.is_view());
  Bytes& same = made;
  made = std::move(same);
  EXPECT_EQ(made.size(), 2u);
  EXPECT_EQ(deleted, 0);
  made = Bytes::copy_of(kText);
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(all_of(made), kText);
  EXPECT_THROW((void)Bytes::shared(nullptr, kept), std::invalid_argument);
}

// They live as long as their owner, which is destroyed with the last of them.
TEST(Bytes, AreSharedWithADeleter) {
  int deleted = 0;
  const auto share = [&] {
    return Bytes::shared(std::shared_ptr<const void>(kText.data(), [&](const void*) { ++deleted; }),
                         kText);
  };
  {
    Bytes bytes = share();
    EXPECT_FALSE(bytes.is_view());
    bytes.own();
    EXPECT_EQ(std::as_const(bytes).data(), kText.data());
    Bytes moved = std::move(bytes);
    EXPECT_EQ(all_of(moved), kText);
    moved = Bytes::view_of(std::span(kText).subspan(1, 2));  // of itself
    EXPECT_FALSE(moved.is_view());
    EXPECT_EQ(moved.size(), 2u);
    EXPECT_EQ(deleted, 0);
    moved = Bytes::copy_of(kText);
    EXPECT_EQ(deleted, 1);
    moved = share();
    moved.release();
    EXPECT_EQ(deleted, 2);
    bytes = share();
    EXPECT_EQ(deleted, 2);
  }
  EXPECT_EQ(deleted, 3);
}

TEST(Bytes, KeepTheHashOfTheirContentUntilTheyMayBeWritten) {
  using Hash = std::optional<std::uint64_t>;
  for (const bool view : {false, true}) {
    Bytes bytes = view ? Bytes::view_of(kText) : Bytes::copy_of(kText);
    EXPECT_EQ(bytes.content_hash(), Hash());
    bytes.set_index(nullptr, 7);
    (void)std::as_const(bytes).data();
    // libc++ 14, in the build with the memory sanitizer, makes the span from data(), for writing.
    if (!testing::kMemorySanitizer) (void)all_of(bytes);
    bytes.own();
    EXPECT_EQ(bytes.content_hash(), Hash(7));

    Bytes made(std::move(bytes));
    // NOLINTNEXTLINE(bugprone-use-after-move): what is left of it is what is tested.
    EXPECT_EQ(bytes.content_hash(), Hash());
    EXPECT_EQ(made.content_hash(), Hash(7));
    EXPECT_EQ(Bytes::copy_of(std::as_const(made)).content_hash(), Hash());
    Bytes assigned;
    assigned = std::move(made);
    // NOLINTNEXTLINE(bugprone-use-after-move)
    EXPECT_EQ(made.content_hash(), Hash());
    EXPECT_EQ(assigned.content_hash(), Hash(7));

    assigned.data()[0] = 'S';
    EXPECT_EQ(assigned.content_hash(), Hash());
    assigned.set_index(nullptr, 8);
    assigned.set_index(nullptr);
    EXPECT_EQ(assigned.content_hash(), Hash());
    assigned.set_index(nullptr, 9);
    assigned = Bytes::view_of({assigned.begin() + 1, 2});  // of itself
    EXPECT_EQ(assigned.content_hash(), Hash());
    assigned.set_index(nullptr, 10);
    assigned.release();
    EXPECT_EQ(assigned.content_hash(), Hash());
  }
}

TEST(Bytes, ReleaseGivesTheMemoryBack) {
  BufferPool pool;
  const BufferPoolScope scope(pool);
  Bytes bytes = Bytes::copy_of(kText);
  EXPECT_GT(pool.stats().bytes_in_use, 0u);
  bytes.release();
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
}

}  // namespace bytes_test
}  // namespace sluice
