#include <sluice/io/http/client.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <utility>

namespace sluice::detail {
namespace {

template <class T>
bool pass_number(std::string_view& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool pass(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return {};
  return text.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

bool AnswerHead::take(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {};
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    (void)pass_number(line, status);
    reason = without_spaces(line);
    return true;
  }
  if (without_spaces(line).empty()) {
    is_whole = true;
    return false;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_spaces(line.substr(colon + 1));
  if (equal_in_any_case(name, "etag")) etag = value;
  if (equal_in_any_case(name, "last-modified")) last_modified = value;
  if (equal_in_any_case(name, "content-encoding")) encoding = value;
  if (equal_in_any_case(name, "content-range")) content_range = value;
  if (equal_in_any_case(name, "content-length")) lengths.emplace_back(value);
  if (equal_in_any_case(name, "transfer-encoding")) is_chunked = true;
  if (equal_in_any_case(name, "connection")) closes = !equal_in_any_case(value, "keep-alive");
  if (equal_in_any_case(name, "x-goog-stored-content-encoding")) stored_encoding = value;
  if (equal_in_any_case(name, "warning")) has_warned_of_change |= value.starts_with("214");
  if (auto checksum = Checksum::of_field(name, value)) checksums.push_back(std::move(*checksum));
  return true;
}

std::optional<AnswerHead::Part> AnswerHead::part() const {
  std::string_view text = content_range;
  Part part;
  if (!pass(text, "bytes ") || !pass_number(text, part.first) || !pass(text, "-") ||
      !pass_number(text, part.last) || !pass(text, "/"))
    return {};
  std::uint64_t size = 0;
  if (text != "*") {
    if (!pass_number(text, size) || !text.empty() || part.last >= size) return {};
    part.size = size;
  }
  if (part.last < part.first) return {};
  return part;
}

std::string AnswerHead::wrong_length() const {
  std::string_view first;
  for (const std::string& field : lengths) {
    for (std::string_view rest = field;;) {  // proxies join fields: "5, 5"
      const std::size_t comma = rest.find(',');
      const std::string_view length = without_spaces(rest.substr(0, comma));
      std::string_view left = length;
      std::int64_t number = 0;
      if (length.starts_with('-') || !pass_number(left, number) || !left.empty()) {
        return "the server says that it has " + in_quotes(length) +
               " bytes (Content-Length), which is not a number from 0 to 2^63 - 1";
      }
      if (!first.empty() && first != length) {
        return "the server says two lengths of it (Content-Length), " + std::string(first) +
               " and " + std::string(length);
      }
      first = length;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return {};
}

bool AnswerHead::is_transformed() const {
  return status == 203 || has_warned_of_change ||
         (!stored_encoding.empty() && !equal_in_any_case(stored_encoding, "identity"));
}

std::string AnswerHead::in_words(std::string_view body) const {
  std::string words = std::to_string(status);
  if (!reason.empty()) words += " " + escape_control_chars(reason.substr(0, 60));
  const std::string_view code = between(body, "<Code>", "</Code>");
  if (!code.empty()) {
    const std::string_view message = between(body, "<Message>", "</Message>");
    return words + ": " +
           in_quotes(std::string(code) + (message.empty() ? "" : ": ") + std::string(message));
  }
  body = without_spaces(body);
  body = without_spaces(body.substr(0, body.find('\n')));
  return body.empty() || body.front() == '<' ? words : words + ": " + in_quotes(body);
}

namespace {

[[noreturn]] void refuse(const std::string& what) { throw BuildError("HttpOptions: " + what); }

void check(const HttpOptions& options) {
  const auto in = [](const char* name, std::int64_t number, std::int64_t least, std::int64_t most) {
    if (number >= least && number <= most) return;
    refuse(std::string(name) + " is " + std::to_string(number) + "; it must be " +
           std::to_string(least) + " to " + std::to_string(most));
  };
  in("connections", options.connections, 1, 4096);
  in("retries", options.retries, 0, 1000);
  in("redirects", options.redirects, 0, 100);
  const auto time = [](const char* name, double seconds, bool may_be_none) {
    if (seconds > 0 && seconds <= 1e6) return;
    if (may_be_none && seconds == 0) return;
    refuse(std::string(name) + " is " + std::to_string(seconds) + "; it must be above 0" +
           (may_be_none ? ", or 0," : "") + " and at most 1000000");
  };
  time("backoff_s", options.backoff_s, true);
  time("max_backoff_s", options.max_backoff_s, true);
  time("connect_s", options.connect_s, false);
  time("stalled_s", options.stalled_s, false);
  time("deadline_s", options.deadline_s, false);
  if (options.max_bytes == 0) refuse("max_bytes is 0; it must be at least 1");
  // A line break would begin another field. The message does not show the header, which may be a
  // secret.
  for (const std::string& header : options.headers) {
    const std::size_t colon = header.find(':');
    const bool is_one_line = std::none_of(header.begin(), header.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (colon != std::string::npos && colon > 0 && is_one_line) continue;
    refuse("headers contains an invalid header; each is a text like \"Authorization: Bearer ...\"");
  }
}

class BlockingHandler final : public ResponseHandler {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable came;
    bool over = false;
    std::optional<HttpAnswer> answer;
    std::string error;
  };
  explicit BlockingHandler(State& state) : state_(state) {}
  void take(HttpAnswer answer) override {
    end([&] { state_.answer = std::move(answer); });
  }
  void fail(std::string_view what) noexcept override {
    end([&] {
      try {
        state_.error = what;
      } catch (const std::bad_alloc&) {  // the error stays without a text
      }
    });
  }

 private:
  template <class F>
  void end(const F& f) {
    const std::lock_guard lock(state_.mutex);
    f();
    state_.over = true;
    state_.came.notify_one();
  }
  State& state_;
};

}  // namespace

HttpClient::HttpClient(const HttpOptions& options) : max_bytes_(options.max_bytes) {
  check(options);
  transport_ = make_curl_transport(options);
}

HttpClient::~HttpClient() {
  // A child of fork() lacks the thread, and its copies of the locks may be locked for ever.
  if (!fork_guard_.here()) (void)transport_.release();
}

void HttpClient::fetch(HttpRequest request, std::unique_ptr<ResponseHandler> handler) {
  require_thread();
  transport_->fetch(std::move(request), std::move(handler));
}

HttpAnswer HttpClient::get(HttpRequest request) {
  BlockingHandler::State state;
  fetch(std::move(request), std::make_unique<BlockingHandler>(state));
  std::unique_lock lock(state.mutex);
  state.came.wait(lock, [&] { return state.over; });
  if (!state.answer) throw IoError(state.error);
  return std::move(*state.answer);
}

void HttpClient::require_thread() const { fork_guard_.require("a dataset of URLs"); }

void HttpClient::drop_unwanted() noexcept {
  if (fork_guard_.here()) transport_->drop_unwanted();
}

HttpStats HttpClient::stats() const { return transport_->stats(); }

#ifdef SLUICE_HAS_HTTP
constexpr bool kHasCurl = true;
#else
constexpr bool kHasCurl = false;
std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& /*options*/) {
  throw BuildError(
      "this build of Sluice cannot read URLs: install libcurl4-openssl-dev, 7.85 or newer, and "
      "build it again");
}
#endif

}  // namespace sluice::detail

namespace sluice {

bool can_read_urls() { return detail::kHasCurl; }

}  // namespace sluice
