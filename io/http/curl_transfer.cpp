#include <sluice/io/http/curl_transport.h>
#include <sluice/io/http/url.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <ctime>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <curl/curl.h>
#include <sys/socket.h>

namespace sluice::detail {
namespace {

// For an error response: the bytes that are kept, and the bytes that are read so that the
// connection can be reused.
constexpr std::size_t kMostHeard = std::size_t{4} << 10;
constexpr std::size_t kMostPassed = std::size_t{64} << 10;
// The most bytes of all heads of an attempt. libcurl accepts lines of up to 100 KiB.
constexpr std::size_t kMostHead = std::size_t{256} << 10;
constexpr char kHeadTooLong[] =
    "the head of the answer is too long: a line of it may have 100 KiB, and all of it 256 KiB";
// libcurl allocates this for each transfer, also while it waits.
constexpr long kBuffer = 64L << 10;
// A longer length of a whole file may be wrong, so its memory grows with the bytes that arrive.
constexpr std::uint64_t kMostAtOnce = std::uint64_t{16} << 20;

struct Url {
  explicit Url(const std::string& text) : handle(curl_url()) {
    if (handle == nullptr) throw std::bad_alloc();
    const CURLUcode code = curl_url_set(handle, CURLUPART_URL, text.c_str(), 0);
    if (code == CURLUE_OK) return;
    curl_url_cleanup(handle);
    throw IoError("the URL cannot be read: " + std::string(curl_url_strerror(code)));
  }
  ~Url() { curl_url_cleanup(handle); }
  Url(const Url&) = delete;
  Url& operator=(const Url&) = delete;
  std::string get(CURLUPart part, unsigned flags = 0) const {
    char* text = nullptr;
    if (curl_url_get(handle, part, &text, flags) != CURLUE_OK) return {};
    std::string copy = text;
    curl_free(text);
    return copy;
  }
  // In the form of the Host header.
  std::string host() const {
    const std::string port = get(CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
    return get(CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  }
  std::string origin() const {
    return get(CURLUPART_SCHEME) + "://" + get(CURLUPART_HOST) + ":" +
           get(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  }
  CURLU* handle;
};

template <class T>
void set(CURL* handle, CURLoption option, T value) {
  if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

curl_socket_t open_socket(void* user, curlsocktype /*purpose*/, curl_sockaddr* address) {
  try {
    return static_cast<HttpSockets*>(user)->open(address->family, address->socktype,
                                                 address->protocol);
  } catch (const std::bad_alloc&) {
    return CURL_SOCKET_BAD;
  }
}

int close_socket(void* user, curl_socket_t socket) {
  return static_cast<HttpSockets*>(user)->close(socket);
}

std::string in_seconds(double seconds) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), seconds);
  return std::string(text, error == std::errc() ? end : text) + " s";
}

}  // namespace

CurlTransfer::CurlTransfer(const HttpOptions& options, const BucketAccount& account,
                           HttpSockets& sockets)
    : options_(options), account_(account), sockets_(sockets), handle_(curl_easy_init()) {
  if (handle_ == nullptr) throw std::bad_alloc();
  try {
    set_lasting_options();
  } catch (const std::bad_alloc&) {
    curl_easy_cleanup(handle_);
    throw;
  }
}

CurlTransfer::~CurlTransfer() {
  curl_easy_cleanup(handle_);
  curl_slist_free_all(headers_);
}

void CurlTransfer::add_header(const std::string& header) {
  curl_slist* const longer = curl_slist_append(headers_, header.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  headers_ = longer;
}

// The value of a header that was added; empty if there is none.
std::string CurlTransfer::header_value(std::string_view name) const {
  for (const curl_slist* one = headers_; one != nullptr; one = one->next) {
    const std::string_view header = one->data;
    const std::size_t colon = header.find(':');
    if (!equal_in_any_case(header.substr(0, colon), name)) continue;
    const std::size_t begin = header.find_first_not_of(' ', colon + 1);
    return std::string(header.substr(std::min(begin, header.size())));
  }
  return {};
}

void CurlTransfer::sign(const std::string& host, const std::string& path,
                        const std::string& query) {
  char time[sizeof("20260131T235959Z")];
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  (void)::gmtime_r(&now, &parts);
  (void)std::strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &parts);
  add_header("x-amz-date: " + std::string(time));
  add_header("x-amz-content-sha256: UNSIGNED-PAYLOAD");
  if (!account_.token.empty()) add_header("x-amz-security-token: " + account_.token);
  S3Request request;
  request.host = header_value("host");
  if (request.host.empty()) request.host = host;
  request.path = path;
  request.query = query;
  request.time = time;
  for (const curl_slist* one = headers_; one != nullptr; one = one->next)
    request.headers.emplace_back(one->data);
  add_header("Authorization: " + account_.authorization_for(request));
}

void CurlTransfer::set_lasting_options() {
  set(handle_, CURLOPT_ERRORBUFFER, error_);
  set(handle_, CURLOPT_NOSIGNAL, 1L);
  set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle_, CURLOPT_USERAGENT, "sluice");
  set(handle_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(handle_, CURLOPT_BUFFERSIZE, kBuffer);
  set(handle_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_s * 1000) + 1);
  set(handle_, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(handle_, CURLOPT_OPENSOCKETDATA, &sockets_);
  set(handle_, CURLOPT_CLOSESOCKETFUNCTION, &close_socket);
  set(handle_, CURLOPT_CLOSESOCKETDATA, &sockets_);
  set(handle_, CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connection);
  set(handle_, CURLOPT_PREREQDATA, this);
  set(handle_, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(handle_, CURLOPT_HEADERDATA, this);
  set(handle_, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(handle_, CURLOPT_WRITEDATA, this);
#if LIBCURL_VERSION_NUM >= 0x075700
  set(handle_, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a DNS lookup in progress
#endif
  if (!options_.ca_file.empty()) set(handle_, CURLOPT_CAINFO, options_.ca_file.c_str());
}

void CurlTransfer::begin(const HttpRequest& request, ResponseHandler& handler,
                         const std::string& url, std::chrono::milliseconds left) {
  request_ = &request;
  handler_ = &handler;
  head_ = {};
  most_ = options_.max_bytes;
  is_length_known_ = false;
  size_ = received_ = 0;
  head_bytes_ = 0;
  is_unfit_ = false;
  refused_.clear();
  error_[0] = '\0';
  last_byte_ = Clock::now();

  set_target(request, url);
  const long is_new = sockets_.is_trusted(target_.server) ? 0 : 1;
  set(handle_, CURLOPT_FRESH_CONNECT, is_new);
  set(handle_, CURLOPT_FORBID_REUSE, is_new);
  set(handle_, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(left.count())));
  std::string range;
  if (request.range) {
    range = std::to_string(request.range->first) + "-" +
            std::to_string(request.range->first + request.range->size - 1);
  }
  set(handle_, CURLOPT_RANGE, text_or_null(range));
}

// Sets everything that depends on the URLs and the version only, unless it is the same as before.
void CurlTransfer::set_target(const HttpRequest& request, const std::string& url) {
  if (target_.is_set && target_.asked == request.url && target_.url == url &&
      target_.version == request.version)
    return;
  target_ = {
      .asked = request.url, .url = url, .version = request.version, .server = server_part(url)};
  const bool is_amazon = is_s3(request.url);
  const Url asked(is_bucket(request.url) ? account_.url_of(request.url) : request.url);
  const Url here(is_bucket(url) ? asked.get(CURLUPART_URL) : url);
  set(handle_, CURLOPT_URL, here.get(CURLUPART_URL).c_str());
  set(handle_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  curl_slist_free_all(std::exchange(headers_, nullptr));
  add_header("Accept-Encoding: identity");
  // If-Match allows no weak ETag and no date.
  if (request.version.starts_with('"')) add_header("If-Match: " + request.version);
  std::string user, password;
  bool is_signed = false;
  if (here.origin() == asked.origin()) {
    for (const std::string& header : options_.headers) add_header(header);
    user = asked.get(CURLUPART_USER, CURLU_URLDECODE);
    password = asked.get(CURLUPART_PASSWORD, CURLU_URLDECODE);
    if (is_amazon) add_header("x-amz-checksum-mode: ENABLED");
    is_signed = is_amazon && !account_.is_anonymous() && header_value("authorization").empty();
    if (is_signed) sign(here.host(), here.get(CURLUPART_PATH), here.get(CURLUPART_QUERY));
  }
  set(handle_, CURLOPT_USERNAME, text_or_null(user));
  set(handle_, CURLOPT_PASSWORD, text_or_null(password));
  set(handle_, CURLOPT_HTTPHEADER, headers_);
  target_.is_set = !is_signed;  // a signature is of the time of its request
}

void CurlTransfer::rest() noexcept {
  request_ = nullptr;
  handler_ = nullptr;
  place_ = {};
  bytes_.release();
  std::string().swap(collected_);
}

// Runs f() without letting an exception pass through libcurl. f() returns false to stop the
// transfer.
template <class F>
std::size_t CurlTransfer::guarded(void* user, std::size_t bytes, const F& f) noexcept {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  try {
    transfer.last_byte_ = Clock::now();
    if (f(transfer)) return bytes;
  } catch (const std::exception& error) {
    try {
      transfer.refused_ = error.what();
    } catch (const std::bad_alloc&) {  // libcurl reports a write error
    }
  }
  return bytes + 1;  // any value other than `bytes` stops the transfer
}

// libcurl calls this once connected, before it sends the request.
int CurlTransfer::on_connection(void* user, char* /*their_address*/, char* /*our_address*/,
                                int /*their_port*/, int our_port) {
  auto& transfer = *static_cast<CurlTransfer*>(user);
  try {
    transfer.is_unfit_ = transfer.sockets_.has_unasked(our_port, transfer.target_.server);
  } catch (const std::bad_alloc&) {
    transfer.is_unfit_ = true;
  }
  return transfer.is_unfit_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t /*one*/, std::size_t bytes,
                                    void* user) {
  return guarded(user, bytes, [&](CurlTransfer& to) {
    to.head_bytes_ += bytes;
    if (to.head_bytes_ > kMostHead) return to.refuse(kHeadTooLong);
    return to.head_.take({data, bytes}) || to.judge_head();
  });
}

std::size_t CurlTransfer::on_body(char* data, std::size_t /*one*/, std::size_t bytes, void* user) {
  return guarded(user, bytes, [&](CurlTransfer& to) { return to.take_body({data, bytes}); });
}

bool CurlTransfer::refuse(std::string why) {
  refused_ = std::move(why);
  return false;
}

// Returns false, with a reason in refused_, if the body is not worth receiving.
bool CurlTransfer::judge_head() {
  if (!head_.is_good()) return true;  // also 100 Continue
  if (const std::string wrong = head_.wrong_length(); !wrong.empty()) return refuse(wrong);
  if (!head_.encoding.empty() && head_.encoding != "identity") {
    return refuse("the server sends it compressed (Content-Encoding: " + in_quotes(head_.encoding) +
                  ") though that was not asked for; let it serve the file as it is");
  }
  curl_off_t length = -1;
  (void)curl_easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (!request_->range) {
    if (head_.status == 206)
      return refuse("the server sends a part of it, but all of it was requested");
    if (length >= 0 && static_cast<std::uint64_t>(length) > options_.max_bytes) {
      return refuse("it has " + std::to_string(length) +
                    " bytes; more than HttpOptions::max_bytes, which is " +
                    std::to_string(options_.max_bytes));
    }
    is_length_known_ =
        !head_.is_chunked && length >= 0 && static_cast<std::uint64_t>(length) <= kMostAtOnce;
    if (is_length_known_) most_ = static_cast<std::uint64_t>(length);
    return true;
  }
  const HttpRange& wanted = *request_->range;
  if (head_.status != 206) {
    return refuse("the server sends all of it, but bytes " + std::to_string(wanted.first) + " to " +
                  std::to_string(wanted.first + wanted.size - 1) +
                  " were requested: it does not support ranges; use one that does");
  }
  const auto sent = head_.part();
  const std::uint64_t last = wanted.first + wanted.size - 1;
  if (sent && sent->first == wanted.first && sent->last <= last &&
      (sent->last == last || (sent->size && sent->last + 1 == *sent->size))) {
    is_length_known_ = true;
    most_ = sent->last - sent->first + 1;
    size_ = sent->size.value_or(0);
    return true;
  }
  return refuse("the server sends another part than bytes " + std::to_string(wanted.first) +
                " to " + std::to_string(last) +
                ", which were asked for: " + in_quotes(head_.content_range));
}

bool CurlTransfer::take_body(std::string_view bytes) {
  if (!head_.is_good()) {
    collected_.append(bytes.substr(0, kMostHeard - collected_.size()));
    received_ += bytes.size();
    return !has_passed_enough();
  }
  if (received_ + bytes.size() > most_) {
    return refuse(is_length_known_ ? "the server sends more than the part that it says it sends, " +
                                         std::to_string(most_) + " bytes"
                                   : "it goes on after " + std::to_string(most_) +
                                         " bytes, which is HttpOptions::max_bytes");
  }
  if (is_length_known_) {
    if (received_ == 0) allocate(static_cast<std::size_t>(most_));
    std::memcpy(place_.data() + received_, bytes.data(), bytes.size());
  } else {
    collected_.append(bytes);
  }
  received_ += bytes.size();
  return true;
}

// True if the connection is not worth reading the rest of an error response.
bool CurlTransfer::has_passed_enough() const { return !head_.is_good() && received_ > kMostPassed; }

// Allocates the memory of an answer whose body has `size` bytes.
void CurlTransfer::allocate(std::size_t size) {
  const std::span<const std::uint8_t> before = request_->before;
  bytes_ = handler_->allocate(before.size() + size);
  place_ = std::span(bytes_.data(), bytes_.size()).subspan(before.size());
  std::copy(before.begin(), before.end(), bytes_.data());
}

std::span<const std::uint8_t> CurlTransfer::body() const {
  if (is_length_known_) return place_;
  return {reinterpret_cast<const std::uint8_t*>(collected_.data()), collected_.size()};
}

std::string CurlTransfer::how_far() const {
  curl_off_t length = -1;
  (void)curl_easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (!head_.is_whole) return "before it answered";
  return "after " + std::to_string(received_) +
         (length >= 0 ? " of " + std::to_string(length) : "") + " bytes";
}

AttemptResult CurlTransfer::end_stalled() const {
  return {AttemptResult::Kind::again, "the server sent nothing for " +
                                          in_seconds(options_.stalled_s) +
                                          " (HttpOptions::stalled_s), " + how_far()};
}

void CurlTransfer::note_connection(int code) noexcept {
  long version = 0;
  curl_socket_t socket = CURL_SOCKET_BAD;
  (void)curl_easy_getinfo(handle_, CURLINFO_HTTP_VERSION, &version);
  (void)curl_easy_getinfo(handle_, CURLINFO_ACTIVESOCKET, &socket);
  if (version != CURL_HTTP_VERSION_1_1 || code != CURLE_OK || !head_.keeps_connection()) return;
  try {
    if (socket != CURL_SOCKET_BAD) {
      sockets_.note_answer(socket, target_.server);
    } else {  // libcurl closed it, since more than the answer came
      sockets_.distrust(target_.server);
    }
  } catch (const std::bad_alloc&) {  // the state of the server stays as it was
  }
}

AttemptResult CurlTransfer::end(int code) {
  if (is_unfit_) return {AttemptResult::Kind::anew, {}};
  if (!refused_.empty()) return {AttemptResult::Kind::failed, refused_};
  if (code != CURLE_OK && !has_passed_enough()) return judge_broken(code);
  // libcurl accepts a truncated head as complete.
  if (!head_.is_whole)
    return {AttemptResult::Kind::again, "the connection ended in the head of the answer"};
  if (!head_.is_good()) return judge_status();
  return judge_body();
}

AttemptResult CurlTransfer::judge_broken(int code) const {
  static_assert(sizeof(error_) == CURL_ERROR_SIZE);
  std::string said = error_[0] != '\0' ? error_ : curl_easy_strerror(static_cast<CURLcode>(code));
  long error = 0;
  (void)curl_easy_getinfo(handle_, CURLINFO_OS_ERRNO, &error);
  if (code == CURLE_COULDNT_CONNECT && error != 0)
    said += " (" + std::generic_category().message(static_cast<int>(error)) + ")";
  // Older versions of libcurl also report a line that is too long with this code.
  constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE, from 8.6 on
  if ((code == CURLE_OUT_OF_MEMORY && !head_.is_whole) || code == kTooLarge)
    return {AttemptResult::Kind::failed, kHeadTooLong};
  switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2_STREAM:
      return {AttemptResult::Kind::again,
              "the connection ended " + how_far() + " (" + escape_control_chars(said) + ")"};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {AttemptResult::Kind::failed,
              "the server's identity cannot be verified: " + escape_control_chars(said) +
                  "; install the package ca-certificates, or name trusted certificates with "
                  "HttpOptions::ca_file or SSL_CERT_FILE"};
    case CURLE_OUT_OF_MEMORY:
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_NOT_BUILT_IN:
    case CURLE_WRITE_ERROR:
      return {AttemptResult::Kind::failed, escape_control_chars(said)};
    default:
      return {AttemptResult::Kind::again, escape_control_chars(said)};
  }
}

AttemptResult CurlTransfer::judge_status() const {
  char* target = nullptr;
  (void)curl_easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &target);
  constexpr int kRedirects[] = {301, 302, 303, 307, 308};
  if (target != nullptr &&
      std::find(std::begin(kRedirects), std::end(kRedirects), head_.status) != std::end(kRedirects))
    return {AttemptResult::Kind::redirect, target};
  const std::string what = "the server answered " + head_.in_words(collected_);
  constexpr int kPassing[] = {408, 429, 500, 502, 503, 504};
  if (std::find(std::begin(kPassing), std::end(kPassing), head_.status) != std::end(kPassing)) {
    curl_off_t wait = 0;
    (void)curl_easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &wait);
    return {AttemptResult::Kind::again, what, static_cast<double>(wait)};
  }
  if (head_.status == 412 && !request_->version.empty()) {
    return {AttemptResult::Kind::failed,
            "it has changed since it was opened; open the dataset again (" + what + ")"};
  }
  const bool is_barred = head_.status == 401 || head_.status == 403;
  return {AttemptResult::Kind::failed,
          what + (is_barred ? "; give it HttpOptions::headers, a presigned URL, or for s3:// the "
                              "keys in the environment"
                            : "")};
}

// Returns the description of the first checksum that differs.
std::optional<std::string> CurlTransfer::damage() const {
  const std::span<const std::uint8_t> bytes = body();
  const auto differs = [&](const Checksum& sum, const char* who) -> std::optional<std::string> {
    std::string digits;
    try {
      digits = sum.digits_of(bytes);
    } catch (const Error& error) {
      return std::string("its ") + sum.name() + " cannot be compared: " + error.what();
    }
    if (digits == sum.digits) return {};
    return std::string("its ") + sum.name() + " is " + digits + ", and " + who + " says " +
           sum.digits + ": it was damaged in transit, or is another file";
  };
  if (request_->checksum) {
    if (auto what = differs(*request_->checksum, "the dataset")) return what;
  }
  if (head_.is_transformed()) return {};  // the checksums are of the stored bytes
  for (const Checksum& sum : head_.checksums) {
    if (auto what = differs(sum, "the server")) return what;
  }
  return {};
}

AttemptResult CurlTransfer::judge_body() {
  if (!request_->version.empty() && head_.version() != request_->version) {
    return {AttemptResult::Kind::failed,
            "it has changed since it was opened: its version was " + in_quotes(request_->version) +
                " and is " + in_quotes(head_.version()) + "; open the dataset again"};
  }
  if (request_->range) {
    if (received_ < most_) return {AttemptResult::Kind::again, "the connection ended " + how_far()};
    return {};
  }
  constexpr int kWithFile[] = {200, 203};
  if (std::find(std::begin(kWithFile), std::end(kWithFile), head_.status) == std::end(kWithFile)) {
    return {AttemptResult::Kind::failed,
            "the server answered " + head_.in_words({}) + ", which comes with no file"};
  }
  size_ = received_;
  if (auto what = damage()) return {AttemptResult::Kind::again, std::move(*what)};
  return {};
}

HttpAnswer CurlTransfer::answer() {
  if (received_ == 0 || !is_length_known_) {
    allocate(static_cast<std::size_t>(received_));
    std::copy(collected_.begin(), collected_.end(), place_.begin());
  }
  return {.bytes = std::move(bytes_), .body = place_, .size = size_, .version = head_.version()};
}

std::uint64_t CurlTransfer::bytes_received() const {
  curl_off_t bytes = 0;
  (void)curl_easy_getinfo(handle_, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
  return static_cast<std::uint64_t>(bytes);
}

std::int64_t CurlTransfer::connections_made() const {
  long connections = 0;
  (void)curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &connections);
  return connections;
}

}  // namespace sluice::detail
