#include "benchmarks/workloads/subjects.h"

#include <sluice/sluice.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {
namespace {

Value<Bytes> files_of(Graph& g, const Corpus& corpus, std::int64_t images,
                      const std::shared_ptr<JpegIndex>& index) {
  return g.source(
      images, [&corpus, index](const SampleInfo& info) { return corpus.file(info.index, index); });
}

Value<Image> rotate_some(Graph& g, Value<Bytes> jpeg) {
  auto image = decode_jpeg(jpeg);
  auto angle = g.uniform(10.f, 30.f);
  auto turned = g.if_else(
      g.coin_flip(0.25f), [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
  return resize(turned, {.width = 400, .height = 400});
}

Value<Tensor> train(Graph& g, Value<Bytes> jpeg, Value<Rectangle> region, DType dtype) {
  return resize_mirror_normalize(decode_jpeg(jpeg, region), {.width = 224,
                                                             .height = 224,
                                                             .mirror = g.coin_flip(0.5f),
                                                             .mean = kImageNetMean,
                                                             .std = kImageNetStd,
                                                             .dtype = dtype});
}

Value<Tensor> eval(Value<Bytes> jpeg, DType dtype) {
  auto image = resize(decode_jpeg(jpeg), {.shorter = 256});
  return crop_mirror_normalize(
      image,
      {.width = 224, .height = 224, .mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype});
}

using Augment = Value<Image> (*)(Graph& g, Value<Image> image);

// Null for workloads that augment nothing by themselves.
Augment augment_of(const std::string& workload) {
  if (workload == "randaugment") return [](Graph& g, Value<Image> x) { return rand_augment(g, x); };
  if (workload == "trivialaugment")
    return [](Graph& g, Value<Image> x) { return trivial_augment_wide(g, x); };
  if (workload == "autoaugment") return [](Graph& g, Value<Image> x) { return auto_augment(g, x); };
  if (workload == "augmix") return [](Graph& g, Value<Image> x) { return aug_mix(g, x.cpu()); };
  return nullptr;
}

// As in train, up to the mirror; then what augments it.
Value<Tensor> augment(Graph& g, Value<Bytes> jpeg, Value<Rectangle> region, Augment by,
                      DType dtype) {
  auto image = resize(decode_jpeg(jpeg, region), {.width = 224, .height = 224});
  auto mirrored = flip(image, {.horizontal = g.coin_flip(0.5f)});
  return crop_mirror_normalize(
      by(g, mirrored),
      {.width = 224, .height = 224, .mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype});
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
      return train(g, there(jpeg), region, dtype);
    });
  }
  if (const Augment by = augment_of(workload)) {
    return from_files([=](Graph& g, Jpeg jpeg) {
      auto region = random_region(jpeg);
      return augment(g, there(jpeg), region, by, dtype);
    });
  }
  if (workload == "simclr") {
    return from_files([=](Graph& g, Jpeg jpeg) {
      const auto views = sim_clr(g, there(jpeg));
      const CropMirrorNormalizeOptions normal = {
          .mean = kImageNetMean, .std = kImageNetStd, .dtype = dtype};
      return std::tuple{crop_mirror_normalize(views.first, normal),
                        crop_mirror_normalize(views.second, normal)};
    });
  }
  if (workload == "eval")
    return from_files([=](Graph&, Jpeg jpeg) { return eval(there(jpeg), dtype); });
  return from_files([=](Graph& g, Jpeg jpeg) { return rotate_some(g, there(jpeg)); });
}

void check_rotate_loop(const Corpus& corpus, const SubjectOptions& options,
                       const RotateLoop& loop) {
  const std::int64_t images = std::min<std::int64_t>(corpus.size(), 64);
  const PipelineOptions pipeline_options{
      .batch_size = options.batch, .seed = options.seed, .threads = options.threads};
  auto pipeline = make_pipeline(pipeline_options, [&](Graph& g) {
    return rotate_some(g, files_of(g, corpus, images, options.index));
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
