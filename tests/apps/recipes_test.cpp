// The recipes: the files that the build writes, the results on a device, and --size.
#include "apps/recipes.h"

#include "annotated_lists.h"
#include "apps/dataset.h"
#include "apps/saved_plan_file.h"
#include "program.h"
#include "tests/one_in.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/graph.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/value.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/ops/boxes.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::app {
namespace recipes_test {

namespace fs = std::filesystem;

// The saved plan of the recipe, which the build writes.
fs::path file_of(Recipe recipe) {
  return fs::path(SLUICE_RECIPES) / (std::string(name_of(recipe)) + ".json");
}

std::string bytes_of(const Tensor& tensor) {
  const Tensor whole = tensor.clone();
  return to_string(whole.shape()) +
         std::string(reinterpret_cast<const char*>(whole.bytes()), whole.nbytes());
}
std::string bytes_of(const Image& image) { return bytes_of(image.tensor()); }
std::string bytes_of(std::int64_t number) { return std::to_string(number); }

// All outputs, byte for byte, as one text.
Value<std::string> bytes_of(Graph& g, const std::vector<detail::SlotId>& outputs) {
  Value<std::string> all = g.constant(std::string());
  for (const detail::SlotId slot : outputs) {
    const auto add = [&]<class T>(std::type_identity<T>) {
      if (g.builder().plan().slots[slot].type != detail::slot_type<T>()) return;
      all = g.map(
          "add_bytes",
          [](const std::string& before, const T& value) { return before + bytes_of(value); }, all,
          Value<T>(g.builder(), slot));
    };
    add(std::type_identity<Image>());
    add(std::type_identity<Tensor>());
    add(std::type_identity<std::int64_t>());
  }
  return all;
}

class Recipes : public ::testing::Test {
 protected:
  void SetUp() override { lists_ = write_annotated_lists(); }
  std::shared_ptr<const Dataset> dataset_of(Recipe recipe) const {
    DatasetOptions options{.wants = wants_of(recipe), .box_format = BoxFormat::xywh};
    if (options.wants == Wants::boxes)
      options.list = lists_.boxes.string();
    else if (options.wants == Wants::mask)
      options.list = lists_.masks.string();
    else
      options.data = lists_.folder.string();
    return open_dataset(options);
  }
  // Returns what `describe` makes of each sample. Samples that cannot be decoded are left out.
  template <class Describe>
  std::vector<std::string> made(Recipe recipe, std::shared_ptr<Device> device,
                                const Describe& describe) const {
    const auto dataset = dataset_of(recipe);
    const PipelineOptions options{.batch_size = 4,
                                  .seed = 8,
                                  .threads = 2,
                                  .device = std::move(device),
                                  .on_error = OnError::skip};
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      const auto [file, label, boxes, labels, mask] =
          g.source(2 * dataset->size(), [&dataset](const SampleInfo& info) {
            DatasetSample one = dataset->read(info.index % dataset->size());
            return std::tuple{std::move(one.file), one.label, std::move(one.boxes),
                              std::move(one.labels), std::move(one.mask)};
          });
      return bytes_of(g, describe(g, RecipeInputs{file, label, boxes, labels, mask}));
    });
    std::vector<std::string> all;
    for (const auto& [texts] : pipeline.epoch())
      for (std::size_t i = 0; i < texts.size(); ++i) all.push_back(texts[i]);
    EXPECT_EQ(pipeline.stats().device.samples > 0, options.device != nullptr);
    return all;
  }
  AnnotatedLists lists_;
};

// All, or under a sanitizer a third of them.
std::vector<Recipe> some_recipes() {
  const auto& all = recipes();
  std::vector<Recipe> some;
  for (std::size_t i = 0; i < std::size(all); i += std::size_t(testing::one_in(1, 3)))
    some.push_back(all[i]);
  return some;
}

TEST(RecipeFiles, AreWrittenByTheBuild) {
  for (const Recipe recipe : recipes()) EXPECT_TRUE(fs::exists(file_of(recipe))) << file_of(recipe);
}

TEST(RecipeFiles, AreTheGoldenFiles) {
  for (const Recipe recipe : {Recipe::rotate, Recipe::segmentation}) {
    const fs::path golden = fs::path(SLUICE_GOLDENS) / file_of(recipe).filename();
    EXPECT_TRUE(text_of(file_of(recipe)) == text_of(golden))
        << golden << " is not what the recipe is now: replace it with " << file_of(recipe);
  }
}

// Saved plans, and recipes on a device, produce the same bytes as the recipes on the CPU.
TEST_F(Recipes, AreTheSameFromTheirFilesAndOnADevice) {
  for (const Recipe recipe : some_recipes()) {
    SCOPED_TRACE(name_of(recipe));
    const auto describe = [&](bool on_device) {
      return [recipe, on_device](Graph& g, const RecipeInputs& given) {
        return outputs_of(apply(g, recipe, given, {}, on_device), given);
      };
    };
    const std::vector<std::string> expected = made(recipe, nullptr, describe(false));
    EXPECT_EQ(expected.size(), 2u * static_cast<std::size_t>(lists_.images));
    const SavedPlan plan = read_plan(file_of(recipe).string());
    EXPECT_TRUE(made(recipe, nullptr, [&](Graph&, const RecipeInputs& given) {
                  return add_plan(plan, given);
                }) == expected);
    EXPECT_TRUE(made(recipe, std::make_shared<device::HostDevice>(), describe(true)) == expected);
  }
}

// All pixels of a recipe are made on the device: only the numbers stay on the host.
TEST_F(Recipes, DecodeAndChangeImagesOnTheDevice) {
  for (const Recipe recipe : recipes()) {
    const std::string plan =
        run_program(std::string("graph --device stand-in --text --recipe ") + name_of(recipe)).out;
    for (const char* part : {"[to the device", "[on the device", "[to the host"})
      EXPECT_NE(plan.find(part), std::string::npos) << name_of(recipe) << plan;
    for (const char* step : {"\nresize(", "\nflip(", "\ncolor_twist("})
      EXPECT_EQ(plan.find(step), std::string::npos) << name_of(recipe) << plan;
    // The size comes from the file's header, without a device batch.
    std::istringstream lines(plan);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("canvas_size(") == std::string::npos) continue;
      EXPECT_EQ(line.find("[on the device"), std::string::npos) << line;
    }
  }
}

TEST_F(Recipes, HaveTheSizeThatIsAskedFor) {
  for (const Recipe recipe : some_recipes()) {
    if (recipe == Recipe::dino) continue;
    SCOPED_TRACE(name_of(recipe));
    const std::string out = (test_folder() / name_of(recipe)).string();
    const Ran ran =
        run_program("augment --size 60,44 --count 2 --recipe " + std::string(name_of(recipe)) +
                    " --out " + out + samples_for(name_of(recipe), lists_));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    int images = 0;
    for (const auto& [name, content] : files_below(out)) {
      if (name.ends_with(".json")) continue;
      Image image;
      decode_image_file({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()}, {},
                        image);
      EXPECT_EQ(image.width(), recipe == Recipe::simclr ? 120 : 60) << name;
      EXPECT_EQ(image.height(), 44) << name;
      ++images;
    }
    EXPECT_EQ(images, recipe == Recipe::segmentation ? 4 : 2);
  }
}

TEST_F(Recipes, SizesAndNamesAreChecked) {
  const std::string data = " --data " + lists_.folder.string() + " ";
  const std::string out = " --out " + (test_folder() / "out").string() + " ";
  const std::string file = file_of(Recipe::detection).string();
  const std::string list = (test_folder() / "list.csv").string();
  std::ofstream(list) << "path,id\na.jpg,1\n";
  const struct {
    std::string arguments, says;
  } cases[] = {
      {"augment --size 0" + data + out, "'0' is not a whole number from 1 to 16384"},
      {"augment --size 16385" + data + out, "'16385' is not a whole number"},
      {"augment --size -3" + data + out, "'-3' is not"},
      {"augment --size nan" + data + out, "'nan' is not"},
      {"augment --size 3.5" + data + out, "'3.5' is not"},
      {"augment --size 12," + data + out, "'' is not"},
      {"augment --size ,12" + data + out, "'' is not"},
      {"augment --size 1,2,3" + data + out,
       "--size: '1,2,3' is more than two numbers; give one, or two with a comma between"},
      {"augment --size 99999999999999999999" + data + out, "is not a whole number"},
      {"augment --size 32 --recipe dino" + data + out, "--size is not for --recipe dino"},
      {"graph --size 32 --recipe dino", "--size is not for --recipe dino"},
      {"bench --size 32 --recipe dino" + data, "--size is not for --recipe dino"},
      {"augment --size 32 --pipeline x" + data + out, "excludes"},
      {"graph --size 32 --pipeline x", "excludes"},
      {"bench --size 32 --pipeline x" + data, "not for bench pipeline"},
      {"bench decode --size 32" + data, "not for bench decode"},
      {"bench train --recipe eval" + data, "excludes"},
      {"bench --recipe eval --pipeline x" + data, "excludes"},
      {"bench --recipe decode" + data, "'decode' is not known: choose rotate"},
      {"graph --recipe imagnet", "'imagnet' is not known; did you mean imagenet?"},
      {"augment --recipe trian" + data + out,
       "--recipe: 'trian' is not known; did you mean train? (sluice augment --help tells more)"},
      {"bench trian" + data, "workload: 'trian' is not known; did you mean train? (sluice bench"},
      {"augment" + data + out + "--recipe detection", "--boxes NAME"},
      {"augment" + data + out + "--pipeline " + file,
       "--pipeline " + file + " needs --list: boxes come from --list FILE with two columns"},
      {"graph" + data + "--pipeline " + file, "--list FILE with two columns, --boxes NAME"},
      {"bench" + data + "--pipeline " + file, "--list FILE with two columns, --boxes NAME"},
      {"augment" + out + "--pipeline " + file + " --list " + list,
       "no column 'boxes'; its columns are 'path', 'id'; boxes come from --list FILE"},
      {"augment" + out + "--recipe segmentation --mask ids --list " + list,
       "no column 'ids'; its columns are 'path', 'id'; masks come from --list FILE"},
  };
  for (const auto& c : cases) {
    const Ran ran = run_program(c.arguments);
    EXPECT_EQ(ran.status, 2) << c.arguments << ": " << ran.errors;
    EXPECT_NE(ran.errors.find(c.says), std::string::npos) << c.arguments << ": " << ran.errors;
    EXPECT_EQ(error_lines(ran), 1u) << ran.errors;
    EXPECT_FALSE(fs::exists(test_folder() / "out")) << c.arguments;
  }
}

TEST(OperatorsOfAPath, AreNamedInTheirOrder) {
  const struct {
    const char* path;
    const char* operators;
  } cases[] = {{"", ""},
               {"if_else:then", ""},
               {"apply_random:rotate/apply_random#2:shear_x", "rotate, shear_x"},
               {"if_else:then/apply_random:identity", "identity"},
               {"apply_policy:3 equalize, rotate", "equalize, rotate"},
               {"apply_policy:3 color, color/color:otherwise/color#2:then", "color"},
               {"apply_policy:12 equalize, rotate/equalize:then/rotate:otherwise", "equalize"}};
  for (const auto& c : cases) EXPECT_EQ(operators_in(c.path), c.operators) << c.path;
}

// The sheet runs its samples again to learn their operators, also with worker processes.
TEST_F(Recipes, ASheetOfDrawnOperatorsIsTheSameWithWorkers) {
  std::vector<std::string> sheets;
  for (const std::string workers : {"", " --workers 2"}) {
    const std::string out = (test_folder() / ("out" + std::to_string(sheets.size()))).string();
    const Ran ran = run_program("augment --recipe randaugment --data " + lists_.folder.string() +
                                " --out " + out + " --sheet " + out + ".jpg" + workers);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    sheets.push_back(text_of(out + ".jpg"));
  }
  EXPECT_GT(sheets.front().size(), 1000u);
  EXPECT_EQ(sheets.front(), sheets.back());
}

TEST_F(Recipes, ImagenetIsTrain) {
  EXPECT_EQ(run_program("graph --recipe imagenet --json").out,
            run_program("graph --recipe train --json").out);
  for (const std::string choice : {"imagenet", "--recipe imagenet", "--recipe train --size 64"}) {
    const Ran ran = run_program("bench " + choice + " --data " + lists_.folder.string() +
                                " --threads 2 --seconds 0.01 --rounds 1 --json -");
    ASSERT_EQ(ran.status, 0) << choice << ran.errors;
    EXPECT_NE(ran.out.find("\"workload\": \"train\""), std::string::npos) << ran.out;
  }
}

// A run resumes only with images of the same size. Giving its own size explicitly is no change.
TEST_F(Recipes, ARunWithAnotherSizeIsAnotherRun) {
  const std::string run = "augment --recipe eval --count 3 --data " + lists_.folder.string() +
                          " --out " + (test_folder() / "out").string();
  ASSERT_EQ(run_program(run).status, 0);
  EXPECT_EQ(run_program(run + " --resume --size 32").status, 2);
  EXPECT_EQ(run_program(run + " --resume --size 224").status, 0);
}

}  // namespace recipes_test
}  // namespace sluice::app
