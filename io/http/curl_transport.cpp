#include <sluice/io/http/certificates.h>
#include <sluice/io/http/curl_transport.h>
#include <sluice/io/http/url.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/text.h>
#include <sluice/runtime/thread_start.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <curl/curl.h>
#include <unistd.h>

namespace sluice::detail {
namespace {

using std::chrono::milliseconds;

constexpr char kUnwanted[] = "the sample is no longer needed: its epoch has ended";
constexpr char kNoMemory[] = "there is no memory for it";

// Initializes libcurl once; it is never cleaned up.
void require_libcurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK)
    throw Error(std::string("libcurl cannot be used: ") + curl_easy_strerror(code));
}

const char* variable(const char* name) { return std::getenv(name); }

bool exists(const char* path) { return path != nullptr && ::access(path, R_OK) == 0; }

// The options, with the certificates to trust.
HttpOptions completed(HttpOptions options) {
  if (options.ca_file.empty()) {
    const curl_version_info_data& libcurl = *curl_version_info(CURLVERSION_NOW);
    options.ca_file =
        find_certificates(&variable, exists(libcurl.cainfo) || exists(libcurl.capath), &exists);
  }
  return options;
}

CurlTransfer::Clock::duration of_seconds(double seconds) {
  return std::chrono::duration_cast<CurlTransfer::Clock::duration>(
      std::chrono::duration<double>(seconds));
}

// Rounded up so that we never wake early.
milliseconds until(CurlTransfer::Clock::time_point time) {
  return std::chrono::ceil<milliseconds>(time - CurlTransfer::Clock::now());
}

}  // namespace

std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& options) {
  require_libcurl();
  return std::make_unique<CurlTransport>(options);
}

CurlTransport::CurlTransport(const HttpOptions& options)
    : options_(completed(options)),
      account_(BucketAccount::of(&variable)),
      events_([this] { end_what_has(); }) {
  (void)curl_multi_setopt(events_.multi(), CURLMOPT_MAXCONNECTS,
                          static_cast<long>(options_.connections));
  idle_.reserve(static_cast<std::size_t>(options_.connections));
  try {
    const SignalsBlocked blocked;  // including SIGPIPE, which a broken connection may raise
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw Error("the thread that reads URLs cannot be made: " + error.code().message() +
                "; allow the process more threads (ulimit -u, pids.max) or more memory");
  }
}

CurlTransport::~CurlTransport() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  events_.wake();
  thread_.join();
}

void CurlTransport::fetch(HttpRequest request, std::unique_ptr<ResponseHandler> handler) {
  Jobs one;
  std::string url = request.url;
  std::string server = server_part(url);
  one.push_back({.request = std::move(request),
                 .handler = std::move(handler),
                 .url = std::move(url),
                 .server = std::move(server),
                 .deadline = {},
                 .due = {},
                 .transfer = {},
                 .here = {}});
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = ordered_.empty();
    ordered_.splice(ordered_.end(), one);
  }
  // If there were others, the thread has been woken for them and has not taken them yet.
  if (is_first) events_.wake();
}

void CurlTransport::drop_unwanted() noexcept {
  {
    const std::lock_guard lock(mutex_);
    drop_unwanted_ = true;
  }
  events_.wake();
}

HttpStats CurlTransport::stats() const {
  return {.requests = requests_,
          .failed = failed_,
          .attempts = attempts_,
          .retries = retries_,
          .connections = connections_,
          .bytes = bytes_};
}

void CurlTransport::run() noexcept {
  while (take_orders()) {
    begin_what_can();
    stop_what_stalls();
    events_.run_once(time_to_wait());
  }
  idle_.clear();
}

bool CurlTransport::take_orders() noexcept {
  bool stop = false;
  bool drop = false;
  Jobs ordered;
  {
    const std::lock_guard lock(mutex_);
    stop = stop_;
    drop = std::exchange(drop_unwanted_, false);
    ordered.splice(ordered.end(), ordered_);
  }
  fresh_.splice(fresh_.end(), ordered);
  if (drop || stop) {
    for (Jobs* const jobs : {&under_way_, &waiting_, &fresh_}) fail_unwanted(*jobs, stop);
  }
  return !stop;
}

// Requests that wait for a retry came before those that have not begun.
void CurlTransport::begin_what_can() noexcept {
  const auto now = Clock::now();
  for (auto job = waiting_.begin(); job != waiting_.end();) {
    const auto next = std::next(job);
    if (std::ssize(under_way_) >= options_.connections) return;
    if (time_of(*job) <= now) begin(waiting_, job);
    job = next;
  }
  while (!fresh_.empty() && std::ssize(under_way_) < options_.connections &&
         time_of(fresh_.front()) <= now) {
    fresh_.front().deadline = now + of_seconds(options_.deadline_s);
    begin(fresh_, fresh_.begin());
  }
}

// The earliest time of its next attempt.
CurlTransport::Clock::time_point CurlTransport::time_of(const Job& job) const noexcept {
  return std::max(job.due, sockets_.next_time(job.server));
}

std::unique_ptr<CurlTransfer> CurlTransport::a_transfer() {
  if (idle_.empty()) return std::make_unique<CurlTransfer>(options_, account_, sockets_);
  auto transfer = std::move(idle_.back());
  idle_.pop_back();
  return transfer;
}

void CurlTransport::begin(Jobs& from, Jobs::iterator job) noexcept {
  try {
    ++attempts_;
    job->transfer = a_transfer();
    job->transfer->begin(job->request, *job->handler, job->url, until(job->deadline));
    job->here = job;
    (void)curl_easy_setopt(job->transfer->handle(), CURLOPT_PRIVATE, &*job);
    const CURLMcode code = curl_multi_add_handle(events_.multi(), job->transfer->handle());
    if (code != CURLM_OK) throw Error(curl_multi_strerror(code));
    under_way_.splice(under_way_.end(), from, job);
  } catch (const std::bad_alloc&) {
    fail(from, job, kNoMemory);
  } catch (const std::exception& error) {
    fail(from, job, error.what());
  }
}

void CurlTransport::end_what_has() noexcept {
  int left = 0;
  while (CURLMsg* const message = curl_multi_info_read(events_.multi(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Job* ended = nullptr;
    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &ended);
    const Jobs::iterator job = ended->here;
    stop(*job, code);
    try {
      follow(job, job->transfer->end(code));
    } catch (const std::exception&) {  // only std::bad_alloc is possible
      fail(under_way_, job, kNoMemory);
    }
  }
}

void CurlTransport::stop_what_stalls() noexcept {
  const auto now = Clock::now();
  if (now < next_stall_) return;
  next_stall_ = now + of_seconds(options_.stalled_s);
  for (auto job = under_way_.begin(); job != under_way_.end();) {
    const auto next = std::next(job);
    const Clock::time_point stall = job->transfer->last_byte() + of_seconds(options_.stalled_s);
    if (stall > now) {
      next_stall_ = std::min(next_stall_, stall);
    } else {
      stop(*job, CURLE_OPERATION_TIMEDOUT);
      try {
        follow(job, job->transfer->end_stalled());
      } catch (const std::exception&) {
        fail(under_way_, job, kNoMemory);
      }
    }
    job = next;
  }
}

milliseconds CurlTransport::time_to_wait() const noexcept {
  auto wait = under_way_.empty() ? milliseconds(60'000) : until(next_stall_);
  if (std::ssize(under_way_) < options_.connections) {
    for (const Job& job : waiting_) wait = std::min(wait, until(time_of(job)));
    if (!fresh_.empty()) wait = std::min(wait, until(time_of(fresh_.front())));
  }
  return wait;
}

void CurlTransport::follow(Jobs::iterator job, AttemptResult attempt_result) noexcept {
  try {
    switch (attempt_result.kind) {
      case AttemptResult::Kind::answer:
        return answer(job);
      case AttemptResult::Kind::redirect:
        return redirect(job, std::move(attempt_result.what));
      case AttemptResult::Kind::again:
        return try_again(job, attempt_result);
      case AttemptResult::Kind::failed:
        return fail(under_way_, job, attempt_result.what);
      case AttemptResult::Kind::anew:
        --attempts_;
        return wait_until_now(job);
    }
  } catch (const std::exception&) {
    fail(under_way_, job, kNoMemory);
  }
}

void CurlTransport::redirect(Jobs::iterator job, std::string url) {
  const auto refuse = [&](const std::string& why) {
    fail(under_way_, job, "the server redirects to '" + shown_url(url) + "', " + why);
  };
  if (!is_url(url) || is_bucket(url)) return refuse("which is neither http nor https");
  const auto is_secure = [](const std::string& one) { return one.size() > 4 && one[4] != ':'; };
  const bool was_secure = is_secure(is_bucket(job->url) ? account_.url_of(job->url) : job->url);
  if (was_secure && !is_secure(url)) return refuse("which is not https, as its own URL is");
  if (job->redirects >= options_.redirects) {
    return refuse("after " + std::to_string(job->redirects) +
                  " such redirects; more than HttpOptions::redirects are not followed");
  }
  ++job->redirects;
  job->server = server_part(url);
  job->url = std::move(url);
  wait_until_now(job);
}

// Its next attempt begins as soon as possible.
void CurlTransport::wait_until_now(Jobs::iterator job) noexcept {
  retire(*job);
  job->due = Clock::now();
  waiting_.splice(waiting_.end(), under_way_, job);
}

void CurlTransport::try_again(Jobs::iterator job, const AttemptResult& attempt_result) {
  const int attempts = job->attempts;
  const auto give_up = [&](const std::string& why) {
    fail(under_way_, job, attempt_result.what + why);
  };
  if (attempts > options_.retries) {
    return give_up("; gave up after " + counted(attempts, "attempt") +
                   "; check the URL and the server, or raise HttpOptions::retries");
  }
  // The random wait spreads the retries of requests that failed together.
  Random draw({.seed = std::hash<std::string>()(job->request.url),
               .sample = static_cast<std::uint64_t>(requests_),
               .generator = static_cast<std::uint32_t>(attempts)});
  const double longest =
      std::min(options_.backoff_s * std::ldexp(1.0, attempts - 1), options_.max_backoff_s);
  const double wait = std::max(longest * (0.5 + 0.5 * draw.unit_double()), attempt_result.wait_s);
  const auto left = std::chrono::duration<double>(job->deadline - Clock::now()).count();
  if (wait >= left) {
    return give_up("; gave up after " + counted(attempts, "attempt") +
                   ", since there is no time for another one; check the server, or raise "
                   "HttpOptions::deadline_s");
  }
  retire(*job);
  ++job->attempts;
  ++retries_;
  job->due = Clock::now() + of_seconds(wait);
  // The next attempt starts again from the original URL.
  job->url = job->request.url;
  job->server = server_part(job->url);
  job->redirects = 0;
  waiting_.splice(waiting_.end(), under_way_, job);
}

// Removes an attempt that has ended, or that is to be stopped, from libcurl.
void CurlTransport::stop(const Job& job, int code) noexcept {
  bytes_ += job.transfer->bytes_received();
  connections_ += job.transfer->connections_made();
  job.transfer->note_connection(code);
  (void)curl_multi_remove_handle(events_.multi(), job.transfer->handle());
}

// Makes its transfer available for other requests.
void CurlTransport::retire(Job& job) noexcept {
  job.transfer->rest();
  idle_.push_back(std::move(job.transfer));  // the capacity was reserved
}

void CurlTransport::answer(Jobs::iterator job) noexcept {
  try {
    ++requests_;
    job->handler->take(job->transfer->answer());
    retire(*job);
    under_way_.erase(job);
  } catch (const std::exception& error) {
    --requests_;
    fail(under_way_, job, error.what());
  }
}

void CurlTransport::fail(Jobs& from, Jobs::iterator job, std::string_view what) noexcept {
  ++requests_;
  ++failed_;
  // The memory goes first: it may be the pipeline's, which may end when the handler is called.
  if (job->transfer != nullptr && idle_.size() < idle_.capacity()) retire(*job);
  job->transfer.reset();
  try {
    job->handler->fail("'" + shown_url(job->request.url) + "': " + std::string(what));
  } catch (const std::bad_alloc&) {
    job->handler->fail(what);
  }
  from.erase(job);
}

void CurlTransport::fail_unwanted(Jobs& jobs, bool all) noexcept {
  for (auto job = jobs.begin(); job != jobs.end();) {
    const auto next = std::next(job);
    if (all || !job->request.wanted) {
      if (job->transfer != nullptr) stop(*job, CURLE_ABORTED_BY_CALLBACK);
      fail(jobs, job, kUnwanted);
    }
    job = next;
  }
}

}  // namespace sluice::detail
