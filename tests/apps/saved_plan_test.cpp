// `--pipeline FILE`, `sluice graph --json` and `sluice operators`.
#include "apps/images.h"
#include "apps/output_paths.h"
#include "apps/saved_plan_file.h"
#include "demo_folder.h"
#include "program.h"
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace saved_plan_test {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class SavedPlans : public ::testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_images(); }
  // Returns the files of the folder and the outcome.
  std::map<std::string, std::string> augment(const std::string& out,
                                             const std::string& options) const {
    const Ran ran = run_program("augment --data " + data_.string() + " --out " +
                                (test_folder() / out).string() + " " + options);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    return files_below(test_folder() / out);
  }
  fs::path plan_of(const std::string& recipe) const {
    fs::path file = test_folder() / (recipe + ".json");
    const Ran ran = run_program("graph --recipe " + recipe + " --json");
    EXPECT_EQ(ran.status, 0) << ran.errors;
    write_text(file, ran.out);
    return file;
  }
  fs::path data_;
};

// A result but for the comment in it that names the run.
Image image_in(const std::string& jpeg) {
  Image image;
  decode_jpeg_image(
      Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(jpeg.data()), jpeg.size()}), {}, image);
  return image;
}

TEST_F(SavedPlans, AugmentMakesWhatTheRecipeMakes) {
  for (const std::string recipe : {"rotate", "train", "eval"}) {
    const std::string plan = plan_of(recipe).string();
    const auto expected = augment(recipe, "--recipe " + recipe + " --threads 1");
    const auto made = augment(recipe + "_plan", "--pipeline " + plan + " --threads 3 --sheet " +
                                                    (test_folder() / "sheet.jpg").string());
    ASSERT_EQ(made.size(), expected.size());
    ASSERT_GT(made.size(), 10u);
    for (const auto& [name, jpeg] : expected) {
      ASSERT_EQ(made.count(name), 1u) << name;
      EXPECT_TRUE(image_in(made.at(name)) == image_in(jpeg)) << recipe << " " << name;
    }
  }
}

TEST_F(SavedPlans, AugmentResumesWithTheSamePlanOnly) {
  const std::string plan = plan_of("rotate").string();
  const auto all = augment("out", "--pipeline " + plan);
  const std::string gone = all.begin()->first;
  fs::remove(test_folder() / "out" / gone);
  EXPECT_EQ(augment("out", "--resume --pipeline " + plan), all);
  // The same plan with the old names of a choice and its branches.
  std::string text = text_of(plan);
  const std::pair<std::string, std::string> names[] = {{"\"choice\"", "\"branch\""},
                                                       {"\"branches\"", "\"arms\""}};
  for (const auto& [now, before] : names) {
    ASSERT_NE(text.find(now), std::string::npos) << now;
    text.replace(text.find(now), now.size(), before);
  }
  write_text(test_folder() / "old.json", text);
  const SavedPlan old = read_plan((test_folder() / "old.json").string());
  EXPECT_EQ(identity_of(read_plan(plan)), old.text());  // the identity in version 0.1
  EXPECT_EQ(identity_of(old), old.text());
  EXPECT_EQ(augment("out", "--resume --pipeline " + (test_folder() / "old.json").string()), all);
  const Ran other = run_program("augment --data " + data_.string() + " --out " +
                                (test_folder() / "out").string() + " --resume --pipeline " +
                                plan_of("eval").string());
  EXPECT_EQ(other.status, 2) << other.out;
}

TEST_F(SavedPlans, BenchMeasuresThem) {
  for (const std::string workload : {"", "pipeline "}) {
    const Ran ran =
        run_program("bench " + workload + "--pipeline " + plan_of("eval").string() + " --data " +
                    data_.string() + " --threads 2 --seconds 0.01 --rounds 2 --batch 8 --json -");
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("workload"), "pipeline");
    EXPECT_GT(json.at("ratio"), 0);
  }
}

TEST_F(SavedPlans, GraphDrawsThem) {
  const std::string plan = plan_of("rotate").string();
  EXPECT_EQ(run_program("graph --json --pipeline " + plan).out, text_of(plan));
  EXPECT_NE(run_program("graph --pipeline " + plan).out.find("if_else"), std::string::npos);
  const Ran ran = run_program("graph --text --pipeline " + plan + " --data " + data_.string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.out.find(" runs, "), std::string::npos) << ran.out;
}

// The file that the chapter shows.
TEST_F(SavedPlans, TheChaptersExampleRuns) {
  const std::string chapter = text_of(fs::path(SLUICE_DOCS) / "saved-plans.md");
  const std::string fence = "```json\n";
  const std::size_t begin = chapter.find(fence) + fence.size();
  const fs::path file = test_folder() / "chapter.json";
  write_text(file, chapter.substr(begin, chapter.find("```", begin) - begin));
  for (const auto& [name, jpeg] : augment("out", "--pipeline " + file.string()))
    EXPECT_EQ(image_in(jpeg).width(), 64) << name;
}

TEST_F(SavedPlans, WhatIsWrongIsOneLineAndStatus2) {
  const std::string good = text_of(plan_of("eval"));
  const auto file = [&](const std::string& name, const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_text(test_folder() / name, text.replace(at, from.size(), to));
    return (test_folder() / name).string();
  };
  const std::string unknown = file("unknown.json", "\"decode_jpeg\"", "\"decode_gif\"");
  const std::string label = file("label.json", "\n  \"outputs\": [", "\n  \"outputs\": [1,");
  const std::string source = file("source.json", "\"bytes\",\"i64\"", "\"i64\",\"bytes\"");
  const std::string broken = file("broken.json", "\"steps\"", "steps");
  const std::string data = " --data " + data_.string();
  const std::string out = " --out " + (test_folder() / "out").string();
  const struct {
    std::string arguments;
    std::string says;
  } cases[] = {
      {"augment" + data + out + " --pipeline " + unknown,
       "unknown.json at /steps/0/operator: there is no operator 'decode_gif'"},
      {"augment" + data + out + " --pipeline " + label,
       "label.json at /outputs/0: the first output becomes a JPEG file"},
      {"augment" + data + out + " --pipeline " + source, "source.json at /source/outputs"},
      {"augment" + data + out + " --pipeline " + broken, "broken.json is not JSON"},
      {"augment" + data + out + " --pipeline missing.json", "missing.json"},
      {"augment" + data + out + " --pipeline " + data_.string(), data_.string()},
      {"augment" + data + out + " --recipe eval --pipeline x", "excludes"},
      {"bench" + data + " --pipeline " + unknown, "there is no operator 'decode_gif'"},
      {"bench pipeline" + data, "needs --pipeline FILE"},
      {"bench train" + data + " --pipeline x", "not for bench train"},
      {"bench --pipeline x", "needs --data"},
      {"graph --pipeline " + broken, "is not JSON"},
      {"operators rotat", "did you mean rotate, rotate_boxes or rotate_points? (`sluice"},
      {"operators if_else", "there is no operator 'if_else' (`sluice operators` lists all)"},
      {"operators read", "there is no operator 'read' (`sluice operators` lists all)"},
      {"operators size", "resize"},
      {"operators random_resize_crop", "did you mean random_resized_crop?"},
      {"operators --markdown resize", "excludes"},
  };
  for (const auto& c : cases) {
    const Ran ran = run_program(c.arguments);
    EXPECT_EQ(ran.status, 2) << c.arguments << ": " << ran.errors;
    EXPECT_NE(ran.errors.find(c.says), std::string::npos) << c.arguments << ": " << ran.errors;
    EXPECT_EQ(error_lines(ran), 1u) << ran.errors;
    EXPECT_FALSE(fs::exists(test_folder() / "out")) << c.arguments;
  }
}

TEST(OperatorsCommand, ListsAllAndTellsOfEach) {
  const Ran all = run_program("operators");
  EXPECT_EQ(all.status, 0) << all.errors;
  const auto json = nlohmann::json::parse(run_program("operators --json").out);
  EXPECT_EQ(json.size(), operators().size() + detail::registry().functions().size());
  for (const OperatorPtr& op : operators()) {
    const detail::OperatorSchema& schema = op->schema();
    EXPECT_NE(all.out.find("  " + schema.name + " "), std::string::npos) << schema.name;
    EXPECT_NE(all.out.find(schema.summary), std::string::npos) << schema.name;
  }
  const Ran one = run_program("operators resize");
  EXPECT_EQ(one.status, 0) << one.errors;
  for (const char* part : {"input      image: image", "parameter  height: i32; 1 <= x <= 65535",
                           "nearest, box, bilinear", "default 'bilinear'", "output     image",
                           "in C++     resize(image, {.shorter = 256})", "may be left out",
                           ("in Python  ops.resize(image, height=None, width=None, shorter=None, "
                            "mode='as_given', max_size=None, ")})
    EXPECT_NE(one.out.find(part), std::string::npos) << part << "\n" << one.out;
  const Ran several = run_program("operators random_resized_crop");
  EXPECT_EQ(several.status, 0) << several.errors;
  for (const char* part :
       {"Made of: crop, decode_and_resize", "in C++     random_resized_crop(jpeg)",
        "input      image: bytes or byte_span or image", "Draws random numbers",
        "parameter  jpeg.color: choice; rgb, gray; default 'rgb'"})
    EXPECT_NE(several.out.find(part), std::string::npos) << part << "\n" << several.out;
  EXPECT_NE(all.out.find("  apply_random "), std::string::npos) << all.out;
  const Ran only_cpp = run_program("operators apply_random");
  EXPECT_NE(only_cpp.out.find("\n  in Python  none\n"), std::string::npos) << only_cpp.out;
  const auto flip = nlohmann::json::parse(run_program("operators flip --json").out);
  EXPECT_EQ(flip.at("name"), "flip");
  EXPECT_EQ(flip.at("cpp").size(), 1u);
  EXPECT_EQ(flip.at("python").at(0), "ops.flip(image, horizontal=True, vertical=False)");
  EXPECT_EQ(flip.at("parameters").at(0).at("type"), "bool");
}

// Returns the names in a list of arguments such as "a: X[B, C], *, c: D = ...".
std::string names_of(const std::string& arguments) {
  std::string names;
  int depth = 0;
  bool in_name = true;
  for (const char c : arguments + ",") {
    depth += (c == '[' || c == '(' ? 1 : 0) - (c == ']' || c == ')' ? 1 : 0);
    if (c == ',' && depth == 0) {
      in_name = true;
      if (!names.empty() && names.back() != ' ') names += ' ';
    } else if (c == ':' || c == '=') {
      in_name = false;
    } else if (in_name && c != ' ' && c != '*') {
      names += c;
    }
  }
  return names;
}

// The stubs of the Python module have the same functions with the same arguments, and after them
// those that stand for others.
TEST(OperatorsCommand, SaysHowPythonCallsThem) {
  const std::string stubs =
      text_of(fs::path(SLUICE_DOCS).parent_path() / "python" / "sluice" / "ops.pyi");
  ASSERT_NE(stubs, "");
  const auto json = nlohmann::json::parse(run_program("operators --json").out);
  std::size_t functions = 0;
  for (const auto& one : json) {
    for (const std::string call : one.at("python")) {
      const std::string begin = "ops.";
      if (!call.starts_with(begin)) continue;  // a method
      ++functions;
      const std::size_t open = call.find('(');
      const std::string def = "\ndef " + call.substr(begin.size(), open + 1 - begin.size());
      const std::size_t at = stubs.rfind(def);  // of overloads the last one, which takes Values
      ASSERT_NE(at, std::string::npos) << call;
      const std::size_t from = at + def.size();
      const std::string stub = stubs.substr(from, stubs.find(") -> ", from) - from);
      const std::string names = names_of(call.substr(open + 1, call.size() - open - 2));
      const std::string known = names_of(stub);
      ASSERT_EQ(known.substr(0, names.size()), names) << call;
      std::istringstream others(known.substr(names.size()));
      // `border`: the form of rotate for tensors has none.
      const std::set<std::string> for_others = {
          "size",        "area",      "ratio",  "range",  "longer",    "seed", "sigma",
          "startpoints", "endpoints", "matrix", "border", "generator", "axis", "keepdims"};
      for (std::string other; others >> other;)
        EXPECT_TRUE(for_others.contains(other)) << call << ": " << other;
    }
    if (one.at("python").empty()) {
      const std::string def = "\ndef " + one.at("name").get<std::string>() + "(";
      EXPECT_EQ(stubs.find(def), std::string::npos) << def;
    }
  }
  EXPECT_GT(functions, 100u);
}

TEST(OperatorsCommand, TheChapterIsWhatItPrints) {
  EXPECT_TRUE(text_of(fs::path(SLUICE_DOCS) / "operators.md") ==
              run_program("operators --markdown").out)
      << "docs/operators.md is not what the declarations say: make it again with\n"
         "sluice operators --markdown > docs/operators.md";
}

}  // namespace saved_plan_test
}  // namespace sluice::app
