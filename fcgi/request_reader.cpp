// SPDX-License-Identifier: MIT
#include "fcgi/request_reader.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <iterator>
#include <limits>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace oai::fcgi {
namespace {

using std::chrono::steady_clock;

// FastCGI 1.0, 8: types of records.
enum Type : unsigned char { kBegin = 1, kAbort = 2, kParameters = 4, kInput = 5 };
constexpr std::size_t kHeader = 8, kMaxContent = 65'535;
constexpr std::size_t kMaxBytes = 64 << 20;  // of all requests that are being read
constexpr std::size_t kMaxIncomplete = 4096;
constexpr std::chrono::seconds kGrace{1};  // for incomplete requests when the server stops
constexpr std::chrono::milliseconds kPauseAfterFailure{50};  // without descriptors or memory

Fd own(int fd, const char* what) {
    if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
    return Fd(fd);
}

std::size_t max_incomplete() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return std::clamp<std::size_t>(limit.rlim_cur / 2, 16, kMaxIncomplete);
}

unsigned byte_at(std::string_view bytes, std::size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

// Removes a length of one or four bytes (3.4) from the front; nullopt if it is truncated.
std::optional<std::size_t> take_length(std::string_view& pairs) {
    if (pairs.empty()) return std::nullopt;
    std::size_t length = byte_at(pairs, 0), bytes = 1;
    if (length >= 0x80) {
        bytes = 4;
        if (pairs.size() < bytes) return std::nullopt;
        length = (length & 0x7FU) << 24U | byte_at(pairs, 1) << 16U | byte_at(pairs, 2) << 8U |
                 byte_at(pairs, 3);
    }
    pairs.remove_prefix(bytes);
    return length;
}

// Checks the lengths of names and values, since libfcgi allocates memory by them unchecked and
// aborts if their sum overflows.
bool are_pairs(std::string_view pairs) {
    while (!pairs.empty()) {
        const auto name = take_length(pairs);
        const auto value = name ? take_length(pairs) : std::nullopt;
        if (!value || *name + *value > pairs.size()) return false;
        pairs.remove_prefix(*name + *value);
    }
    return true;
}

void append_record(std::string& out, unsigned char type, std::uint16_t id,
                   std::string_view content) {
    const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xFFU); };
    out += {1,
            static_cast<char>(type),
            byte(id >> 8U),
            byte(id),
            byte(content.size() >> 8U),
            byte(content.size()),
            0,
            0};
    out += content;
}

}  // namespace

std::string_view RequestRecords::add(std::string_view bytes) {
    rest_ += bytes;
    std::string_view left = rest_;
    std::string_view why;
    while (why.empty() && !is_complete_ && left.size() >= kHeader) {
        if (left[0] != 1) return "another protocol";
        const std::size_t length = byte_at(left, 4) << 8U | byte_at(left, 5);
        const std::size_t end = kHeader + length + byte_at(left, 6);
        if (left.size() < end) break;
        why = take(static_cast<unsigned char>(left[1]),
                   static_cast<std::uint16_t>(byte_at(left, 2) << 8U | byte_at(left, 3)),
                   left.substr(kHeader, length));
        left.remove_prefix(end);
    }
    rest_.erase(0, rest_.size() - left.size());
    return why;
}

// Ignores records of other requests and of the application itself, which no web server sends.
std::string_view RequestRecords::take(unsigned char type, std::uint16_t id,
                                      std::string_view content) {
    if (type == kBegin) return begin(id, content);
    if (!has_begun_ || id != id_) return "";
    if (type == kAbort) return "aborted";
    if (type == kParameters && !has_parameters_) {
        parameters_ += content;
        has_parameters_ = content.empty();
        if (parameters_.size() > kMaxParameterBytes) return "too many bytes of parameters";
        if (has_parameters_ && !are_pairs(parameters_)) return "parameters that are cut off";
    } else if (type == kInput && has_parameters_) {
        body_ += content.substr(0, body_limit_ - std::min(body_.size(), body_limit_));
        is_complete_ = content.empty();
    } else if (type == kParameters || type == kInput) {
        return "records out of order";
    }
    return "";
}

std::string_view RequestRecords::begin(std::uint16_t id, std::string_view content) {
    constexpr unsigned kResponder = 1;
    if (has_begun_) return id == id_ ? "begun twice" : "";
    if (content.size() < 2 || (byte_at(content, 0) << 8U | byte_at(content, 1)) != kResponder)
        return "another role";
    has_begun_ = true;
    id_ = id;
    return "";
}

std::string RequestRecords::normalised() const {
    std::string out;
    append_record(out, kBegin, id_, std::string_view("\0\1\0\0\0\0\0\0", 8));
    for (const auto& [type, text] : {std::pair(kParameters, std::string_view(parameters_)),
                                     std::pair(kInput, std::string_view(body_))}) {
        for (std::string_view left = text; !left.empty();
             left.remove_prefix(std::min(left.size(), kMaxContent)))
            append_record(out, type, id_, left.substr(0, kMaxContent));
        append_record(out, type, id_, "");
    }
    return out;
}

RequestReader::RequestReader(int listening, const Config::Server& options)
    : listening_(listening),
      body_limit_(static_cast<std::size_t>(options.post_limit_bytes)),
      max_accepted_(static_cast<std::size_t>(options.workers)),
      max_incomplete_(max_incomplete()),
      request_(options.request_seconds),
      idle_(options.idle_seconds),
      epoll_(own(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      stopped_(own(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    epoll_event stop{.events = EPOLLIN, .data = {.ptr = &is_stopping_}};
    // Other processes may listen on the same socket: one of them is woken for a connection.
    epoll_event accept{.events = EPOLLIN | EPOLLEXCLUSIVE, .data = {.ptr = nullptr}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stopped_.get(), &stop) != 0 ||
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listening_, &accept) != 0)
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

std::optional<ReceivedRequest> RequestReader::next() {
    const std::lock_guard lock(reader_mutex_);
    while (complete_.empty()) try {
            if (stop_deadline_ && incomplete_.empty()) return std::nullopt;
            // Requests that arrived while all workers were busy are read before any is dropped as
            // late. A peer that keeps sending delays that check by a second at most.
            const bool has_more = wait();
            const Time now = steady_clock::now();
            if (has_more && now - last_check_ < std::chrono::seconds{1}) continue;
            drop_late(now);
            last_check_ = now;
        } catch (const std::exception& fault) {  // out of memory; no request is lost
            log::error("request_reader", {{"reason", fault.what()}});
            std::this_thread::sleep_for(kPauseAfterFailure);
        }
    std::optional<ReceivedRequest> request(std::move(complete_.front()));
    complete_.pop_front();
    return request;
}

void RequestReader::stop(bool empty_queue) {
    empty_queue_ = empty_queue;
    is_stopping_ = true;
    const std::uint64_t one = 1;
    if (::write(stopped_.get(), &one, sizeof one) < 0) log::error("wake", {{"errno", errno}});
}

// Waits for events, a second at most while requests are incomplete, and handles them. Returns
// whether more events may be pending.
bool RequestReader::wait() {
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                               incomplete_.empty() ? -1 : 1000);
    bool accept = false;
    for (const epoll_event& event : std::span(events).first(std::max(n, 0)))
        if (event.data.ptr == nullptr)
            accept = true;
        else if (event.data.ptr != &is_stopping_)
            read(*static_cast<IncompleteRequest*>(event.data.ptr));
    if (is_stopping_ && !stop_deadline_) {
        if (empty_queue_) accept_some(std::numeric_limits<std::size_t>::max());
        for (const int fd : {listening_, stopped_.get()})
            ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
        stop_deadline_ = steady_clock::now() + kGrace;
    } else if (accept && !stop_deadline_) {
        accept_some(max_accepted_);
    }
    return n == static_cast<int>(events.size());
}

void RequestReader::accept_some(std::size_t most) {
    for (std::size_t n = 0; n < most; ++n) {
        Fd connection(::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
        if (connection) {
            add(std::move(connection));
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            log::error("accept", {{"errno", errno}, {"hint", "raise the limit of open files"}});
            std::this_thread::sleep_for(kPauseAfterFailure);
            return;
        } else {
            return;  // another process accepted the connection, or the peer disconnected
        }
    }
}

// Tries to read at once, since most requests arrive together with their connection; only the others
// are registered with epoll.
void RequestReader::add(Fd connection) {
    const auto now = steady_clock::now();
    IncompleteRequest& request = incomplete_.emplace_back(
        IncompleteRequest{std::move(connection), RequestRecords(body_limit_), now, now});
    request.place = std::prev(incomplete_.end());
    if (!read(request)) return;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &request;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, request.connection.get(), &event) != 0)
        return drop(request, "no memory to watch it");
    request.is_watched = true;
}

// Reads the available bytes. Queues the request if it is complete, else returns true.
bool RequestReader::read(IncompleteRequest& request) {
    std::array<char, kMaxContent + 1> part;
    const ssize_t n = ::recv(request.connection.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) return drop(request, "the peer has gone"), false;
    request.last_received = steady_clock::now();
    bytes_ -= request.records.bytes();
    const auto why = request.records.add({part.data(), static_cast<std::size_t>(n)});
    bytes_ += request.records.bytes();
    if (!why.empty()) return drop(request, why), false;
    if (!request.records.is_complete()) return true;
    ReceivedRequest received{Fd(), request.records.id(), request.records.normalised()};
    received.connection = remove(request);
    complete_.push_back(std::move(received));
    return false;
}

// Removes the entry and its registration with epoll, and returns its connection.
Fd RequestReader::remove(IncompleteRequest& request) {
    Fd connection = std::move(request.connection);
    if (request.is_watched) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.get(), nullptr);
    bytes_ -= request.records.bytes();
    incomplete_.erase(request.place);
    return connection;
}

void RequestReader::drop(IncompleteRequest& request, std::string_view why) {
    const auto bytes = static_cast<std::int64_t>(request.records.bytes());
    remove(request);
    log::debug("request_incomplete", {{"why", why}, {"bytes", bytes}});
}

void RequestReader::drop_late(Time now) {
    for (auto next = incomplete_.begin(); next != incomplete_.end();) {
        IncompleteRequest& request = *next++;
        if (stop_deadline_ && now >= *stop_deadline_)
            drop(request, "the server stops");
        else if (incomplete_.size() > max_incomplete_ || bytes_ > kMaxBytes)
            drop(request, "too many at a time");
        else if (now - request.accepted > request_ || now - request.last_received > idle_)
            drop(request, "too slow");
    }
}

}  // namespace oai::fcgi
