// The fragments of docs/sources.md.
#include "setup.h"

#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace sources_test {

struct Database {
  std::int64_t size() const { return 40; }
  std::tuple<std::string, std::int64_t> row(std::int64_t i) const {
    return {"row " + std::to_string(i), i};
  }
};

TEST(Sources, SeveralAtOnce) {
  const auto db = std::make_shared<const Database>();
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [db](Graph& g) {
    const auto rows_of = [db](const BatchInfo& info) {
      std::vector<std::tuple<std::string, std::int64_t>> rows;
      for (const SampleKey& key : info.keys) rows.push_back(db->row(key.index));
      return rows;
    };
    auto [text, label] = g.read(batches_of(db->size(), 16, rows_of, {.threads = 4}));
    return std::tuple{text, label};
  });
  std::int64_t next = 0;
  for (const auto& [texts, labels] : pipeline.epoch()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(texts[i], "row " + std::to_string(next));
      EXPECT_EQ(labels[i], next++);
    }
  }
  EXPECT_EQ(next, 40);
}

generator<std::string> lines_of(std::string file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) co_yield line;
}

TEST(Sources, RangesAndGenerators) {
  const std::string file = ::testing::TempDir() + "sluice_lines_" + std::to_string(getpid());
  std::ofstream(file) << "one\ntwo\nthree\nfour\n";
  auto pipeline = make_pipeline({.batch_size = 3}, [file](Graph& g) {
    auto line = g.read(values_of([file] { return lines_of(file); }));
    return line;
  });
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::string all;
    for (const auto& [lines] : pipeline.epoch()) {
      for (const std::string& line : lines) all += line + " ";
    }
    EXPECT_EQ(all, "one two three four ");
  }
  std::filesystem::remove(file);
}

}  // namespace sources_test
}  // namespace sluice::docs
