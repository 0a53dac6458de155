#include "benchmarks/bench/workloads.h"

#include "apps/input_paths.h"
#include "apps/summary.h"
#include "apps/usage.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/http/packs.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <jpeglib.h>

namespace sluice::app {

Corpus::Corpus(const std::string& folder, Device* device) {
  BufferPool memory(device != nullptr ? device->pinned() : host_memory());
  const Files files = data_files(folder);
  const std::vector<LeftOut> left_out = left_out_of(files);
  left_out_ = static_cast<int>(unreadable_of(left_out).size());
  by_rules_ = words_of_rules(left_out);
  Image image;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    try {
      Bytes bytes = [&] {
        const BufferPoolScope scope(memory);
        return read_file(files.name(i));
      }();
      decode_jpeg_image(bytes, {}, image);
      bytes.set_index(nullptr, digest_of(bytes).hash);
      files_.push_back(std::move(bytes));
      labels_.push_back(files.label(i));
    } catch (const Error&) {
      ++left_out_;
    }
  }
  if (files_.empty())
    throw UsageError(fmt::format("--data: no file in '{}' can be decoded", folder));
}

Corpus::Corpus(const std::vector<std::string>& packs, Device* device) {
  BufferPool memory(device != nullptr ? device->pinned() : host_memory());
  const auto pack = opened("--pack", [&] { return Pack<>(packs, {.columns = {}}); });
  const std::vector<std::string>& columns = pack.all_columns();
  const bool labeled = std::find(columns.begin(), columns.end(), "label") != columns.end();
  Image image, expected;
  for (std::int64_t i = 0; i < pack.size(); ++i) {
    try {
      Bytes bytes = [&] {
        const BufferPoolScope scope(memory);
        return pack.read_whole(i);
      }();
      Bytes original = Bytes::copy_of(bytes);
      if (pack.is_packed(i)) original = Bytes::copy_of(unpack_jpeg(bytes));
      decode_jpeg_image(original, {}, expected);
      decode_jpeg_image(bytes, {}, image);
      std::int64_t label = -1;
      if (labeled) detail::read_cell({pack.cell(i, "label")}, label);
      files_.push_back(std::move(bytes));
      originals_.push_back(std::move(original));
      packed_bytes_ += pack.bytes(i);
      labels_.push_back(label);
    } catch (const Error&) {
      ++left_out_;
      continue;
    }
    if (!(image == expected)) {
      throw Error(
          fmt::format("{}: the packed file has other pixels than its JPEG file", pack.name(i)));
    }
  }
  if (files_.empty()) throw UsageError("--pack: no file in the packs can be decoded");
}

Bytes Corpus::file(std::int64_t i, std::shared_ptr<JpegIndex> index) const {
  const Bytes& kept = files_[static_cast<std::size_t>(i % size())];
  Bytes view = Bytes::view_of(kept);
  view.set_index(std::move(index), kept.content_hash());
  return view;
}

double Corpus::megabytes() const {
  std::size_t sum = 0;
  for (const Bytes& file : originals_.empty() ? files_ : originals_) sum += file.size();
  return static_cast<double>(sum) / 1e6;
}

std::int64_t Corpus::known_to(const JpegIndex& index) const {
  return std::count_if(files_.begin(), files_.end(), [&index](const Bytes& file) {
    return index.find(digest_of(file, file.content_hash())).has_value();
  });
}

namespace {

// Runs body() on each of `threads` threads. Returns the seconds until the last has ended. Rethrows
// an exception of one of them.
template <class Body>
double time_threads(int threads, Body body) {
  const auto start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::exception_ptr error;
  const auto guarded_body = [&] {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back(guarded_body);
    } catch (const std::system_error&) {
      throw too_few_threads(threads, static_cast<int>(others.size()) + 1);
    }
    guarded_body();
  }
  if (error) std::rethrow_exception(error);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every file of a Corpus can be decoded, so an error here is a bug: libjpeg's default handler
// prints it and ends the process. Warnings would only disturb the measurement.
void keep_quiet(j_common_ptr, int) {}

class FullDecoder {
 public:
  FullDecoder() {
    info_.err = jpeg_std_error(&errors_);
    errors_.emit_message = keep_quiet;
    jpeg_create_decompress(&info_);
  }
  FullDecoder(const FullDecoder&) = delete;
  FullDecoder& operator=(const FullDecoder&) = delete;
  ~FullDecoder() { jpeg_destroy_decompress(&info_); }

  void decode(std::span<const std::uint8_t> file) {
    jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
    (void)jpeg_read_header(&info_, TRUE);
    info_.out_color_space = info_.num_components == 4 ? JCS_CMYK : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    (void)jpeg_start_decompress(&info_);
    const std::size_t stride = static_cast<std::size_t>(info_.output_width) *
                               static_cast<std::size_t>(info_.output_components);
    if (image_.size() < stride * info_.output_height) image_.resize(stride * info_.output_height);
    while (info_.output_scanline < info_.output_height) {
      std::array<JSAMPROW, 4> rows;  // more than the library produces at once
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t y =
            std::min<std::size_t>(info_.output_scanline + i, info_.output_height - 1);
        rows[i] = image_.data() + stride * y;
      }
      const JDIMENSION left = info_.output_height - info_.output_scanline;
      (void)jpeg_read_scanlines(&info_, rows.data(), std::min<JDIMENSION>(left, rows.size()));
    }
    (void)jpeg_finish_decompress(&info_);
  }

 private:
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  std::vector<JSAMPLE> image_;
};

// The random generators of the rotate pipeline, in the order in which it creates them.
constexpr std::uint32_t kAngle = 0, kCoin = 1;
constexpr int kSide = 400;
constexpr std::size_t kPlaceBytes = std::size_t{3} * kSide * kSide;

// A sample's place in a batch.
class Place : public Placer {
 public:
  explicit Place(std::byte* at) : at_(at) {}
  std::byte* place(const ValueSpec& spec) override {
    return spec.bytes() == kPlaceBytes ? at_ : nullptr;
  }

 private:
  std::byte* at_;
};

}  // namespace

Error too_few_threads(int asked, int made) {
  return Error(fmt::format(
      "{} threads were asked for, but the system lets this process make no more than {}", asked,
      made));
}

double run_full_decode(const Corpus& corpus, std::int64_t images, int threads) {
  std::atomic<std::int64_t> next{0};
  return time_threads(threads, [&] {
    FullDecoder decoder;
    for (std::int64_t i = next++; i < images; i = next++) decoder.decode(corpus[i]);
  });
}

void RotateLoop::make(std::int64_t id, Scratch& scratch, Image& out) const {
  const auto draw = [&](std::uint32_t generator) {
    return Random({.seed = seed_,
                   .epoch = 0,
                   .sample = static_cast<std::uint32_t>(id),
                   .generator = generator});
  };
  decode_jpeg_image(corpus_[id], {}, scratch.decoded);
  const Image* image = &scratch.decoded;
  if (draw(kCoin).unit() < 0.25f) {
    kernels::rotate(scratch.decoded, draw(kAngle).uniform(10.f, 30.f), {.fill = 0}, scratch.turned);
    image = &scratch.turned;
  }
  kernels::resize(*image, kSide, kSide, Interpolation::bilinear, out);
}

double RotateLoop::run(std::int64_t images, int threads) const {
  // Three batches, as many as a pipeline has in flight.
  const auto places = 3 * static_cast<std::size_t>(batch_);
  std::vector<std::byte> batches(places * kPlaceBytes);
  std::atomic<std::int64_t> next{0};
  return time_threads(threads, [&] {
    Scratch scratch;
    Image out;
    for (std::int64_t i = next++; i < images; i = next++) {
      Place place(batches.data() + static_cast<std::size_t>(i) % places * kPlaceBytes);
      out.set_placer(&place);
      make(i, scratch, out);
    }
    out.set_placer(nullptr);
  });
}

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
  return resize(turned, {.height = options.height, .width = options.width});
}

Value<Tensor> train(Graph& g, Value<Bytes> jpeg, Value<Rectangle> region,
                    const SubjectOptions& options, DType dtype) {
  return resize_mirror_normalize(decode_jpeg(jpeg, region), {.height = options.height,
                                                             .width = options.width,
                                                             .mirror = g.coin_flip(0.5f),
                                                             .mean = kImageNetMean,
                                                             .std = kImageNetStd,
                                                             .dtype = dtype});
}

Value<Tensor> eval(Value<Bytes> jpeg, const SubjectOptions& options, DType dtype) {
  const int shorter = (std::max(options.width, options.height) * 8 + 3) / 7;  // 256 for 224
  return crop_mirror_normalize(resize(decode_jpeg(jpeg), {.shorter = shorter}),
                               {.height = options.height,
                                .width = options.width,
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
      resize(decode_jpeg(jpeg, region), {.height = options.height, .width = options.width});
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
      detection_augment(g, jpeg, boxes, labels, {.height = options.height, .width = options.width});
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
          sim_clr(g, there(jpeg), {.height = options.height, .width = options.width});
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
                               {.height = options.height, .width = options.width});
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

namespace {

template <class Dataset>
Subject train_on(const Dataset& dataset, const SubjectOptions& options) {
  return subject_of(options, [&](Graph& g) {
    const auto [jpeg] = g.read(dataset);
    return train(g, jpeg, random_region(jpeg), options, DType::f32);
  });
}

}  // namespace

Subject make_pack_subject(const std::vector<std::string>& packs, const SubjectOptions& options) {
  return train_on(Pack<>(packs, {.columns = {}}), options);
}

Subject make_pack_url_subject(const std::vector<std::string>& urls, int connections,
                              const SubjectOptions& options) {
  return train_on(PackUrls<>(urls, {.columns = {}, .http = {.connections = connections}}), options);
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
