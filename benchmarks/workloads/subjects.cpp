#include "benchmarks/workloads/subjects.h"

#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {

Value<Bytes> files_of(Graph& g, const Corpus& corpus, std::int64_t images,
                      const std::shared_ptr<JpegIndex>& index) {
  return g.source(
      images, [&corpus, index](const SampleInfo& info) { return corpus.file(info.index, index); });
}

Value<Image> rotate_some(Graph& g, Value<Bytes> jpeg, const SubjectOptions& options) {
  auto image = decode_jpeg(jpeg);
  auto angle = g.uniform(10.f, 30.f);
  auto turned = g.if_else(
      g.coin_flip(0.25f), [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
  return resize(turned, {.width = options.width, .height = options.height});
}

Value<Tensor> train(Graph& g, Value<Bytes> jpeg, Value<Rectangle> region,
                    const SubjectOptions& options, DType dtype) {
  return resize_mirror_normalize(decode_jpeg(jpeg, region), {.width = options.width,
                                                             .height = options.height,
                                                             .mirror = g.coin_flip(0.5f),
                                                             .mean = kImageNetMean,
                                                             .std = kImageNetStd,
                                                             .dtype = dtype});
}

Value<Tensor> eval(Value<Bytes> jpeg, const SubjectOptions& options, DType dtype) {
  const int shorter = (std::max(options.width, options.height) * 8 + 3) / 7;  // 256 for 224
  return crop_mirror_normalize(resize(decode_jpeg(jpeg), {.shorter = shorter}),
                               {.width = options.width,
                                .height = options.height,
                                .mean = kImageNetMean,
                                .std = kImageNetStd,
                                .dtype = dtype});
}

using Augment = Value<Image> (*)(Graph& g, Value<Image> image);

// Returns null for workloads without automatic augmentation.
Augment augment_of(const std::string& workload) {
  if (workload == "randaugment") return [](Graph& g, Value<Image> x) { return rand_augment(g, x); };
  if (workload == "trivialaugment")
    return [](Graph& g, Value<Image> x) { return trivial_augment_wide(g, x); };
  if (workload == "autoaugment") return [](Graph& g, Value<Image> x) { return auto_augment(g, x); };
  if (workload == "augmix") return [](Graph& g, Value<Image> x) { return aug_mix(g, x); };
  return nullptr;
}

// As in train, up to the mirror; then the augmentation.
Value<Tensor> augment(Graph& g, Value<Bytes> jpeg, Value<Rectangle> region, Augment by,
                      const SubjectOptions& options, DType dtype) {
  auto image =
      resize(decode_jpeg(jpeg, region), {.width = options.width, .height = options.height});
  auto mirrored = flip(image, {.horizontal = g.coin_flip(0.5f)});
  return crop_mirror_normalize(by(g, mirrored),
                               {.mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype});
}

// Returns three boxes for an image, determined by its number: fractions of width and height.
Tensor shares_of(std::int64_t number) {
  constexpr int kBoxes = 3;
  Random random({.seed = 1, .sample = static_cast<std::uint64_t>(number)});
  Tensor boxes({kBoxes, 4}, DType::f32);
  for (int i = 0; i < kBoxes; ++i) {
    float* const box = boxes.data<float>() + std::ptrdiff_t{4} * i;
    for (int side = 0; side < 2; ++side) {
      const float length = random.uniform(0.1f, 0.6f);
      box[side] = random.uniform(0.f, 1.f - length);
      box[side + 2] = box[side] + length;
    }
  }
  return boxes;
}

std::tuple<Value<Tensor>, Value<Tensor>, Value<Tensor>> detect(Graph& g, Value<Bytes> jpeg,
                                                               Value<Tensor> shares,
                                                               const SubjectOptions& options,
                                                               DType dtype) {
  auto boxes = absolute_boxes(shares, canvas_size(decode_jpeg(jpeg)));
  auto labels = g.map(
      "labels", [](const Tensor& all) { return Tensor({all.shape()[0]}, DType::i64); }, shares);
  const DetectionSample made =
      detection_augment(g, jpeg, boxes, labels, {.width = options.width, .height = options.height});
  return {crop_mirror_normalize(made.image,
                                {.mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype}),
          made.boxes, made.labels};
}

}  // namespace

Subject make_subject(const std::string& workload, const Corpus& corpus,
                     const SubjectOptions& options) {
  const auto from_files = [&](auto recipe) {
    return subject_of(options, [&corpus, recipe, &options](Graph& g) {
      return recipe(g, files_of(g, corpus, options.images, options.index));
    });
  };
  using Jpeg = Value<Bytes>;
  const bool on_gpu = options.device != nullptr;
  const auto there = [on_gpu](Jpeg jpeg) { return on_gpu ? jpeg.gpu() : jpeg; };
  const DType dtype = on_gpu ? DType::f16 : DType::f32;
  if (workload == "decode") {
    return from_files([=](Graph&, Jpeg jpeg) { return decode_jpeg(there(jpeg)); });
  }
  if (workload == "region") {
    return from_files(
        [=](Graph&, Jpeg jpeg) { return decode_jpeg(there(jpeg), random_region(jpeg)); });
  }
  if (workload == "train") {
    return from_files([=](Graph& g, Jpeg jpeg) {
      auto region = random_region(jpeg);
      return train(g, there(jpeg), region, options, dtype);
    });
  }
  if (const Augment by = augment_of(workload)) {
    return from_files([=](Graph& g, Jpeg jpeg) {
      auto region = random_region(jpeg);
      return augment(g, there(jpeg), region, by, options, dtype);
    });
  }
  if (workload == "simclr") {
    return from_files([=](Graph& g, Jpeg jpeg) {
      const auto views =
          sim_clr(g, there(jpeg), {.width = options.width, .height = options.height});
      const CropMirrorNormalizeOptions normal = {
          .mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype};
      return std::tuple{crop_mirror_normalize(views.first, normal),
                        crop_mirror_normalize(views.second, normal)};
    });
  }
  if (workload == "dino") {
    return from_files([=](Graph& g, Jpeg jpeg) {
      const DinoViews views = dino(g, there(jpeg));
      std::vector<Value<Tensor>> all;
      for (const auto* some : {&views.global, &views.local}) {
        for (const Value<Image>& view : *some) {
          all.push_back(crop_mirror_normalize(
              view, {.mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype}));
        }
      }
      return std::tuple{all[0], all[1], all[2], all[3], all[4],
                        all[5], all[6], all[7], all[8], all[9]};
    });
  }
  if (workload == "detection") {
    return subject_of(options, [&corpus, &options, there, dtype](Graph& g) {
      const auto [jpeg, shares] =
          g.source(options.images, [&corpus, index = options.index](const SampleInfo& info) {
            return std::tuple{corpus.file(info.index, index), shares_of(info.index)};
          });
      return detect(g, there(jpeg), shares, options, dtype);
    });
  }
  if (workload == "segmentation") {
    return from_files([=](Graph& g, Jpeg jpeg) {
      const auto ids = decode_image(jpeg, {.color = ColorSpace::gray});
      const SegmentationSample made =
          segmentation_augment(g, there(jpeg), on_gpu ? ids.gpu() : ids,
                               {.width = options.width, .height = options.height});
      return std::tuple{
          crop_mirror_normalize(made.image,
                                {.mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype}),
          made.mask};
    });
  }
  if (workload == "eval")
    return from_files([=](Graph&, Jpeg jpeg) { return eval(there(jpeg), options, dtype); });
  return from_files([=](Graph& g, Jpeg jpeg) { return rotate_some(g, there(jpeg), options); });
}

void check_rotate_loop(const Corpus& corpus, const SubjectOptions& options,
                       const RotateLoop& loop) {
  const std::int64_t images = std::min<std::int64_t>(corpus.size(), 64);
  const PipelineOptions pipeline_options{
      .batch_size = options.batch, .seed = options.seed, .threads = options.threads};
  auto pipeline = make_pipeline(pipeline_options, [&](Graph& g) {
    return rotate_some(g, files_of(g, corpus, images, options.index), options);
  });
  RotateLoop::Scratch scratch;
  Image expected;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      loop.make(batch.ids()[i], scratch, expected);
      if (!(batch.get<0>()[i] == expected)) {
        throw Error(fmt::format("the pipeline and the loop make different images of sample {}",
                                batch.ids()[i]));
      }
    }
  }
}

}  // namespace sluice::app
