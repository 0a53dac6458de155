#include "tests/io/readers/scratch.h"
#include "tests/mutants.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/list.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {
namespace list_test {

class ListTest : public ScratchTest {
 protected:
  void SetUp() override {
    ScratchTest::SetUp();
    write("a.jpg", "A");
    write("deep/b c.jpg", "BB");
    write("say \"hi\",\nyou.jpg", "CCC");
  }
};

using Row = std::tuple<std::string, std::string, std::int64_t>;

// All formats lead to the same samples.
TEST_F(ListTest, AFormatIsAWayToSayTheSame) {
  struct Case {
    const char* name;
    std::string text;
    ListOptions options = {};
  };
  const std::string quoted = "\"say \"\"hi\"\",\nyou.jpg\"";
  const Case cases[] = {
      {"plain.csv", "path,label\na.jpg,1\ndeep/b c.jpg,2\n" + quoted + ",-3\n"},
      {"crlf.csv", "path,label\r\na.jpg,1\r\ndeep/b c.jpg,2\r\n" + quoted + ",-3\r\n"},
      {"no_last_end.csv", "path,label\na.jpg,1\ndeep/b c.jpg,2\n" + quoted + ",-3"},
      {"quoted.csv",
       "\"path\",\"label\"\n\"a.jpg\",\"1\"\n\"deep/b c.jpg\",2\n" + quoted + ",\"-3\""},
      {"mark.csv", "\xef\xbb\xbfpath,label\na.jpg,1\ndeep/b c.jpg,2\n" + quoted + ",-3\n"},
      {"blank.csv", "\n\r\npath,label\n\na.jpg,1\r\n\r\ndeep/b c.jpg,2\n\n" + quoted + ",-3\n\n"},
      {"more.CSV", "x,label,y,path\n,1,,a.jpg\n,2,\"\n\",deep/b c.jpg\n,\t-3 ,," + quoted + "\n"},
      {"names.txt",
       "a.jpg,1\ndeep/b c.jpg,2\n" + quoted + ",-3\n",
       {.format = ListFormat::csv, .names = {"path", "label"}}},
      {"lines.jsonl",
       "{\"path\": \"a.jpg\", \"label\": 1}\n\n{\"label\":2,\"x\":[{}],\"path\":\"deep/b "
       "c.jpg\"}\r\n"
       "{\"path\": \"say \\\"hi\\\",\\nyou.jpg\", \"label\": -3}"},
  };
  for (const Case& c : cases) {
    const auto list = list_in(write(c.name, c.text), c.options);
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < list.size(); ++i) {
      const auto [bytes, label] = list.read(i);
      rows.emplace_back(list.name(i), text_of(bytes), label);
      EXPECT_EQ(list.columns(i), std::tuple(label));
    }
    EXPECT_EQ(rows, (std::vector<Row>{{path("a.jpg"), "A", 1},
                                      {path("deep/b c.jpg"), "BB", 2},
                                      {path("say \"hi\",\nyou.jpg"), "CCC", -3}}))
        << c.name;
  }
}

TEST_F(ListTest, TheFingerprintIsOfTheTextAndOfWhatIsRead) {
  const std::string rows = "path,label,weight\na.jpg,1,2\n";
  const std::string list = write("x.csv", rows);
  const std::string known = list_in(list).fingerprint();
  EXPECT_EQ(list_in(write("y.csv", rows)).fingerprint(), known);
  EXPECT_NE(list_in(list, {.columns = {"weight"}}).fingerprint(), known);
  EXPECT_NE(list_in(write("y.csv", rows + "a.jpg,1,2\n")).fingerprint(), known);
}

TEST_F(ListTest, QuotesAreCharactersOfTsvAndInsideOfFields) {
  write("5\".jpg", "five");
  const auto tsv = list_in<std::string>(write("x.tsv", "path\tlabel\na.jpg\t\"b\n5\".jpg\t\n"));
  EXPECT_EQ(std::get<1>(tsv.read(0)), "\"b");
  EXPECT_EQ(text_of(std::get<0>(tsv.read(1))), "five");
  const auto csv = list_in<std::string>(write("x.csv", "path,label\n5\".jpg,\n"));
  EXPECT_EQ(text_of(std::get<0>(csv.read(0))), "five");
  EXPECT_EQ(std::get<1>(csv.read(0)), "");
}

TEST_F(ListTest, TheLastFieldEndsWithItsRow) {
  for (const char* end : {"\n", "\r\n", "\n\n\n", "\n\r\n"}) {
    for (const char* name : {"x.csv", "x.tsv"}) {
      std::string text = std::string("path,label") + end + "a.jpg,one" + end + "a.jpg,two" + end;
      if (std::string_view(name) == "x.tsv") std::replace(text.begin(), text.end(), ',', '\t');
      const auto list = list_in<std::string>(write(name, text));
      ASSERT_EQ(list.size(), 2);
      EXPECT_EQ(std::get<0>(list.columns(0)), "one") << name << end;
      EXPECT_EQ(std::get<0>(list.columns(1)), "two") << name << end;
    }
  }
}

TEST_F(ListTest, ColumnsHaveTheTypesThatAreSaid) {
  const ListOptions options{.path = "p", .columns = {"i", "f", "b", "t", "l", "d"}};
  const auto expect = [&](const std::string& list) {
    const auto row =
        list_in<std::int32_t, float, bool, std::string, std::int64_t, double>(list, options)
            .columns(0);
    EXPECT_EQ(row,
              (std::tuple(-7, 0.25f, true, std::string("it's"), std::int64_t{1} << 40, 1e-300)))
        << list;
  };
  expect(write("x.csv", "d,l,t,b,f,i,p\n1e-300,1099511627776,it's,true, 0.25,-7 ,a.jpg\n"));
  expect(
      write("x.jsonl",
            R"({"p":"a.jpg","i":-7,"f":0.25,"b":true,"t":"it's","l":1099511627776,"d":1e-300})"));
}

TEST_F(ListTest, ColumnsMayBeListsOfNumbersAndFiles) {
  write("deep/mask.png", "M");
  const ListOptions options{.columns = {"boxes", "labels", "mask"}};
  const auto lists = [&](const std::string& name, const std::string& text) {
    return list_in<std::vector<float>, std::vector<std::int64_t>, Bytes>(write(name, text),
                                                                         options);
  };
  const auto row = [](const std::string& boxes, const std::string& labels,
                      const std::string& mask) {
    return R"({"path":"a.jpg","boxes":)" + boxes + R"(,"labels":)" + labels + R"(,"mask":)" + mask +
           "}\n";
  };
  const std::string mask = "\"deep/mask.png\"";
  const auto good =
      lists("x.jsonl", row("[[1,2.5,3,4],[5,6,7,8]]", "[7, -8]", mask) + row("[]", "[]", mask));
  const auto [bytes, boxes, labels, ids] = good.read(0);
  EXPECT_EQ(boxes, (std::vector<float>{1, 2.5f, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(labels, (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ(text_of(bytes) + text_of(ids), "AM");
  EXPECT_TRUE(std::get<1>(good.read(1)).empty());
  const auto quoted = lists("x.csv", "path,boxes,labels,mask\na.jpg,\"[1,2]\",[3],deep/mask.png\n");
  EXPECT_EQ(std::get<1>(quoted.read(0)), (std::vector<float>{1, 2}));

  const std::string wanted = " a list of finite numbers of 32 bits, or of such lists of one length";
  const std::string whole = " a list of whole numbers, or of such lists of one length";
  struct Case {
    std::string row, error;
  };
  for (const Case& c :
       {Case{row("1", "[]", mask), "column 'boxes': '1' is not" + wanted},
        Case{row("\"[1]\"", "[]", mask), "column 'boxes': '[1]' is text, not" + wanted},
        Case{row("[[1,2],[3]]", "[]", mask),
             "column 'boxes': '[[1,2],[3]]' is a list, and not" + wanted},
        Case{row("[1e39]", "[]", mask), "column 'boxes': '[1e+39]' is a list, and not" + wanted},
        Case{row("[1e-60]", "[]", mask), "column 'boxes': '[1e-60]' is a list, and not" + wanted},
        Case{row("[]", "[1.5]", mask), "column 'labels': '[1.5]' is a list, and not" + whole},
        Case{row("[]", "[9223372036854775808]", mask),
             "column 'labels': '[9223372036854775808]' is a list, and not" + whole},
        Case{row("[]", "[]", "\"\""), "column 'mask': the path is empty"},
        Case{row("[]", "[]", "[1]"), "column 'mask': '[1]' is not a path"}}) {
    EXPECT_EQ(error_of([&] { static_cast<void>(lists("x.jsonl", c.row).read(0)); }),
              "the list 'x.jsonl', line 1, " + c.error);
  }
  EXPECT_EQ(error_of([&] {
              static_cast<void>(lists("x.jsonl", row("[]", "[]", "\"gone.png\"")).read(0));
            }),
            "'gone.png' cannot be opened: No such file or directory");
}

TEST_F(ListTest, MutantsAreReadOrRefused) {
  const std::pair<const char*, std::string> lists[] = {
      {"x.jsonl", R"({"path":"a.jpg","boxes":[[1,2.5],[3,4]],"label":-7})"
                  "\n"
                  R"({"path":"deep/b c.jpg","boxes":[],"label":1099511627776})"},
      {"x.csv", "path,boxes,label\na.jpg,\"[1,2]\",3\n\"deep/b c.jpg\",[],-4\n"}};
  for (const auto& [name, good] : lists) {
    testing::Mutants mutants(good);
    for (int i = 20'000 / testing::one_in(20, 100); i > 0; --i) {
      const std::string text = mutants.next();
      testing::tried("damaged-input");
      ASSERT_EQ(testing::foreign_error([&, file = name] {
                  const auto list = list_in<std::vector<float>, std::int64_t>(
                      write(file, text), {.columns = {"boxes", "label"}});
                  for (std::int64_t k = 0; k < list.size(); ++k) {
                    try {
                      static_cast<void>(list.read(k));
                    } catch (const Error&) {  // of one sample
                    }
                  }
                }),
                "")
          << text;
    }
  }
}

TEST_F(ListTest, PathsBeginWhereTheListLiesOrWhereOneSays) {
  write("far/a.jpg", "far");
  const std::string list = write("lists/x.csv", "path\n../a.jpg\n" + path("a.jpg") + "\na.jpg\n");
  EXPECT_EQ(text_of(std::get<0>(list_in<>(list, {.columns = {}}).read(0))), "A");
  for (const char* end : {"", "/"}) {
    const auto there = list_in<>(list, {.columns = {}, .folder = path("far") + end});
    EXPECT_EQ(text_of(std::get<0>(there.read(1))), "A");
    EXPECT_EQ(text_of(std::get<0>(there.read(2))), "far");
  }
}

TEST_F(ListTest, AListThatCannotBeIsRefusedAtOnce) {
  struct Case {
    const char* name;
    const char* text;
    const char* error;
    ListOptions options = {};
  };
  const Case cases[] = {
      {"x.csv", "", "the list 'x.csv' is empty"},
      {"x.csv", "\r\n\n", "the list 'x.csv' is empty"},
      {"x.csv", "path,label\n\n", "the list 'x.csv' has no rows"},
      {"x.jsonl", "", "the list 'x.jsonl' has no rows"},
      {"x.csv", "file,label\na,1\n",
       "the list 'x.csv' has no column 'path'; its columns are 'file', 'label'; name the column of "
       "the files (the program: --path NAME)"},
      {"x.csv", "path,label,path\na,1,b\n",
       "the list 'x.csv' has more than one column 'path'; its columns are 'path', 'label', 'path'"},
      {"x.csv", "path,label\na,1\nb,\"2\nc,3\n",
       "the list 'x.csv', line 3: a quote in this row is not closed"},
      {"x.csv", "path,\"la\"bel\na,1\n",
       "the list 'x.csv', line 1: text follows the quote that closes field 2; a quote within "
       "quotes is doubled"},
      {"x.txt", "",
       "the list 'x.txt' has a name that does not end in .csv, .tsv, .jsonl or .ndjson; rename it, "
       "or set .format"},
      {"x.jsonl",
       "{}",
       "list_in: the rows of JSON lines name their columns; leave .names out",
       {.names = {"path"}}},
      {"x.csv",
       "path\na\n",
       "list_in: .columns names 2, but there are types for 1; give as many: "
       "list_in<std::int64_t, float>(list, {.columns = {\"label\", \"weight\"}})",
       {.columns = {"a", "b"}}},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of([&] { list_in(write(c.name, c.text), c.options); }), c.error) << c.text;
  EXPECT_EQ(error_of([&] { list_in(path("gone.csv")); }),
            "'gone.csv' cannot be opened: No such file or directory");
  EXPECT_EQ(error_of([&] { list_in(path("deep"), {.format = ListFormat::csv}); }),
            "'deep' is a folder, not a file");
}

// Row 1 of each is bad, on line 3; the others are as they should be.
TEST_F(ListTest, ABadRowIsTheErrorOfItsSampleAlone) {
  struct Case {
    const char* row;
    const char* error;
    const char* name = "x.csv";
  };
  const Case cases[] = {
      {"a.jpg,cat", "the list 'x.csv', line 3, column 'label': 'cat' is not a whole number"},
      {"a.jpg,", "the list 'x.csv', line 3, column 'label': '' is not a whole number"},
      {"a.jpg,1.5", "the list 'x.csv', line 3, column 'label': '1.5' is not a whole number"},
      {"a.jpg,9223372036854775808",
       "the list 'x.csv', line 3, column 'label': '9223372036854775808' is not a whole number: it "
       "is out of range"},
      {"a.jpg,\"1\n2\"", "the list 'x.csv', line 3, column 'label': '1\\n2' is not a whole number"},
      {"a.jpg", "the list 'x.csv', line 3: the row has 1 field, but the list has 2 columns"},
      {"a.jpg,1,2", "the list 'x.csv', line 3: the row has 3 fields, but the list has 2 columns"},
      {"\"a\".jpg,1",
       "the list 'x.csv', line 3: text follows the quote that closes field 1; a quote within "
       "quotes is doubled"},
      {",1", "the list 'x.csv', line 3, column 'path': the path is empty"},
      {"gone.jpg,1", "'gone.jpg' cannot be opened: No such file or directory"},
      {"deep,1", "'deep' is a folder, not a file"},
      {"[1]", "the list 'x.jsonl', line 3: '[1]' is not a JSON object", "x.jsonl"},
      {"{\"path\":", "the list 'x.jsonl', line 3: '{\"path\":' is not a JSON object", "x.jsonl"},
      {"{\"path\":\"a.jpg\"}", "the list 'x.jsonl', line 3: the row has no 'label'; it has 'path'",
       "x.jsonl"},
      {"{}", "the list 'x.jsonl', line 3: the row has no 'label'; it has nothing", "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":\"1\"}",
       "the list 'x.jsonl', line 3, column 'label': '1' is text, not a whole number", "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":null}",
       "the list 'x.jsonl', line 3, column 'label': 'null' is not a whole number", "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":[1]}",
       "the list 'x.jsonl', line 3, column 'label': '[1]' is a list, and not a whole number",
       "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":[[[1]]]}",
       "the list 'x.jsonl', line 3: 'label' is an object, or a list that is not of numbers; a "
       "column has one value, or a list of numbers",
       "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":1,\"label\":2}",
       "the list 'x.jsonl', line 3: the row has 'label' more than once", "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"p\\u0061th\":\"b.jpg\",\"label\":2}",
       "the list 'x.jsonl', line 3: the row has 'path' more than once", "x.jsonl"},
      {"{\"path\":[1],\"label\":1}",
       "the list 'x.jsonl', line 3, column 'path': '[1]' is not a path", "x.jsonl"},
      {"{\"path\":\"a.jpg\",\"label\":1e400}",
       "the list 'x.jsonl', line 3: a number in '{\"path\":\"a.jpg\",\"label\":1e400}' is too "
       "large",
       "x.jsonl"},
      {"{\"path\":\"a\\u0000.jpg\",\"label\":1}",
       "the list 'x.jsonl', line 3, column 'path': 'a\\x00.jpg' is not a path: it holds a zero "
       "byte",
       "x.jsonl"},
  };
  for (const Case& c : cases) {
    const bool json = std::string_view(c.name) == "x.jsonl";
    const std::string good = json ? R"({"path":"a.jpg","label":5})" : "a.jpg,5";
    const std::string text =
        (json ? "\n" : "path,label\n") + good + "\n" + c.row + "\n" + good + "\n";
    const auto list = list_in(write(c.name, text));
    ASSERT_EQ(list.size(), 3) << c.row;
    EXPECT_EQ(error_of([&] { static_cast<void>(list.read(1)); }), c.error) << c.row;
    EXPECT_FALSE(list.name(1).empty());
    for (const std::int64_t i : {0, 2}) {
      const auto [bytes, label] = list.read(i);
      EXPECT_EQ(text_of(bytes) + std::to_string(label), "A5");
    }
  }
  const auto list = list_in(path("x.csv"));
  EXPECT_EQ(list.name(1), path("deep"));
}

TEST_F(ListTest, OfAPathAZeroByteIsNoEnd) {
  const std::string text("path,label\na.jpg\0b,1\n", 21);
  EXPECT_EQ(
      error_of([&] { static_cast<void>(list_in(write("x.csv", text)).read(0)); }),
      "the list 'x.csv', line 2, column 'path': 'a.jpg\\x00b' is not a path: it holds a zero byte");
}

TEST_F(ListTest, APipelineNamesTheFileOfASampleThatFails) {
  const std::string list = write("x.csv", "path,label\na.jpg,1\na.jpg,no\ngone.jpg,3\na.jpg,4\n");
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [&](Graph& g) {
    auto [bytes, label] = g.read(list_in(list));
    return label;
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2U);
  ASSERT_EQ(batch->errors().size(), 2U);
  EXPECT_EQ(batch->errors()[0].source, path("a.jpg"));
  EXPECT_EQ(batch->errors()[1].source, path("gone.jpg"));
}

// A list is read once: later changes of the file have no effect.
TEST_F(ListTest, AListMayChangeOnceItIsOpen) {
  const std::string file = write("x.csv", "path,label\na.jpg,1\n");
  const auto list = list_in(file);
  write("x.csv", "");
  EXPECT_EQ(text_of(std::get<0>(list.read(0))), "A");
}

TEST_F(ListTest, TheBytesCarryTheIndex) {
  const auto index = JpegIndex::in_memory();
  const auto list = list_in(write("x.csv", "path,label\na.jpg,1\n"), {.index = index});
  EXPECT_EQ(std::get<0>(list.read(0)).index(), index.get());
}

}  // namespace list_test
}  // namespace sluice
