#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/io/readers/tar.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace sluice {
namespace tar_links_test {

class TarLinksTest : public ScratchTest {};

// Each case is a sample with a link: its content, or the error that shows the link's target.
TEST_F(TarLinksTest, AreFollowedInTheArchive) {
  const std::string long_name = std::string(150, 'd') + "/1.jpg";
  struct Case {
    const char* what;
    std::string archive;
    std::string read;
  };
  const auto with = [](const TarWriter& writer) { return writer.whole(); };
  const std::string missing =
      ", which leads to no file in the archive; a hard link leads to one that comes before it";
  const Case cases[] = {
      {"hard", with(TarWriter().file("x/1.jpg", "one").link("x/2.jpg", "x/1.jpg")), "one"},
      {"hard, other folder", with(TarWriter().file("./1.txt", "one").link("x/2.jpg", "1.txt")),
       "one"},
      {"the last one before it",
       with(TarWriter()
                .file("1.jpg", "old")
                .file("1.jpg", "one")
                .link("x/2.jpg", "1.jpg")
                .file("1.jpg", "new")),
       "one"},
      {"a link to a link",
       with(TarWriter().file("1.txt", "one").link("2.txt", "1.txt").link("x/2.jpg", "2.txt")),
       "one"},
      {"GNU's long target",
       with(TarWriter()
                .file("x/0.txt", "")
                .gnu_name(long_name)
                .file("short", "one")
                .gnu_name(long_name, 'K')
                .link("x/2.jpg", "short")),
       "one"},
      {"pax target",
       with(TarWriter()
                .pax("path", long_name)
                .file("short", "one")
                .pax("linkpath", long_name)
                .link("x/2.jpg", "short")),
       "one"},
      {"symbolic", with(TarWriter().file("x/1.jpg", "one").link("x/2.jpg", "1.jpg", '2')), "one"},
      {"symbolic, up", with(TarWriter().file("y/1.jpg", "one").link("x/2.jpg", "../y/1.jpg", '2')),
       "one"},
      {"symbolic, to what follows",
       with(TarWriter().link("x/2.jpg", "3.jpg", '2').file("x/3.jpg", "one")), "one"},
      {"to what follows", with(TarWriter().link("x/2.jpg", "x/3.jpg").file("x/3.jpg", "one")),
       "column 'jpg': it is a link to 'x/3.jpg'" + missing},
      {"nowhere", with(TarWriter().link("x/2.jpg", "/etc/passwd", '2')),
       "column 'jpg': it is a link to '/etc/passwd'" + missing},
      {"to itself", with(TarWriter().link("x/2.jpg", "2.jpg", '2')),
       "column 'jpg': it is a link to '2.jpg'" + missing},
      {"in a circle", with(TarWriter().link("x/2.jpg", "3.jpg", '2').link("x/3.jpg", "2.jpg", '2')),
       "column 'jpg': it is a link to '3.jpg'" + missing},
      {"to a folder", with(TarWriter().header({"y/", octal(0), '5'}).link("x/2.jpg", "y/")),
       "column 'jpg': it is a link to 'y/'" + missing},
  };
  for (const Case& c : cases) {
    const std::string a = write("a.tar", c.archive);
    const std::string offsets = path("offsets");
    TarIndex::of({a}).save(offsets);
    for (const std::string& index : {std::string(), offsets}) {
      const auto tar = tar_in<Bytes>({a}, {.columns = {"jpg"}, .offsets = index});
      std::string read = "no sample";
      for (std::int64_t i = 0; i < tar.size(); ++i) {
        if (tar.name(i) != a + "/x/2") continue;
        const std::string error = error_of([&] { read = text_of(std::get<0>(tar.read(i))); });
        if (error != "no error") read = error;
      }
      const std::string whole = c.read == "one" ? "one" : "the sample 'a.tar/x/2', " + c.read;
      EXPECT_EQ(read, whole) << c.what;
    }
  }
}

}  // namespace tar_links_test
}  // namespace sluice
