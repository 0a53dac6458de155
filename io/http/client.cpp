#include <sluice/io/http/client.h>
#include <sluice/io/sources/files.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice::detail {
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
    refuse("headers holds what is no header; each is a text like \"Authorization: Bearer ...\"");
  }
}

class Blocking final : public HttpWaiter {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable came;
    bool over = false;
    std::optional<HttpClient::Got> got;
    std::string error;
  };
  explicit Blocking(State& state) : state_(state) {}
  void take(const HttpAnswer& answer) override {
    HttpClient::Got got{Bytes::copy_of(answer.body), answer.size, std::string(answer.version)};
    end([&] { state_.got = std::move(got); });
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

HttpClient::HttpClient(const HttpOptions& options) {
  check(options);
  transport_ = make_curl_transport(options);
}

HttpClient::~HttpClient() {
  // A child of fork() lacks the thread, and its copies of the locks may be locked for ever.
  if (!home_.here()) (void)transport_.release();
}

void HttpClient::fetch(HttpRequest request, std::unique_ptr<HttpWaiter> waiter) {
  require_thread();
  transport_->fetch(std::move(request), std::move(waiter));
}

HttpClient::Got HttpClient::get(HttpRequest request) {
  Blocking::State state;
  fetch(std::move(request), std::make_unique<Blocking>(state));
  std::unique_lock lock(state.mutex);
  state.came.wait(lock, [&] { return state.over; });
  if (!state.got) throw IoError(state.error);
  return std::move(*state.got);
}

void HttpClient::require_thread() const { home_.require("a dataset of URLs"); }

void HttpClient::drop_unwanted() noexcept {
  if (home_.here()) transport_->drop_unwanted();
}

HttpStats HttpClient::stats() const { return transport_->stats(); }

#ifdef SLUICE_HAS_HTTP
constexpr bool kHasCurl = true;
#else
constexpr bool kHasCurl = false;
std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& /*options*/) {
  throw BuildError(
      "this build of Sluice reads no URLs: install libcurl4-openssl-dev, 7.85 or newer, and build "
      "it again");
}
#endif

}  // namespace sluice::detail

namespace sluice {

bool can_read_urls() { return detail::kHasCurl; }

}  // namespace sluice
