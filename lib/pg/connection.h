// SPDX-License-Identifier: MIT
// One libpq connection: statements with $n parameters, binary results, pipelines, COPY. Knows no OAI and builds
// no SQL. Not thread-safe: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/error.h"
#include "pg/handle.h"

namespace oai::pg {

// A statement of queries.h. Both point to static storage. Values are $n, never text pasted in.
struct Statement {
    const char* name;
    const char* text;
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
    // Blocks until connected or connect_timeout (5 s unless conninfo says otherwise). Throws Error{"connect"}.
    // application_name shows in pg_stat_activity. client_encoding is UTF8, TimeZone UTC, whatever the environment.
    Connection(const std::string& conninfo, const std::string& application_name);

    // One statement, one result, binary. Throws Error naming the statement. In a pipeline: not allowed.
    Result query(const Statement& statement, const Parameters& parameters = {});
    // Several commands without parameters (schema files). Throws Error with the line within `text` where known.
    void script(const char* name, const std::string& text);

    // A pipeline: send any number of statements, then flush() once, then take() one Result for each in order.
    // The first failure throws from its take(); the rest of the pipeline is then drained and skipped.
    void send(const Statement& statement, const Parameters& parameters = {});
    void flush();
    Result take();

    // COPY ... FROM STDIN in text format, begun by `statement`. Throws Error.
    void copy_begin(const Statement& statement);
    void copy_data(std::string_view bytes);
    std::int64_t copy_end();  // rows taken
    void copy_abort(const std::string& why) noexcept;

    bool broken() const;           // PQstatus says BAD: throw it away
    bool in_transaction() const;   // by the last word of the server
    void reset_quietly() noexcept; // ROLLBACK if in a transaction and leave pipeline mode; marks broken on failure
    PGconn* raw() { return handle_.get(); }  // for cancel and notices in tests only

  private:
    [[noreturn]] void fail(const char* statement, const PGresult* result);
    ConnectionHandle handle_;
    std::vector<const char*> pipeline_;  // names of the statements sent and not yet taken
    std::size_t taken_ = 0;
};

}  // namespace oai::pg
