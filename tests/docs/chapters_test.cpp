// The fragments of docs/control-flow.md, docs/errors.md and docs/first-hour.md.
#include "setup.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::docs {
namespace chapters_test {

TEST(ControlFlow, Choices) {
  const auto levels = results_of([](Graph& g, Value<Image> image, Value<std::int64_t> i) {
    auto angle = g.uniform(10.f, 30.f);
    auto turned = g.if_else(
        g.coin_flip(0.25f), [&] { return rotate(image, angle); }, [&] { return image; });
    auto index = i % 3;
    auto branch0 = [&] { return mean(turned); };
    auto branch1 = -1.f;
    auto branch2 = g.constant(-2.f);
    auto result = g.select(index, branch0, branch1, branch2);
    return result;
  });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i % 3 == 1) {
      EXPECT_EQ(levels[i], -1.f);
    }
    if (i % 3 == 2) {
      EXPECT_EQ(levels[i], -2.f);
    }
  }
}

Value<Image> blur(Value<Image> image) { return flip(image); }

TEST(ControlFlow, Names) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto i = indices(g);
    auto image = g.map("image", image_of, i);
    auto often = i % 2 == 1;
    auto index = i % 2;
    auto angle = 90.f;
    auto halve = [](auto, auto x) { return resize(x, {.width = 4}); };
    auto turned = g.if_else(often, [&] { return rotate(image, angle); }, image, {.name = "turn"});
    auto blurred = g.select(index, {.name = "blur"}, turned, [&] { return blur(turned); });
    auto smaller = g.for_loop(3, blurred, halve, {.name = "halve"});
    return smaller;
  });
  EXPECT_EQ(pipeline.inspect(1).path().substr(0, 23), "turn:then/blur:branch 1");
  EXPECT_EQ(pipeline.stats().loops.at(0).name, "halve");
}

// Answers on a thread of its own.
class Client {
 public:
  ~Client() {
    for (std::thread& thread : threads_) thread.join();
  }
  void send(const std::string& text, Completion<std::string> done) {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(
        [&text, done = std::move(done)]() mutable { EXPECT_TRUE(done.set("re: " + text)); });
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

TEST(ControlFlow, StepsThatWait) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto client = std::make_shared<Client>();
    auto question = g.map(
        "question", [](std::int64_t i) { return std::to_string(i); }, indices(g));
    auto answer = g.map_async<std::string>(
        "ask",
        [client](Completion<std::string> done, const std::string& text) {
          client->send(text, std::move(done));
        },
        question);
    return answer;
  });
  std::int64_t next = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::string& answer : batch.get<0>())
      EXPECT_EQ(answer, "re: " + std::to_string(next++));
  }
  EXPECT_EQ(next, kSamples);
}

Value<Tensor> find_corners(Value<Image> image) {
  return Graph(image.builder())
      .map_into<Tensor>(
          "corners",
          [](const Image& in, Tensor& out) {
            out.create({4, 2}, DType::f32);
            std::fill_n(out.data<float>(), 8, static_cast<float>(in.height()));
          },
          image);
}

TEST(ControlFlow, TensorsOfOneKind) {
  EXPECT_THROW((void)results_of([](Graph& g, Value<Image> image, Value<std::int64_t> i) {
                 auto corners = g.declare(find_corners(image), {.dtype = DType::f32, .rank = 2});
                 return g.select(
                     i % 2, [&] { return corners; }, [&] { return crop_mirror_normalize(image); });
               }),
               BuildError);
}

TEST(ControlFlow, Logic) {
  const auto found = results_of([](Graph& g, auto, Value<std::int64_t> i) {
    auto jpeg = g.map("file", jpeg_file, i);
    auto pixels = i * 10000;
    auto dark_and_large = g.all_of(pixels >= 200000, [&] { return mean(decode_jpeg(jpeg)) < 100; });
    return dark_and_large;
  });
  for (const bool yes : found) EXPECT_FALSE(yes);  // the large ones are bright
}

TEST(ControlFlow, LookingInside) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto i = indices(g);
    auto image = g.map("image", image_of, i);
    return g.if_else(
        i % 2 == 1,
        [&] {
          std::vector<std::function<Value<Image>()>> branches(4, [&] { return image; });
          branches[3] = [&] { return rotate(image, 90.f); };
          return g.select(cast<std::int64_t>(i % 7), branches);
        },
        [&] { return image; });
  });
  const Inspection sample = pipeline.inspect(17);
  sample.path();                // "if_else:then/select:branch 3"
  sample.get<Image>("rotate");  // what the step named "rotate" made
  EXPECT_EQ(sample.path(), "if_else:then/select:branch 3");
}

class Annotated {
 public:
  Annotated() = default;
  explicit Annotated(Image image) : image_(std::move(image)) {}
  const Image& image() const { return image_; }
  void own() { image_.own(); }  // after it the object shows nothing that another one keeps

 private:
  Image image_;
};

TEST(ControlFlow, ValuesOwnWhatTheyShow) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) {
    auto image = g.map("image", image_of, indices(g));
    auto part = g.map(
        "part", [](const Image& in) { return Annotated(in.crop_view(0, 0, 2, 2)); }, image);
    return g.map(
        "owns", [](const Annotated& a) { return !a.image().is_view(); }, part);
  });
  for (const auto& [owns] : pipeline.epoch()) {
    for (const bool yes : owns) EXPECT_TRUE(yes);
  }
}

TEST(Errors, NameTheSample) {
  const PhotosFolder photos;
  std::ofstream("photos/gray/3.jpg") << "not an image";
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    return std::tuple{decode_jpeg(jpeg), label};
  });
  std::vector<std::string> said;
  const auto report = [&](const std::string& source, const std::string& step,
                          const std::string& what) {
    said.push_back(source);
    said.push_back(step);
    said.push_back(what);
  };
  for (const auto& batch : pipeline.epoch()) {
    for (const SampleError& error : batch.errors()) report(error.source, error.step, error.what);
  }
  ASSERT_EQ(said.size(), 3u);
  EXPECT_NE(said[0].find("gray/3.jpg"), std::string::npos) << said[0];
  EXPECT_EQ(said[1], "decode_jpeg");
  EXPECT_NE(said[2].find("not a JPEG file"), std::string::npos) << said[2];
}

TEST(Errors, ABudget) {
  auto pipeline = make_pipeline(
      {
          .batch_size = 4,
          .on_error = OnError::skip.within(100, 0.01)  // at most 100 samples, at most 1 % of them
      },
      [](Graph& g) {
        return g.map(
            "fails", [](std::int64_t) -> int { throw std::runtime_error("it fails"); }, indices(g));
      });
  EXPECT_THROW(
      {
        for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 0u);
      },
      BudgetError);
}

void train(const ImageBatch& images, const Items<std::int64_t>& labels) {
  EXPECT_EQ(images.shape(), (Shape{kSamples, 224, 224, 3}));
  for (const std::int64_t label : labels) EXPECT_EQ(label, 0);
}

TEST(FirstHour, DescribingAndRunning) {
  const PhotosFolder photos;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 1}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    return std::tuple{random_resized_crop(jpeg), label};
  });
  for (const auto& [images, labels] : pipeline.epoch()) {
    // images.data(): 64 x 224 x 224 x 3 bytes; labels[i]: the class of image i
    train(images, labels);
  }
  EXPECT_EQ(pipeline.stats().total.delivered, kSamples);
}

int find(const Image& image) { return image.height(); }
Image add_noise(Random& draw, const Image& image) {
  Image noisy = image.clone();
  noisy.data()[0] = static_cast<std::uint8_t>(draw.below(256));
  return noisy;
}
void shrink(const Image& in, Image& out) {
  out.create(in.height() / 2, in.width() / 2, in.channels());
  std::fill_n(out.data(), out.row_bytes() * static_cast<std::size_t>(out.height()), in.at(0, 0, 0));
}
Image render(std::int64_t number) { return image_of(number % 25); }

struct Detector {
  explicit Detector(const char* name) : known(name) {}
  std::string known;
  std::size_t find(const Image&) const { return known.size(); }
};

TEST(FirstHour, WhatLivesHowLong) {
  const auto found = results_of([](Graph& g, Value<Image> image, auto) {
    auto model = std::make_shared<const Detector>("model.bin");
    auto boxes = g.map(
        "detect", [model](const Image& in) { return model->find(in); }, image);
    return boxes;
  });
  for (const std::size_t boxes : found) EXPECT_EQ(boxes, 9u);
}

TEST(FirstHour, StepsOfMyOwn) {
  const auto heights = results_of([](Graph& g, Value<Image> image, auto) {
    rotate(image, 15.f);
    rotate(image, g.uniform(10.f, 30.f));
    flip(image, {.horizontal = g.coin_flip()});
    auto boxes = g.map(
        "detect", [](const Image& in) { return find(in); }, image);
    auto noisy = g.random(
        "noise", [](Random& draw, const Image& in) { return add_noise(draw, in); }, image);
    auto small = g.map_into<Image>(
        "shrink", [](const Image& in, Image& out) { shrink(in, out); }, image);
    return g.map(
        "all",
        [](int box, const Image& a, const Image& b) {
          return box == a.height() && a.height() / 2 == b.height();
        },
        boxes, noisy, small);
  });
  for (const bool right : heights) EXPECT_TRUE(right);
}

// Every tenth file of a folder.
struct EveryTenth {
  Files files;
  static constexpr bool blocks = true;
  std::int64_t size() const { return files.size() / 10; }
  std::string name(std::int64_t i) const { return files.name(10 * i); }
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const {
    return files.read(10 * info.index);
  }
};

TEST(FirstHour, ADatasetOfYourOwn) {
  const PhotosFolder folder;
  auto pipeline = make_pipeline({.batch_size = 2}, [&](Graph& g) {
    auto [jpeg, label] = g.read(EveryTenth{files_in("photos")});
    return std::tuple{decode_jpeg(jpeg), label};
  });
  EXPECT_EQ(pipeline.samples(), 2);
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 2u);
}

bool has_line(std::int64_t i) { return i < 5; }
std::string text_of_line(std::int64_t i) { return "line " + std::to_string(i); }

TEST(FirstHour, DataOfUnknownLength) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    auto line = g.source(kUntilEnd, [=](const SampleInfo& info) {
      if (!has_line(info.index)) throw EndOfEpoch();
      return text_of_line(info.index);
    });
    return line;
  });
  std::vector<std::string> lines;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) lines.push_back(batch.get<0>()[i]);
  }
  EXPECT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines.back(), "line 4");
}

TEST(FirstHour, DataThatIsNotInFiles) {
  auto pipeline = make_pipeline({.batch_size = 100}, [](Graph& g) {
    auto [image, number] = g.source(1000, [=](const SampleInfo& info) {
      return std::tuple{render(info.index), info.index};
    });
    return std::tuple{image, number};
  });
  std::int64_t next = 0;
  for (const auto& [images, numbers] : pipeline.epoch()) {
    for (const std::int64_t number : numbers) EXPECT_EQ(number, next++);
  }
  EXPECT_EQ(next, 1000);
}

}  // namespace chapters_test
}  // namespace sluice::docs
