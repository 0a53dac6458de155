// The lines that show an operator's use in C++: each line is compiled here, and records its
// operator. Functions that are made of operators record these, and no others.
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/operators.h>
#include <sluice/ops/random.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/tensors.h>
#include <sluice/ops/warp_fields.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace in_cpp_test {

using Suite = std::vector<Augmentation<Image>>;
using Names = std::set<std::string>;

// The names that the lines use.
struct Bench {
  template <class T>
  Value<T> value(const char* name) {
    return {builder, builder.add_slot(detail::slot_type<T>(), name)};
  }
  detail::PlanBuilder builder;
  Graph g{builder};
  Value<Image> image = value<Image>("image");
  Value<Bytes> jpeg = value<Bytes>("jpeg");
  Value<Bytes> file = value<Bytes>("file");
  Value<Rectangle> region = value<Rectangle>("region");
  Value<std::vector<Image>> images = value<std::vector<Image>>("images");
  Value<std::vector<float>> weights = value<std::vector<float>>("weights");
  Value<std::vector<std::int64_t>> classes = value<std::vector<std::int64_t>>("classes");
  Value<std::int64_t> label = value<std::int64_t>("label");
  Value<Tensor> boxes = value<Tensor>("boxes"), points = value<Tensor>("points");
  Value<Tensor> tensor = value<Tensor>("tensor"), labels = value<Tensor>("labels"),
                anchors = value<Tensor>("anchors");
  Value<int> x = value<int>("x"), y = value<int>("y");
  Suite suite{{"same", [](Value<Image> same, Value<float>) { return same; }}};
};

struct Line {
  std::string expression;
  void (*use)(Bench&);
};

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

#define LINE(...)                                                                                  \
  Line {                                                                                           \
    without_spaces(#__VA_ARGS__), [](Bench& bench) {                                               \
      [[maybe_unused]] auto& [builder, g, image, jpeg, file, region, images, weights, classes,     \
                              label, boxes, points, tensor, labels, anchors, x, y, suite] = bench; \
      static_cast<void>(__VA_ARGS__);                                                              \
    }                                                                                              \
  }

const Line kLines[] = {
    LINE(floor_divide(x, y)),
    LINE(modulo(x, y)),
    LINE(power(x, y)),
    LINE(minimum(x, y)),
    LINE(maximum(x, y)),
    LINE(abs(x)),
    LINE(abs(crop_mirror_normalize(image))),
    LINE(any(image)),
    LINE(all(image)),
    LINE(max<std::int64_t>(image)),
    LINE(reduce_axes(image, kernels::AxisReduction::mean, {0, 1})),
    LINE(mean<double>(image)),
    LINE(expanded_region(canvas_size(image), {.ratio = 1.5f})),
    LINE(nested_region(region, random_region(image))),
    LINE(scaled_region(canvas_size(image), {.height = 51, .width = 51, .scale = 1.5f}).region),
    LINE(apply_random(g, image, suite, {.n = 2, .magnitude = 9})),
    LINE(aug_mix(g, image, {.severity = 3})),
    LINE(autocontrast(image)),
    LINE(absolute_boxes(boxes, canvas_size(image))),
    LINE(center_region(canvas_size(image), {.height = 224, .width = 224})),
    LINE(clip_boxes(boxes, canvas_size(image))),
    LINE(convert_boxes(boxes, {.from = BoxFormat::xywh})),
    LINE(crop_boxes(boxes, region)),
    LINE(crop_points(points, region)),
    LINE(encode_anchors(boxes, labels, anchors, {.iou = 0.5f})),
    LINE(filter_boxes(boxes, labels, canvas_size(image), {.min_area = 16.f})),
    LINE(filter_boxes(boxes, canvas_size(image), {.min_visibility = 0.3f})),
    LINE(flip_boxes(boxes, {.height = 200, .width = 300}, {.horizontal = g.coin_flip(0.5f)})),
    LINE(flip_points(points, {.height = 200, .width = 300}, {.horizontal = g.coin_flip(0.5f)})),
    LINE(labels_of(classes)),
    LINE(pad_boxes(boxes, {.left = 4, .top = 4})),
    LINE(pad_points(points, {.left = 4, .top = 4})),
    LINE(canvas_size(image)),
    LINE(canvas_size(region)),
    LINE(random_bbox_crop(boxes, labels, canvas_size(image))),
    LINE(relative_boxes(boxes, canvas_size(image))),
    LINE(resize_boxes(boxes, canvas_size(image), {.height = 300, .width = 300})),
    LINE(resize_points(points, canvas_size(image), {.height = 300, .width = 300})),
    LINE(rotate_boxes(boxes, canvas_size(image), g.uniform(-10.f, 10.f), {.keep_size = true})),
    LINE(rotate_points(points, canvas_size(image), g.uniform(-10.f, 10.f), {.keep_size = true})),
    LINE(rows_of(weights, 4)),
    LINE(affine(image, {.degrees = g.uniform(-10.f, 10.f), .scale = 1.2f})),
    LINE(affine_boxes(boxes, canvas_size(image),
                      {.degrees = g.uniform(-10.f, 10.f), .scale = 1.2f})),
    LINE(affine_points(points, canvas_size(image),
                       {.degrees = g.uniform(-10.f, 10.f), .scale = 1.2f})),
    LINE(randint(g, 0, 10)),
    LINE(random_crop(image, {.height = 32, .width = 32})),
    LINE(random_crop(image, {.height = 32, .width = 32, .top = 4, .bottom = 4})),
    LINE(random_crop(image, {.left = 8, .right = 8, .border = Border::reflect})),
    LINE(shear_boxes(boxes, canvas_size(image), {.x = g.uniform(-0.3f, 0.3f)})),
    LINE(shear_points(points, canvas_size(image), {.x = g.uniform(-0.3f, 0.3f)})),
    LINE(take_rows(labels, boxes, filter_boxes(boxes, canvas_size(image)).kept)),
    LINE(translate_boxes(boxes, canvas_size(image), {.x = g.uniform(-32.f, 32.f)})),
    LINE(translate_points(points, canvas_size(image), {.x = g.uniform(-32.f, 32.f)})),
    LINE(rot90_boxes(boxes, canvas_size(image), randint(g, 0, 4))),
    LINE(rot90_points(points, canvas_size(image), randint(g, 0, 4))),
    LINE(d4_boxes(boxes, canvas_size(image), randint(g, 0, 8))),
    LINE(d4_points(points, canvas_size(image), randint(g, 0, 8))),
    LINE(perspective_boxes(boxes, {0, 0, 99, 0, 99, 99, 0, 99}, {9, 0, 90, 9, 99, 99, 0, 90})),
    LINE(perspective_points(points, {0, 0, 99, 0, 99, 99, 0, 99}, {9, 0, 90, 9, 99, 99, 0, 90})),
    LINE(warp_perspective_boxes(boxes, {.yy = 0.9f, .wx = 0.001f})),
    LINE(warp_perspective_points(points, {.yy = 0.9f, .wx = 0.001f})),
    LINE(lens_distortion_boxes(boxes, canvas_size(image), {.k1 = 0.3f})),
    LINE(lens_distortion_points(points, canvas_size(image), {.k1 = 0.3f})),
    LINE(elastic_field(g, canvas_size(image), {.alpha = 100.f, .sigma = 6.f})),
    LINE(grid_field(g, canvas_size(image), {.steps = 4})),
    LINE(remap(image, elastic_field(g, canvas_size(image)))),
    LINE(remap_boxes(boxes, elastic_field(g, canvas_size(image)))),
    LINE(remap_points(points, elastic_field(g, canvas_size(image)))),
    LINE(grid_distortion(image, {.limit = 0.2f})),
    LINE(transpose_boxes(boxes)),
    LINE(transpose_points(points)),
    LINE(warp_affine_boxes(boxes, {.xx = 1, .xy = 0.3f})),
    LINE(warp_affine_points(points, {.xx = 1, .xy = 0.3f})),
    LINE(blend(image, flip(image), 0.5f)),
    LINE(beta(g, 0.4f, 0.4f)),
    LINE(box_blur(image, {.window_size = 5})),
    LINE(brightness_contrast(image, {.brightness = 1.2f, .contrast = 0.8f})),
    LINE(cast<float>(x)),
    LINE(cat(crop_mirror_normalize(image), crop_mirror_normalize(image), -1)),
    LINE(center_crop(image, {.height = 224, .width = 224})),
    LINE(clahe(image, {.clip_limit = 4.f})),
    LINE(channel_dropout(image, randint(g, 0, 3))),
    LINE(choice(g, {0.5f, 1.f, 2.f})),
    LINE(coarse_dropout(image, {.holes = randint(g, 1, 9)})),
    LINE(coarse_dropout(image, {.height = 0.2f, .width = 0.2f, .normalized = true})),
    LINE(coarse_dropout(image, {.fill = 128, .noise = 64.f})),
    LINE(erase(image, region, {.fill = 128, .noise = 64.f})),
    LINE(color_space_conversion(image, {.to = PixelFormat::ycbcr})),
    LINE(choice_index(g, {3.f, 1.f})),
    LINE(color_twist(image, {.brightness = 1.2f, .saturation = 0.8f, .hue = 10.f})),
    LINE(contrast(image, 1.5f)),
    LINE(defocus(image, {.radius = randint(g, 3, 11), .alias_blur = 0.5f})),
    LINE(crop(image, region)),
    LINE(crop(image, region, {.out_of_bounds = OutOfBounds::pad, .fill = 128})),
    LINE(crop_mirror_normalize(image, {.height = 224, .width = 224})),
    LINE(d4(image, randint(g, 0, 8))),
    LINE(decode_image(file)),
    LINE(decode_image(file, {.color = ColorSpace::gray})),
    LINE(decode_image(file, {.ids = true})),
    LINE(decode_image(file, region)),
    LINE(decode_jpeg(jpeg, region)),
    LINE(decode_jpeg(jpeg, {.color = ColorSpace::gray})),
    LINE(dilate(image, {.window_height = 5, .window_width = 5})),
    LINE(downscale(image, g.uniform(0.25f, 0.5f))),
    LINE(downscale(image, 0.25f, {.interpolation = Interpolation::box})),
    LINE(equalize(image)),
    LINE(elastic(image, {.alpha = 100.f, .sigma = 6.f})),
    LINE(erase(image, region)),
    LINE(erase(image, {.y = 0.25f, .height = 0.5f, .width = 1.f, .normalized = true})),
    LINE(expand(image, {.ratio = 1.5f, .y = g.uniform(0.f, 1.f)})),
    LINE(erode(image)),
    LINE(filter_2d(image, {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}})),
    LINE(flip(image, {.horizontal = g.coin_flip(0.5f)})),
    LINE(flip(tensor, {.horizontal = g.coin_flip(0.5f)})),
    LINE(crop(tensor, region)),
    LINE(crop(tensor, region, {.out_of_bounds = OutOfBounds::pad, .fill = 1000})),
    LINE(resize(tensor, {.height = 224, .width = 224})),
    LINE(rotate(tensor, g.uniform(-10.f, 10.f), {.keep_size = true})),
    LINE(normalize(tensor, {.mean = {0.1f}, .std = {0.2f}})),
    LINE(decode_tensor(file)),
    LINE(gamma_correction(image, 0.8f)),
    LINE(grayscale(image)),
    LINE(grayscale(image, {.channels = 3})),
    LINE(hue(image, g.uniform(-18.f, 18.f))),
    LINE(g.coin_flip(0.25f)),
    LINE(g.constant(0.5f)),
    LINE(g.filter(x > y)),
    LINE(g.normal(0.f, 1.f)),
    LINE(image.gpu()),
    LINE(image.gpu().cpu()),
    LINE(g.uniform(-10.f, 10.f)),
    LINE(g.uniform(0.f, x)),
    LINE(gaussian_blur(image, {.sigma = 2.f, .window_size = 9})),
    LINE(gaussian_blur(image, {.sigma = g.uniform(0.1f, 2.f)})),
    LINE(gaussian_noise(image, {.stddev = g.uniform(0.f, 20.f)})),
    LINE(grid_mask(image, {.tile = 50, .degrees = g.uniform(0.f, 90.f)})),
    LINE(invert(image)),
    LINE(jitter(image, 5)),
    LINE(join_regions(region, random_region(image))),
    LINE(lens_distortion(image, {.k1 = 0.3f})),
    LINE(jpeg_distortion(image, 20)),
    LINE(max(image)),
    LINE(laplacian(image, {.window_size = 5, .scale = 0.1f})),
    LINE(mean(image)),
    LINE(lookup_table(image, [](int value) { return value / 64 * 85; })),
    LINE(median_blur(image, {.window_size = 5})),
    LINE(min(image)),
    LINE(pad_image(image, {.left = 4, .top = 4, .right = 4, .bottom = 4})),
    LINE(motion_blur(image, {.length = 15, .degrees = g.uniform(0.f, 180.f)})),
    LINE(pad_image(image, {.height = 224, .width = 224})),
    LINE(paste(image, invert(image), {.y = 10, .x = -5})),
    LINE(paste(image, invert(image), grayscale(image))),
    LINE(peek_jpeg(jpeg)),
    LINE(permute_channels(image, {.first = 2, .third = 0})),
    LINE(posterize(image, 4)),
    LINE(perspective(image, {0, 0, 99, 0, 99, 99, 0, 99}, {9, 0, 90, 9, 99, 99, 0, 90})),
    LINE(iso_noise(image, {.color_shift = 0.02f, .intensity = g.uniform(0.1f, 0.5f)})),
    LINE(random_perspective(image, {.distortion_scale = 0.3f, .probability = 1.f})),
    LINE(zoom_blur(image, {.max_factor = g.uniform(1.f, 1.3f), .step_factor = 0.02f})),
    LINE(random_erasing(image, {.probability = 0.25f, .fill = 128})),
    LINE(random_erasing(image, {.fill = 128, .noise = 64.f})),
    LINE(random_erasing_region(image, {.probability = 0.25f})),
    LINE(random_resized_crop(image, {.height = 224,
                                     .width = 224,
                                     .min_area = 0.25f,
                                     .max_area = 1.f,
                                     .min_ratio = 0.75f,
                                     .max_ratio = 1.25f})),
    LINE(random_resized_crop(jpeg)),
    LINE(random_resized_crop(jpeg, {.shrink = true})),
    LINE(random_region(image, {.min_area = 0.25f})),
    LINE(random_region(jpeg, {.min_area = 0.25f})),
    LINE(permute(image, {2, 0, 1})),
    LINE(reshape(crop_mirror_normalize(image), {3, -1})),
    LINE(sqrt(x)),
    LINE(exp(x)),
    LINE(log(x)),
    LINE(sqrt(image)),
    LINE(exp(crop_mirror_normalize(image))),
    LINE(log(image)),
    LINE(resize(image, {.shorter = 256})),
    LINE(resize(image, {.width = 224})),
    LINE(resize(image, {.height = 224, .width = 224})),
    LINE(resize(image, {.height = 224, .width = 224, .antialias = false})),
    LINE(resize(image, {.height = 480,
                        .width = 640,
                        .interpolation = Interpolation::bicubic,
                        .mode = ResizeMode::not_larger,
                        .max_size = 600,
                        .roi_start_y = 0.1f,
                        .roi_start_x = 0.1f,
                        .roi_end_y = 0.9f,
                        .roi_end_x = 0.9f,
                        .roi_relative = true})),
    LINE(resize_mirror_normalize(image, {.height = 224, .width = 224})),
    LINE(standard_deviation(image)),
    LINE(rot90(image, randint(g, 0, 4))),
    LINE(rotate(image, g.uniform(-10.f, 10.f), {.keep_size = true})),
    LINE(shear(image, {.x = g.uniform(-0.3f, 0.3f)})),
    LINE(translate(image, {.x = g.uniform(-32.f, 32.f)})),
    LINE(transpose(image)),
    LINE(warp_affine(image, {.xx = 1, .xy = 0.3f}, {.height = 224, .width = 224})),
    LINE(rgb_shift(image, {.red = g.uniform(-20.f, 20.f)})),
    LINE(saturation(image, 1.5f)),
    LINE(solarize(image, 128)),
    LINE(salt_and_pepper_noise(image, {.probability = 0.1f})),
    LINE(sharpness(image, g.uniform(0.1f, 1.9f))),
    LINE(shot_noise(image, 5.f)),
    LINE(one_hot(label, {.classes = 1000, .smoothing = 0.1f})),
    LINE(weighted_sum(images, weights)),
    LINE(warp_perspective(image, {.yy = 0.9f, .wx = 0.001f}, {.height = 224, .width = 224})),
    LINE(cast<float>(image)),
    LINE(crop_mirror_normalize(image) + crop_mirror_normalize(image)),
    LINE(crop_mirror_normalize(image) * 2),
    LINE(image& invert(image)),
    LINE(image & 0xF0),
    LINE(pad_tensor(boxes, {{.length = 100}}, -1)),
    LINE(slice_tensor(crop_mirror_normalize(image), {{.axis = 1, .start = x}})),
    LINE(to_image(image * 0.5f)),
    LINE(to_image(image / 255.f, {.white = 1.f})),
    LINE(sum(image)),
    LINE(sum<float>(crop_mirror_normalize(image))),
    LINE(x + y),
    LINE(x - y),
    LINE(x* y),
    LINE(x / y),
    LINE(x % y),
    LINE(x& y),
    LINE(x | y),
    LINE(x ^ y),
    LINE(x < y),
    LINE(x > y),
    LINE(x <= y),
    LINE(x >= y),
    LINE(x == y),
    LINE(x != y),
    LINE(-x),
    LINE(!(x > y)),
};

// The operators that the line records, by the line.
std::map<std::string, Names> recorded() {
  std::map<std::string, Names> all;
  for (const Line& line : kLines) {
    Bench bench;
    line.use(bench);
    Names& names = all[line.expression];
    const detail::Plan plan = bench.builder.take();
    detail::for_each<detail::Step>(plan.top, [&](const detail::Step& step) {
      names.insert(step.op == nullptr ? "a function: " + step.name : step.op->name());
    });
  }
  return all;
}

TEST(InCpp, LinesCompileAndRecordWhatTheyAreSaidOf) {
  const std::map<std::string, Names> lines = recorded();
  Names said, without;
  const auto names_of = [&](const std::string& expression) {
    const auto at = lines.find(without_spaces(expression));
    EXPECT_NE(at, lines.end()) << "add it to the list above: " << expression;
    said.insert(without_spaces(expression));
    return at == lines.end() ? Names() : at->second;
  };
  for (const OperatorPtr& op : operators()) {
    const detail::OperatorSchema& schema = op->schema();
    if (schema.family == "test") continue;  // of other tests
    EXPECT_TRUE(schema.made_of.empty()) << schema.name;
    if (schema.cpp.empty()) without.insert(schema.name);
    for (const std::string& expression : schema.cpp)
      EXPECT_TRUE(names_of(expression).contains(schema.name)) << schema.name << ": " << expression;
  }
  // No one calls these: passes, loops and boundaries put them into plans.
  EXPECT_EQ(without, (Names{"append", "appended", "count", "decode_image_size", "decode_jpeg_size",
                            "element", "list", "pad", "reverse", "slice", "stack"}));

  Names functions;
  for (const detail::OperatorSchema& schema : detail::registry().functions()) {
    functions.insert(schema.name);
    EXPECT_EQ(find_operator(schema.name), nullptr);
    EXPECT_FALSE(schema.summary.empty()) << schema.name;
    EXPECT_FALSE(schema.cpp.empty()) << schema.name;
    EXPECT_TRUE(schema.draws) << schema.name;
    Names made;
    for (const std::string& expression : schema.cpp) {
      EXPECT_EQ(expression.rfind(schema.name + "(", 0), 0u) << expression;
      made.merge(names_of(expression));
    }
    EXPECT_EQ(made, Names(schema.made_of.begin(), schema.made_of.end())) << schema.name;
  }
  EXPECT_EQ(functions,
            (Names{"apply_random", "random_crop", "random_erasing", "random_resized_crop"}));
  for (const auto& [line, names] : lines) EXPECT_TRUE(said.contains(line)) << line;
}

// The schema of a function does not run: it must follow the options by itself.
TEST(InCpp, FunctionsHaveTheDefaultsOfTheirOptions) {
  const RandomResizedCropOptions crop;
  const ApplyRandomOptions random;
  const RandomErasingOptions erasing;
  const RandomCropOptions window;
  const std::map<std::string, detail::Constant> defaults{
      {"random_resized_crop.width", crop.width.constant()},
      {"random_resized_crop.height", crop.height.constant()},
      {"random_resized_crop.min_area", crop.min_area},
      {"random_resized_crop.max_area", crop.max_area},
      {"random_resized_crop.min_ratio", crop.min_ratio},
      {"random_resized_crop.max_ratio", crop.max_ratio},
      {"random_resized_crop.interpolation", std::string(name_of(crop.interpolation))},
      {"random_resized_crop.antialias", crop.antialias},
      {"random_resized_crop.shrink", crop.shrink},
      {"random_resized_crop.jpeg.color", std::string(name_of(crop.jpeg.color))},
      {"random_resized_crop.jpeg.apply_orientation", crop.jpeg.apply_orientation},
      {"random_resized_crop.jpeg.damage", std::string(name_of(crop.jpeg.damage))},
      {"random_resized_crop.jpeg.verify", crop.jpeg.verify},
      {"random_resized_crop.jpeg.entropy", std::string(name_of(crop.jpeg.entropy))},
      {"random_resized_crop.jpeg.max_scans", crop.jpeg.max_scans},
      {"random_resized_crop.jpeg.max_output_bytes", crop.jpeg.max_output_bytes},
      {"random_crop.height", window.height.constant()},
      {"random_crop.width", window.width.constant()},
      {"random_crop.padding", window.padding},
      {"random_crop.top", window.top.constant()},
      {"random_crop.left", window.left.constant()},
      {"random_crop.bottom", window.bottom.constant()},
      {"random_crop.right", window.right.constant()},
      {"random_crop.pad_if_needed", window.pad_if_needed},
      {"random_crop.border", std::string(name_of(window.border))},
      {"random_crop.fill", std::vector<double>(4, window.fill.constant()[0])},
      {"random_erasing.probability", erasing.probability.constant()},
      {"random_erasing.min_area", erasing.min_area},
      {"random_erasing.max_area", erasing.max_area},
      {"random_erasing.min_ratio", erasing.min_ratio},
      {"random_erasing.max_ratio", erasing.max_ratio},
      {"random_erasing.noise", erasing.noise.constant()},
      {"random_erasing.fill", std::vector<double>(4, erasing.fill.constant()[0])},
      {"apply_random.n", random.n},
      {"apply_random.magnitude", random.magnitude.constant()},
      {"apply_random.bins", random.bins},
  };
  std::map<std::string, detail::Constant> declared;
  for (const detail::OperatorSchema& schema : detail::registry().functions()) {
    for (const detail::Parameter& parameter : schema.parameters)
      declared.emplace(schema.name + "." + parameter.name, parameter.default_value.value());
  }
  EXPECT_TRUE(declared == defaults);
}

}  // namespace in_cpp_test
}  // namespace sluice
