// A function of OpenCV as a step of a pipeline. An Image is shown as a cv::Mat, and a cv::Mat
// becomes an Image, both without a copy. Argument: a folder of JPEG files.
#include <sluice/sluice.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/photo.hpp>

using namespace sluice;

namespace {

// Shows the pixels of an image, in its order of channels (RGB). The Mat owns nothing: use it only
// while the image lives. OpenCV has no Mat of constant pixels, so do not write to this one.
cv::Mat as_mat(const Image& image) {
  return cv::Mat(image.height(), image.width(), CV_8UC(image.channels()),
                 const_cast<std::uint8_t*>(image.data()),
                 static_cast<std::size_t>(image.row_stride()));
}

// Takes the pixels of a Mat and keeps them alive: OpenCV frees them with the last image or Mat that
// has them. If the Mat only shows memory that you own, pass mat.clone().
Image to_image(cv::Mat mat) {
  CV_Assert(mat.depth() == CV_8U && mat.dims == 2);
  const auto owner = std::make_shared<cv::Mat>(std::move(mat));
  const std::int64_t channels = owner->channels();
  return Image(Tensor::shared(owner, reinterpret_cast<std::byte*>(owner->data),
                              {.shape = {owner->rows, owner->cols, channels}},
                              {static_cast<std::int64_t>(owner->step[0]), channels, 1}));
}

// The step. It runs on several threads at once, with one image each. detailEnhance expects BGR; a
// function that does not care, such as cv::medianBlur, takes as_mat(image) itself.
Image enhance(const Image& image) {
  cv::Mat bgr, enhanced, rgb;
  cv::cvtColor(as_mat(image), bgr, cv::COLOR_RGB2BGR);
  cv::detailEnhance(bgr, enhanced);
  cv::cvtColor(enhanced, rgb, cv::COLOR_BGR2RGB);
  return to_image(std::move(rgb));
}

}  // namespace

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  cv::setNumThreads(1);  // the pipeline's threads already use all CPUs
  auto pipeline = make_pipeline({.batch_size = 8, .on_error = OnError::skip}, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = resize(decode_jpeg(jpeg), {.height = 128, .width = 128});
    return g.map("enhance", enhance, image);
  });

  std::size_t count = 0;
  cv::Scalar sum;
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images) sum += cv::mean(as_mat(image));  // pixels of the batch
    count += images.size();
  }
  if (count == 0) return 0;
  const auto n = static_cast<double>(count);
  std::printf("%zu images\n", count);
  std::printf("mean red %.1f, green %.1f, blue %.1f\n", sum[0] / n, sum[1] / n, sum[2] / n);
  std::printf("OpenCV %s\n", CV_VERSION);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
