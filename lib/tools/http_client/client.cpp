// SPDX-License-Identifier: MIT
#include "tools/http_client/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <thread>

#include "base/address.h"
#include "base/text.h"
#include "base/version.h"

namespace oai::http {
namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;  // of one response
constexpr std::size_t kErrorBodyBytes = std::size_t{64} << 10;   // kept of a body that is not 2xx

constexpr long kLeastBytesPerSecond = 100;  // less is as good as nothing

bool succeeded(int status) { return status >= 200 && status < 300; }

// The state of one request, for the callbacks.
struct Transfer {
    CURL* curl;
    const BodyReceiver& receiver;
    const ClientOptions& options;
    ClientResponse response = {};
    std::size_t header_bytes = 0;
    std::int64_t bytes = 0;                   // decoded
    const AddressRanges* private_ranges;      // nullptr: any address may be redirected to
    std::optional<bool> begins_private = {};  // of the first connection
    bool begun = false;                       // receiver.begin has been called
    std::optional<FailureKind> failure = {};  // why a callback ended the transfer
    std::exception_ptr exception = {};        // of a callback

    bool is_streamed() const { return receiver.take && succeeded(response.status); }

    void begin() {
        if (!begun && is_streamed() && receiver.begin) receiver.begin(response);
        begun = true;
    }

    // Returns false to end the transfer.
    bool take(std::string_view piece) {
        bytes += static_cast<std::int64_t>(piece.size());
        if (receiver.take && !succeeded(response.status)) {
            response.body +=
                piece.substr(0, kErrorBodyBytes - std::min(kErrorBodyBytes, response.body.size()));
            return response.body.size() < kErrorBodyBytes || !(response.stopped = true);
        }
        if (bytes > options.max_bytes) {
            failure = FailureKind::too_large;
            return false;
        }
        if (!is_streamed()) {
            // Growing by doubling would have twice a large body in memory.
            if (bytes > 1'000'000)
                response.body.reserve(static_cast<std::size_t>(options.max_bytes));
            response.body += piece;
            return true;
        }
        begin();
        return receiver.take(piece) || !(response.stopped = true);
    }

    // Collects header fields. Those of a redirect are dropped when the next response begins.
    bool take_header(std::string_view line) {
        header_bytes += line.size();
        if (header_bytes > kMaxHeaderBytes) {
            failure = FailureKind::answer;
            return false;
        }
        if (line.starts_with("HTTP/")) {
            long status = 0;
            curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
            response.status = static_cast<int>(status);
            response.headers.clear();
            header_bytes = line.size();
        } else if (const auto colon = line.find(':'); colon != line.npos) {
            response.headers.add(text::trim(line.substr(0, colon)),
                                 text::trim(line.substr(colon + 1)));
        }
        return true;
    }
};

template <class Function>
std::size_t guarded(Transfer& transfer, std::size_t n, const Function& function) noexcept {
    try {
        return function() ? n : CURL_WRITEFUNC_ERROR;
    } catch (...) {
        transfer.exception = std::current_exception();
        return CURL_WRITEFUNC_ERROR;
    }
}

std::size_t on_data(const char* data, std::size_t size, std::size_t n, void* to) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(to);
    return guarded(transfer, size * n, [&] { return transfer.take({data, size * n}); });
}

std::size_t on_header(const char* data, std::size_t size, std::size_t n, void* to) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(to);
    return guarded(transfer, size * n, [&] { return transfer.take_header({data, size * n}); });
}

// Called before each request, that of a redirect included, when it is known where it goes.
int on_connected(void* to, char* address, char*, int, int) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(to);
    if (transfer.private_ranges == nullptr) return CURL_PREREQFUNC_OK;
    const auto parsed = Address::parse(std::string_view(address));
    const bool is_private = parsed && contains(*transfer.private_ranges, *parsed);
    if (!transfer.begins_private) transfer.begins_private = is_private;
    if (!is_private || *transfer.begins_private) return CURL_PREREQFUNC_OK;
    transfer.failure = FailureKind::redirects;
    return CURL_PREREQFUNC_ABORT;
}

FailureKind failure_kind(CURLcode code) {
    switch (code) {
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT: return FailureKind::address;
        case CURLE_OPERATION_TIMEDOUT: return FailureKind::timeout;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE: return FailureKind::certificate;
        case CURLE_TOO_MANY_REDIRECTS: return FailureKind::redirects;
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_BAD_CONTENT_ENCODING: return FailureKind::answer;
        default: return FailureKind::connection;
    }
}

// libcurl reports CURLE_UNSUPPORTED_PROTOCOL both for a URL of another protocol and for a response
// that is no HTTP: in the latter case the request has been sent.
bool was_sent(CURL* c) {
    curl_off_t microseconds = 0;
    return curl_easy_getinfo(c, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK &&
           microseconds > 0;
}

// A wrong URL is the caller's error, unless a redirect led to it.
TransferError error_of(const ClientRequest& request, Transfer& transfer, CURLcode code,
                       const char* words) {
    const bool redirected = transfer.response.status >= 300 && transfer.response.status < 400;
    FailureKind kind = transfer.failure.value_or(failure_kind(code));
    if (kind == FailureKind::address && redirected) kind = FailureKind::redirects;
    if (kind == FailureKind::address && was_sent(transfer.curl)) kind = FailureKind::answer;
    std::string why = words[0] != '\0' ? words : curl_easy_strerror(code);
    if (kind == FailureKind::too_large)
        why = fmt::format("the answer is larger than {} bytes{}", transfer.options.max_bytes,
                          transfer.options.limit_name);
    else if (kind == FailureKind::redirects && transfer.failure)
        why = "a redirect leads to a private address";
    else if (transfer.failure)
        why =
            "the header of the answer is larger than " + std::to_string(kMaxHeaderBytes) + " bytes";
    return TransferError(kind, request.url + ": " + why);
}

// Reads Retry-After: seconds, or a date, which is compared with the server's clock if the response
// has a Date. nullopt: neither.
std::optional<std::chrono::seconds> retry_after(const HeaderFields& headers) {
    const std::string value(headers.find("Retry-After").value_or(""));
    if (const auto seconds = text::to_integer(value))
        return std::chrono::seconds{std::clamp<std::int64_t>(*seconds, 0, 1'000'000'000)};
    const std::time_t until = curl_getdate(value.c_str(), nullptr);
    if (value.empty() || until < 0) return std::nullopt;
    const std::time_t theirs =
        curl_getdate(std::string(headers.find("Date").value_or("")).c_str(), nullptr);
    const std::time_t now =
        theirs < 0 ? std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())
                   : theirs;
    return std::chrono::seconds{std::max<std::time_t>(until - now, 0)};
}

CurlListHandle header_list(const ClientRequest& request, const ClientOptions& options) {
    CurlListHandle list;
    const auto add = [&](const std::string& line) {
        if (line.find_first_of("\r\n") != line.npos)
            throw TransferError(FailureKind::address, request.url + ": a line end in a header");
        curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        if (!list) list.reset(longer);
    };
    if (!options.from.empty()) add("From: " + options.from);
    for (const auto& [name, value] : request.headers.fields())
        add(value.empty() ? name + ";" : name + ": " + value);
    return list;
}

void set_method(CURL* c, const ClientRequest& request) {
    if (request.method == "POST") {
        curl_easy_setopt(c, CURLOPT_POST, 1L);
        curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request.body.size()));
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, request.body.data());
    } else if (request.method == "HEAD") {
        curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
    } else if (request.method == "GET") {
        curl_easy_setopt(c, CURLOPT_HTTPGET, 1L);
    } else {
        throw TransferError(FailureKind::address,
                            request.url + ": this client has no method " + request.method);
    }
}

void set_bounds(CURL* c, const ClientOptions& options) {
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, options.max_redirects > 0 ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_MAXREDIRS, static_cast<long>(options.max_redirects));
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
                     static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
    curl_easy_setopt(c, CURLOPT_USERAGENT, options.user_agent.c_str());
}

void read_transfer_info(CURL* c, ClientResponse& response) {
    const char* url = nullptr;
    curl_off_t wire = 0;
    if (curl_easy_getinfo(c, CURLINFO_EFFECTIVE_URL, &url) == CURLE_OK && url != nullptr)
        response.url = url;
    if (curl_easy_getinfo(c, CURLINFO_SIZE_DOWNLOAD_T, &wire) == CURLE_OK)
        response.wire_bytes = wire;
    response.retry_after = retry_after(response.headers);
}

}  // namespace

std::string own_user_agent() { return "oai-fcgi/" + version(); }

Client::Client(ClientOptions options) : options_(std::move(options)) {
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (started == CURLE_OK) curl_.reset(curl_easy_init());
    if (!curl_) throw std::runtime_error("libcurl cannot start");
}

Client::~Client() = default;

ClientResponse Client::send(const ClientRequest& request, const BodyReceiver& receiver) {
    CURL* const c = curl_.get();
    curl_easy_reset(c);  // keeps connections
    set_bounds(c, options_);
    set_method(c, request);
    const CurlListHandle headers = header_list(request, options_);
    const std::int64_t offset = request.range ? request.range->offset : 0;
    const std::string range =
        request.range ? fmt::format("{}-{}", offset, offset + request.range->length - 1) : "";
    const AddressRanges ranges = address_ranges(options_.private_ranges);
    Transfer transfer{.curl = c,
                      .receiver = receiver,
                      .options = options_,
                      .private_ranges = options_.allow_private ? nullptr : &ranges};
    std::array<char, CURL_ERROR_SIZE> words{};
    curl_easy_setopt(c, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers.get());
    if (request.range) curl_easy_setopt(c, CURLOPT_RANGE, range.c_str());
    if (request.post_again)
        curl_easy_setopt(c, CURLOPT_POSTREDIR,
                         static_cast<long>(CURL_REDIR_POST_301 | CURL_REDIR_POST_302));
    curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, request.own_connection ? 1L : 0L);
    curl_easy_setopt(c, CURLOPT_FORBID_REUSE, request.own_connection ? 1L : 0L);
    if (!request.accept_encoding.empty())
        curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, request.accept_encoding.c_str());
    curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, on_connected);
    curl_easy_setopt(c, CURLOPT_PREREQDATA, &transfer);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, words.data());
    const CURLcode code = curl_easy_perform(c);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, nullptr);
    if (transfer.exception) std::rethrow_exception(transfer.exception);
    if (code != CURLE_OK && !transfer.response.stopped)
        throw error_of(request, transfer, code, words.data());
    if (code == CURLE_OK) transfer.begin();
    read_transfer_info(c, transfer.response);
    return std::move(transfer.response);
}

std::string escape_query_value(const std::string& value) {
    if (value.empty()) return "";
    const CurlTextHandle text(
        curl_easy_escape(nullptr, value.data(), static_cast<int>(value.size())));
    if (!text) throw std::bad_alloc();
    return text.get();
}

std::optional<std::string_view> HeaderFields::find(std::string_view name) const {
    const std::string wanted = text::lower_ascii(name);
    const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) {
        return text::lower_ascii(f.first) == wanted;
    });
    if (found == fields_.end()) return std::nullopt;
    return found->second;
}

bool is_temporary(int status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

bool is_temporary(FailureKind kind) {
    return kind == FailureKind::connection || kind == FailureKind::timeout;
}

std::chrono::seconds retry_wait(const RetryPolicy& policy, int attempt,
                                std::optional<std::chrono::seconds> retry_after) {
    if (retry_after)
        return std::min(std::max(*retry_after, std::chrono::seconds{1}), policy.longest_wait);
    std::chrono::seconds wait = policy.first_wait;
    for (int i = 1; i < attempt && wait < policy.longest_wait; ++i) wait *= 2;
    return std::min(wait, policy.longest_wait);
}

RetryingClient::RetryingClient(Client& client, RetryPolicy policy, Wait wait)
    : client_(client),
      policy_(policy),
      wait_(wait ? std::move(wait) : [](std::chrono::seconds s, const std::string&) {
          std::this_thread::sleep_for(s);
      }) {}

ClientResponse RetryingClient::send(const ClientRequest& request, const BodyReceiver& receiver) {
    for (int attempt = 1;; ++attempt) {
        std::optional<std::chrono::seconds> retry_after;
        std::string why;
        try {
            ClientResponse response = client_.send(request, receiver);
            if (!is_temporary(response.status) || attempt >= policy_.attempts) return response;
            retry_after = response.retry_after;
            why = request.url + ": HTTP status " + std::to_string(response.status);
        } catch (const TransferError& e) {
            if (!is_temporary(e.kind()) || attempt >= policy_.attempts) throw;
            why = e.what();
        }
        wait_(retry_wait(policy_, attempt, retry_after), why);
    }
}

}  // namespace oai::http
