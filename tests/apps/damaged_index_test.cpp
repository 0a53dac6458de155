// An index with damaged records: the run goes on without it, and reports it.
#include "program.h"
#include <sluice/io/jpeg/self_test.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sluice::app {
namespace damaged_index_test {
namespace fs = std::filesystem;

TEST(DamagedIndex, AugmentGoesOnWithoutItAndSaysSo) {
  if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
  const std::string data = (test_folder() / "data").string();
  const std::string index = (test_folder() / "images.index").string();
  ASSERT_EQ(run_program("demo-images --out " + data).status, 0);
  ASSERT_EQ(run_program("index --data " + data + " --out " + index).status, 0);
  const auto augment = [&](const std::string& out, const std::string& with) {
    return run_program("augment --recipe train --seed 3 --data " + data + " --out " +
                       (test_folder() / out).string() + " --index " + with);
  };
  const Ran plain = augment("plain", "off");
  const Ran whole = augment("whole", index);
  EXPECT_EQ(whole.out.find("warned of"), std::string::npos) << whole.out;

  // All records, so that every file is concerned.
  const auto size = fs::file_size(index);
  std::fstream file(index, std::ios::binary | std::ios::in | std::ios::out);
  const std::string noise(size / 2, 'x');
  file.seekp(static_cast<std::streamoff>(size - noise.size()));
  file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
  file.close();
  const Ran damaged = augment("damaged", index);
  EXPECT_EQ(damaged.status, plain.status) << damaged.errors;
  const auto said = damaged.out.find("warned of:\n  ");
  ASSERT_NE(said, std::string::npos) << damaged.out;
  const std::string wanted = "the index '" + index + "' is damaged (records of a file)";
  const auto at = damaged.out.find(wanted);
  EXPECT_NE(at, std::string::npos) << damaged.out;
  EXPECT_EQ(damaged.out.find(wanted, at + 1), std::string::npos) << damaged.out;

  int compared = 0;
  for (const auto& entry : fs::directory_iterator(test_folder() / "plain")) {
    ++compared;
    EXPECT_EQ(text_of(entry.path()), text_of(test_folder() / "damaged" / entry.path().filename()));
  }
  EXPECT_GT(compared, 3);
}

}  // namespace damaged_index_test
}  // namespace sluice::app
