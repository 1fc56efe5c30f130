// SPDX-License-Identifier: MIT
// One libpq connection: statements with $n parameters, binary results, pipelines, COPY. Knows no OAI and builds
// no SQL. Not thread-safe: one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pg/error.h"
#include "pg/handle.h"

namespace oai::pg {

// A statement of queries.h. Both point to static storage. Values are $n, never text pasted in.
struct Statement {
    const char* name;
    const char* text;
    // Parsed once by each connection, and planned once where that is worth it: for what is asked all day.
    bool prepared = false;
};

// The values of $1, $2, ... in order, sent as text; the statement casts them ($1::bigint).
class Parameters {
  public:
    Parameters& add(std::int64_t v);
    Parameters& add(std::string_view v);  // REQUIRES: UTF-8 without NUL
    Parameters& add_null();
    template <class T>
    Parameters& add(const std::optional<T>& v) {
        return v ? add(*v) : add_null();
    }
    int size() const { return static_cast<int>(values_.size()); }
    std::vector<const char*> pointers() const;  // valid until the next add()

  private:
    std::vector<std::optional<std::string>> values_;
};

// Rows in PostgreSQL's binary format (see binary.h for reading them). Views live as long as the Result.
class Result {
  public:
    explicit Result(ResultHandle handle) : handle_(std::move(handle)) {}
    int rows() const { return PQntuples(handle_.get()); }
    int columns() const { return PQnfields(handle_.get()); }
    bool is_null(int row, int column) const { return PQgetisnull(handle_.get(), row, column) != 0; }
    std::string_view bytes(int row, int column) const {
        return {PQgetvalue(handle_.get(), row, column),
                static_cast<std::size_t>(PQgetlength(handle_.get(), row, column))};
    }
    std::string_view column_name(int column) const { return PQfname(handle_.get(), column); }
    Oid column_type(int column) const { return PQftype(handle_.get(), column); }
    const char* affected() const { return PQcmdTuples(handle_.get()); }  // "" where it makes no sense

  private:
    ResultHandle handle_;
};

class Connection {
  public:
    // Blocks until connected or connect_timeout (5 s a host; one gone dark later: 20 s; conninfo may say otherwise). Throws
    // Error{"connect"}. application_name shows in pg_stat_activity. client_encoding UTF8, TimeZone UTC in any environment.
    // Host::primary: only to the primary among the hosts of conninfo, whatever its target_session_attrs.
    enum class Host { as_told, primary };
    // `patience`: a result that has not arrived whole so long after it was first waited for will not come. Its server process
    // hangs while the kernel goes on acknowledging, so no timeout of TCP or of the server ends that. Then Error, unavailable,
    // and broken(). PostgreSQL may keep a pipeline's results back until its end. Zero: waits for as long as it takes. A COPY
    // knows no patience.
    Connection(const std::string& conninfo, const std::string& application_name, Host host = Host::as_told,
               std::chrono::milliseconds patience = {});

    // One statement, one result, binary. Throws Error naming the statement. REQUIRES: no pipeline is open.
    // A prepared one whose columns an administrator has changed meanwhile is prepared anew.
    Result query(const Statement& statement, const Parameters& parameters = {});
    // Several commands without parameters (schema files), in one transaction unless they say otherwise. Throws
    // Error, with the line within `text` where the server knows it. REQUIRES: no pipeline is open.
    void script(const char* name, const std::string& text);

    // A pipeline: send any number of statements, then flush() once, then take() one Result for each in order.
    // The first failure throws from its take(); the rest of the pipeline is then drained and skipped. The pipeline
    // is open from the first send() to the last take() or the failure; afterwards the connection is as before it
    // (or broken()), but for a transaction that the statements began or spoilt.
    void send(const Statement& statement, const Parameters& parameters = {});
    void flush();
    Result take();

    // COPY ... FROM STDIN in text format, begun by `statement`. copy_data takes any cut of the stream. Throws Error;
    // then the COPY is over, and so it is after copy_abort.
    void copy_begin(const Statement& statement);
    void copy_data(std::string_view bytes);
    std::int64_t copy_end();  // rows taken
    void copy_abort(const std::string& why) noexcept;

    bool broken() const;            // throw it away: PQstatus says BAD, libpq itself or reset_quietly() failed
    bool in_transaction() const;    // by the last word of the server; a failed one too
    // Leaves the pipeline, ends a COPY and rolls back, whatever there is of them; broken() if that fails.
    void reset_quietly() noexcept;
    // Nothing unasked-for has arrived: no end of the connection, no word of a server that is shutting down. Asks
    // the socket alone. REQUIRES: idle, no pipeline, no transaction.
    bool quiet() const;
    PGconn* raw() { return handle_.get(); }  // for cancel and notices in tests only

  private:
    [[noreturn]] void fail(const char* statement, const PGresult* result, long line = 0);
    [[noreturn]] void fail_pipeline(const char* statement, const PGresult* result);
    [[noreturn]] void fail_silent(const char* statement);
    bool await() noexcept;  // until PQgetResult() need not wait; false: out of patience, and broken()
    ResultHandle next_result(const char* statement);
    ResultHandle last_result(const char* statement, int sent);  // outside a pipeline; sent: what PQsend...() returned
    Result finish_command(const char* statement, ResultHandle result);
    ResultHandle execute(const Statement& statement, const Parameters& parameters);
    bool execute_later(const Statement& statement, const Parameters& parameters);
    void take_prepared();
    std::string next_name();
    void leave_pipeline() noexcept;  // reads up to the sync
    ConnectionHandle handle_;
    std::chrono::milliseconds patience_;
    struct Sent {
        const char* name;        // of the statement
        std::string preparing;   // not "": its PREPARE, under this name
        const char* text;
    };
    std::vector<Sent> pipeline_;
    std::size_t taken_ = 0;              // so many of them have been taken
    std::unordered_map<std::string_view, std::string> prepared_;  // text -> its name in this session
    int names_given_ = 0;                // none twice: one that was prepared unseen, before a failure, does no harm
    bool flushed_ = false;
    bool broken_ = false;
    const char* copy_ = "";              // name of the statement that began the COPY
};

}  // namespace oai::pg
