// SPDX-License-Identifier: MIT
#include "pg/connection.h"

#include <poll.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>

#include "pg/binary.h"

namespace oai::pg {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPollInterval{50};
constexpr int kPoolerLooks = 20;
constexpr std::chrono::seconds kPoolerPatience{5};

// Overrides PGTZ and settings of role and database. The backend of a program that was killed ends,
// too, rather than wait for a lock. Compiling costs more than our statements take.
constexpr Statement kSession{"connect",
                             "select pg_backend_pid(), set_config('timezone', 'UTC', false), "
                             "set_config('client_connection_check_interval', '2s', false), "
                             "set_config('jit', 'off', false)"};

bool is_success(const PGresult* result) {
    const auto status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

std::string field(const PGresult* result, int code) {
    const char* value = result ? PQresultErrorField(result, code) : nullptr;
    return value ? value : "";
}

// The message of the error in one line, with the detail and hint of the server.
std::string describe(const PGresult* result, const PGconn* connection) {
    std::string text = field(result, PG_DIAG_MESSAGE_PRIMARY);
    if (text.empty()) {
        text = PQerrorMessage(connection);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text.empty() ? "the server gave no reason" : text;
    }
    if (const auto detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty())
        text += "; " + detail;
    if (const auto hint = field(result, PG_DIAG_MESSAGE_HINT); !hint.empty()) text += "; " + hint;
    return text;
}

// The line of the position that the server reports in characters; 0 if it reports none.
long line_of_error(const PGresult* result, std::string_view text) {
    const std::string position = field(result, PG_DIAG_STATEMENT_POSITION);
    long left = 0;
    std::from_chars(position.data(), position.data() + position.size(), left);
    if (left < 1) return 0;
    long line = 1;
    for (const char c : text) {
        const bool begins_character = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (begins_character && --left == 0) break;
        if (c == '\n') ++line;
    }
    return line;
}

// PostgreSQL's peer authentication lets a role in if the system user of the same name connects. So
// root becomes that user, in this thread alone, to try again what has failed.
template <class Connect>
void as_peer(const PGconn* failed, const Connect& connect) {
    const char* const host = PQhost(failed);
    if (::geteuid() != 0 || host == nullptr || *host != '/') return;
    std::array<char, 4096> buffer{};
    passwd user{};
    passwd* found = nullptr;
    ::getpwnam_r(PQuser(failed), &user, buffer.data(), buffer.size(), &found);
    if (found == nullptr || ::syscall(SYS_setresuid, -1, found->pw_uid, -1) != 0) return;
    connect();
    if (::syscall(SYS_setresuid, -1, 0, -1) != 0) std::terminate();
}

// Throws nothing: PQstatus() tells.
ConnectionHandle open(const std::string& conninfo, const std::string& application_name,
                      Connection::Host host) {
    // A later keyword overrides an earlier one, so conninfo can set the timeouts but not the
    // encoding. A host that stops responding is given up 10 s after it failed to acknowledge a
    // packet, or 10 to 20 s after its last packet while a result is awaited. By default Linux would
    // take from 15 minutes to two hours.
    const char* const keys[] = {
        "connect_timeout",
        "tcp_user_timeout",
        "keepalives_idle",
        "keepalives_interval",
        "fallback_application_name",
        "dbname",
        "client_encoding",
        host == Connection::Host::primary ? "target_session_attrs" : nullptr,
        nullptr};
    const char* const values[] = {
        "5",    "10000",   "10",   "5", application_name.c_str(), conninfo.c_str(),
        "UTF8", "primary", nullptr};
    ConnectionHandle handle;
    const auto connect = [&] { handle.reset(PQconnectdbParams(keys, values, 1)); };
    connect();
    if (PQstatus(handle.get()) != CONNECTION_OK) as_peer(handle.get(), connect);
    return handle;
}

}  // namespace

Parameters& Parameters::add(std::int64_t v) {
    values_.emplace_back(std::to_string(v));
    return *this;
}

Parameters& Parameters::add(std::string_view v) {
    values_.emplace_back(std::string(v));
    return *this;
}

Parameters& Parameters::add(std::chrono::sys_seconds v) {
    return add(std::int64_t{v.time_since_epoch().count()});
}

Parameters& Parameters::add_null() {
    values_.emplace_back(std::nullopt);
    return *this;
}

std::vector<const char*> Parameters::pointers() const {
    std::vector<const char*> out;
    out.reserve(values_.size());
    for (const auto& value : values_) out.push_back(value ? value->c_str() : nullptr);
    return out;
}

Connection::Connection(const std::string& conninfo, const std::string& application_name, Host host,
                       std::chrono::milliseconds result_timeout)
    : handle_(open(conninfo, application_name, host)), result_timeout_(result_timeout) {
    if (PQstatus(handle_.get()) != CONNECTION_OK) fail("connect", nullptr);
    refuse_shared_session(conninfo, query(kSession), host);
}

Connection::Connection(ConnectionHandle handle)
    : handle_(std::move(handle)), result_timeout_(kPoolerPatience) {}

// A pooler tells clients another process than the one that serves them. In its transaction mode
// that one serves others too: a second connection meets it while this one is idle, if not at once
// then where the pooler takes its sessions in turn.
void Connection::refuse_shared_session(const std::string& conninfo, const Result& session,
                                       Host host) {
    const auto process = read_integer(session.bytes(0, 0));
    if (process == PQbackendPID(handle_.get())) return;
    Connection other(open(conninfo, "pooler?", host));
    for (int look = 0; look < kPoolerLooks; ++look) {
        // In session mode this one keeps its process, however busy the others are.
        bool is_shared = read_integer(query(kSession).bytes(0, 0)) != process;
        try {
            is_shared = is_shared || read_integer(other.query(kSession).bytes(0, 0)) == process;
        } catch (const Error&) {
            return;  // it has no further session for us, so this one is ours
        }
        if (is_shared)
            throw Error("connect: each transaction may get another session", "connect",
                        kSharedSession, true);
    }
}

void Connection::fail(const char* statement, const PGresult* result, long line) {
    // Checked first, since a killed server process sends no SQLSTATE.
    const bool bad = PQstatus(handle_.get()) != CONNECTION_OK;
    std::string state = field(result, PG_DIAG_SQLSTATE);
    // Without a SQLSTATE it is libpq that failed, for lack of memory or of a connection. The state
    // of the connection is unknown then.
    if (state.empty()) broken_ = true;
    const std::string where =
        line > 0 ? std::string(statement) + ":" + std::to_string(line) : statement;
    throw Error(where + ": " + describe(result, handle_.get()), statement, std::move(state),
                bad || broken_);
}

void Connection::fail_pipeline(const char* statement, const PGresult* result) {
    try {
        fail(statement, result);
    } catch (const Error&) {
        leave_pipeline();  // only now, since it overwrites libpq's message about the failure
        throw;
    }
}

bool Connection::await_result() noexcept {
    if (result_timeout_ == result_timeout_.zero()) return true;
    // Encrypted data may be buffered inside libpq, where poll() does not see it.
    const bool encrypted = PQsslInUse(handle_.get()) != 0 || PQgssEncInUse(handle_.get()) != 0;
    const auto deadline = Clock::now() + result_timeout_;
    while (PQisBusy(handle_.get()) != 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left <= left.zero()) return !(broken_ = true);
        pollfd socket{.fd = PQsocket(handle_.get()), .events = POLLIN, .revents = 0};
        if (socket.fd < 0) break;  // PQgetResult() will report why
        poll(&socket, 1,
             static_cast<int>(encrypted ? std::min(left, kPollInterval).count() : left.count()));
        if (PQconsumeInput(handle_.get()) != 1) break;
    }
    return true;
}

ResultHandle Connection::next_result(const char* statement) {
    if (!await_result())
        throw Error(std::string(statement) + ": no answer within " +
                        std::to_string(result_timeout_.count()) + " ms; the server process hangs",
                    statement, "", true);
    return ResultHandle(PQgetResult(handle_.get()));
}

// Within a transaction it cannot be repeated.
Result Connection::query(const Statement& statement, const Parameters& parameters) {
    for (bool is_second = false;; is_second = true) {
        try {
            send(statement, parameters);
            flush();
            return take();
        } catch (const Error& e) {
            if (is_second || !statement.prepared || in_transaction() ||
                e.sqlstate() != kColumnsDiffer)
                throw;
        }
    }
}

void Connection::script(const char* name, const std::string& text) {
    ResultHandle last;
    // A connection that could not leave its pipeline accepts statements but does not send them.
    if (PQsendQuery(handle_.get(), text.c_str()) == 1 &&
        PQpipelineStatus(handle_.get()) == PQ_PIPELINE_OFF)
        while (ResultHandle more = next_result(name)) last = std::move(more);
    if (!is_success(last.get())) fail(name, last.get(), line_of_error(last.get(), text));
}

void Connection::send(const Statement& statement, const Parameters& parameters) {
    if (pipeline_.empty() && PQenterPipelineMode(handle_.get()) != 1) fail(statement.name, nullptr);
    if (!execute_later(statement, parameters)) fail_pipeline(statement.name, nullptr);
}

bool Connection::execute_later(const Statement& statement, const Parameters& parameters) {
    const auto values = parameters.pointers();
    if (!statement.prepared) {
        pipeline_.push_back({statement.name, nullptr, ""});
        return PQsendQueryParams(handle_.get(), statement.text, parameters.size(), nullptr,
                                 values.data(), nullptr, nullptr, 1) == 1;
    }
    const auto found = prepared_.find(statement.text);
    const std::string name =
        found != prepared_.end() ? found->second : "s" + std::to_string(++last_name_);
    if (found == prepared_.end()) {
        pipeline_.push_back({statement.name, statement.text, name});
        if (PQsendPrepare(handle_.get(), name.c_str(), statement.text, 0, nullptr) != 1)
            return false;
    }
    pipeline_.push_back({statement.name, statement.text, ""});
    return PQsendQueryPrepared(handle_.get(), name.c_str(), parameters.size(), values.data(),
                               nullptr, nullptr, 1) == 1;
}

void Connection::flush() {
    if (PQpipelineSync(handle_.get()) != 1)
        fail_pipeline(pipeline_.empty() ? "flush" : pipeline_.front().name, nullptr);
    flushed_ = true;
}

Result Connection::take() {
    const PipelineEntry& entry = pipeline_.at(taken_);
    ResultHandle result = next_result(entry.name);
    if (!is_success(result.get())) {
        // It cannot be repeated within a transaction; the next transaction will prepare it again.
        if (entry.prepared_text != nullptr &&
            field(result.get(), PG_DIAG_SQLSTATE) == kColumnsDiffer)
            prepared_.erase(entry.prepared_text);
        fail_pipeline(entry.name, result.get());
    }
    next_result(entry.name);  // the null that ends the results of a statement
    ++taken_;
    if (!entry.prepare_name.empty()) {
        prepared_.emplace(entry.prepared_text, entry.prepare_name);
        return take();
    }
    if (taken_ == pipeline_.size()) leave_pipeline();
    return Result(std::move(result));
}

void Connection::leave_pipeline() noexcept {
    pipeline_.clear();
    taken_ = 0;
    if (!flushed_ && PQpipelineSync(handle_.get()) != 1) broken_ = true;
    flushed_ = false;
    // Two nulls in a row are the end; a single one separates two statements.
    for (int nulls = 0; nulls < 2 && PQstatus(handle_.get()) == CONNECTION_OK && await_result();) {
        const ResultHandle result(PQgetResult(handle_.get()));
        nulls = result ? 0 : nulls + 1;
        if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) break;
    }
    if (PQexitPipelineMode(handle_.get()) != 1) broken_ = true;
}

bool Connection::broken() const { return broken_ || PQstatus(handle_.get()) != CONNECTION_OK; }

bool Connection::in_transaction() const {
    const auto status = PQtransactionStatus(handle_.get());
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

void Connection::reset_quietly() noexcept {
    if (broken()) return;
    if (PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF) leave_pipeline();
    if (broken() || !await_result()) return;
    if (const ResultHandle pending(PQgetResult(handle_.get()));
        PQresultStatus(pending.get()) == PGRES_COPY_IN) {
        if (PQputCopyEnd(handle_.get(), "abandoned") != 1) broken_ = true;
        while (PQstatus(handle_.get()) == CONNECTION_OK && ResultHandle(PQgetResult(handle_.get())))
            continue;
    }
    if (broken() || PQtransactionStatus(handle_.get()) == PQTRANS_IDLE) return;
    try {
        script("rollback", "rollback");
    } catch (const std::exception&) {
        broken_ = true;
    }
}

bool Connection::is_quiet() const {
    pollfd socket{.fd = PQsocket(handle_.get()), .events = POLLIN, .revents = 0};
    return !broken() && poll(&socket, 1, 0) == 0;
}

}  // namespace oai::pg
