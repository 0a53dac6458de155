// A value owns its memory when it leaves the step that made it, however deep a view lies in it.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/bytes.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace take_ownership_test {

constexpr std::int64_t kSamples = 60;

void fill(Image& image, std::int64_t value) {
  image.create(8, 8, 1);
  std::memset(image.data(), static_cast<int>(value), 64);
}
Value<Image> filled(Graph& g, Value<std::int64_t> i) {
  return g.map_into<Image>(
      "fill", [](std::int64_t x, Image& out) { fill(out, x); }, i);
}
// Takes the memory that `after` has freed, and overwrites it.
template <class T>
Value<Image> noise(Graph& g, Value<T> after) {
  return g.map_into<Image>(
      "noise", [](const T&, Image& out) { fill(out, 255); }, after);
}
Image part_of(const Image& whole) { return whole.crop_view(2, 2, 3, 3); }

// Returns the samples whose value shows another pixel than it was made with. `make` returns a value
// with a view of the image, look() returns its pixel.
template <class Make, class Look>
std::int64_t wrong(Make make, Look look) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto made = g.map("make", make, filled(g, indices(g, kSamples)));
    using T = typename decltype(made)::value_type;
    return g.map(
        "look", [look](const T& value, const Image&) { return look(value).at(1, 1, 0); }, made,
        noise(g, made));
  });
  std::int64_t next = 0, bad = 0;
  for (const auto& [pixels] : pipeline.epoch()) {
    for (const std::uint8_t pixel : pixels) bad += pixel == next++ ? 0 : 1;
  }
  EXPECT_EQ(next, kSamples);
  return bad;
}

struct Labeled {
  std::int64_t label = 0;
  Image image;
  std::optional<std::string> note;
};
struct Nested {
  std::string name;
  std::vector<Labeled> parts;
};
// Trees hold themselves.
struct Tree {
  Image image;
  std::vector<Tree> branches;
};
struct Based : Image {
  int number = 0;
};

// Classes whose members cannot be found, which have a function own().
class Hidden {
 public:
  Hidden() = default;
  explicit Hidden(Image image) : image_(std::move(image)) {}
  void own() { image_.own(); }
  const Image& image() const { return image_; }

 private:
  Image image_;
};

TEST(Own, ViewsAreFoundInWhateverCanBeLookedInto) {
  const auto labeled = [](const Image& i) { return Labeled{1, part_of(i), "note"}; };
  EXPECT_EQ(wrong(labeled, [](const Labeled& x) -> const Image& { return x.image; }), 0);
  EXPECT_EQ(wrong(
                [&](const Image& i) {
                  Nested nested;
                  nested.parts.emplace_back();
                  nested.parts.push_back(labeled(i));
                  return nested;
                },
                [](const Nested& x) -> const Image& { return x.parts[1].image; }),
            0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  Tree tree;
                  tree.branches.emplace_back();
                  tree.branches[0].image = part_of(i);
                  return tree;
                },
                [](const Tree& x) -> const Image& { return x.branches[0].image; }),
            0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  Based based;
                  static_cast<Image&>(based) = part_of(i);
                  return based;
                },
                [](const Based& x) -> const Image& { return x; }),
            0);
  EXPECT_EQ(wrong([](const Image& i) { return Hidden(part_of(i)); },
                  [](const Hidden& x) -> const Image& { return x.image(); }),
            0);
}

TEST(Own, ViewsAreFoundInStandardTypes) {
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  std::vector<Image> list(2);
                  list[1] = part_of(i);
                  return list;
                },
                [](const std::vector<Image>& x) -> const Image& { return x[1]; }),
            0);
  EXPECT_EQ(
      wrong(
          [](const Image& i) {
            std::deque<std::pair<int, Image>> list;
            list.emplace_back(3, part_of(i));
            return list;
          },
          [](const std::deque<std::pair<int, Image>>& x) -> const Image& { return x[0].second; }),
      0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  std::array<std::tuple<Image, int>, 2> both;
                  std::get<0>(both[1]) = part_of(i);
                  return both;
                },
                [](const std::array<std::tuple<Image, int>, 2>& x) -> const Image& {
                  return std::get<0>(x[1]);
                }),
            0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  std::map<std::string, std::optional<Image>> all;
                  all["empty"];
                  all["part"] = part_of(i);
                  return all;
                },
                [](const std::map<std::string, std::optional<Image>>& x) -> const Image& {
                  return *x.at("part");
                }),
            0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  std::variant<int, Tensor, Image> one;
                  one = part_of(i);
                  return one;
                },
                [](const std::variant<int, Tensor, Image>& x) -> const Image& {
                  return std::get<Image>(x);
                }),
            0);
  EXPECT_EQ(wrong([](const Image& i) { return std::make_unique<Image>(part_of(i)); },
                  [](const std::unique_ptr<Image>& x) -> const Image& { return *x; }),
            0);
}

struct Pixel {
  std::uint8_t value = 0;
  std::uint8_t at(int, int, int) const { return value; }
};

TEST(Own, TensorsAndBytesDoAsImages) {
  EXPECT_EQ(
      wrong(
          [](const Image& i) {
            auto* data = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(i.data()));
            return std::pair{Tensor::view(data, {{8}, DType::u8, Layout::none}), 1};
          },
          [](const std::pair<Tensor, int>& x) { return Pixel{x.first.data<std::uint8_t>()[3]}; }),
      0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  return Bytes::view_of({i.data(), 8});
                },
                [](const Bytes& x) { return Pixel{x.data()[3]}; }),
            0);
  EXPECT_EQ(wrong(
                [](const Image& i) {
                  return std::optional(Bytes::view_of({i.data(), 8}));
                },
                [](const std::optional<Bytes>& x) { return Pixel{x->data()[3]}; }),
            0);
}

// A function that writes its result in place may leave a view, too.
TEST(Own, WhatMapIntoLeaves) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto image = filled(g, indices(g, kSamples));
    auto part = g.map_into<Image>(
        "part", [](const Image& in, Image& out) { out = part_of(in); }, image);
    auto list = g.map_into<std::vector<Image>>(
        "list",
        [](const Image& in, std::vector<Image>& out) {
          out.resize(1);
          out[0] = in.crop_view(0, 0, 2, 2);
        },
        part);
    auto pixel = g.map(
        "pixel", [](const std::vector<Image>& x, const Image&) { return x[0].at(1, 1, 0); }, list,
        noise(g, list));
    return std::tuple{part, pixel};
  });
  std::int64_t next = 0;
  for (const auto& [parts, pixels] : pipeline.epoch()) {
    for (std::size_t k = 0; k < parts.size(); ++k, ++next) {
      EXPECT_EQ(parts[k].at(2, 2, 0), next);
      EXPECT_EQ(pixels[k], next);
    }
  }
  EXPECT_EQ(next, kSamples);
}

// Values that a loop carries and collects stay intact while iterations reuse the same memory.
TEST(Own, LoopsCarryAndCollectWhatIsTheirs) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, kSamples);
    auto first = g.map(
        "first",
        [](const Image& in) {
          return Labeled{0, part_of(in), {}};
        },
        filled(g, i));
    auto [last, all] = g.for_loop_collect(4, first, [&](auto k, auto state) {
      auto image = g.map_into<Image>(
          "next",
          [](const Labeled& before, std::int64_t n, Image& out) {
            fill(out, before.image.at(1, 1, 0) + n);
          },
          state, k);
      auto next = g.map(
          "wrap",
          [](const Image& in) {
            return Labeled{0, part_of(in), {}};
          },
          image);
      auto kept = g.map(
          "keep", [](const Image& in) { return std::make_unique<Image>(part_of(in)); }, image);
      auto shown = g.map(
          "show", [](const std::unique_ptr<Image>& x, const Image&) { return x->at(0, 0, 0); },
          kept, noise(g, kept));
      return std::tuple{next, shown};
    });
    auto pixel = g.map(
        "pixel", [](const Labeled& x) { return x.image.at(2, 2, 0); }, last);
    return std::tuple{pixel, all};
  });
  std::int64_t x = 0;
  for (const auto& [pixels, lists] : pipeline.epoch()) {
    for (std::size_t k = 0; k < pixels.size(); ++k, ++x) {
      EXPECT_EQ(pixels[k], x + 6);
      const auto at = [&](std::int64_t more) { return static_cast<std::uint8_t>(x + more); };
      EXPECT_EQ(lists[k], (std::vector<std::uint8_t>{at(0), at(1), at(3), at(6)}));
    }
  }
}

TEST(Own, ASourcesBytesMayBeThoseOfItsDataSet) {
  const std::vector<std::uint8_t> data{1, 2, 3, 4};
  auto pipeline = make_pipeline({.batch_size = 4}, [&](Graph& g) {
    auto [bytes, parts] = g.source(4, [&](const SampleInfo&) {
      Image image(1, 4, 1);
      std::memcpy(image.data(), data.data(), 4);
      std::vector<Image> views;
      views.push_back(Image::view(image.data(), 1, 2, 1, 4));
      views[0].own();
      return std::tuple{Bytes::view_of(data), std::move(views)};
    });
    auto where = g.map(
        "where", [](const Bytes& b) { return b.data(); }, bytes);
    auto pixel = g.map(
        "pixel", [](const std::vector<Image>& v) { return v[0].at(0, 1, 0); }, parts);
    return std::tuple{where, pixel};
  });
  for (const auto& [where, pixels] : pipeline.epoch()) {
    EXPECT_EQ(where[3], data.data());
    EXPECT_EQ(pixels[3], 2);
  }
}

}  // namespace take_ownership_test
}  // namespace sluice
