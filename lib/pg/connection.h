// SPDX-License-Identifier: MIT
// One libpq connection: statements with $n parameters, binary results, pipelines; COPY by
// copy_writer.h. Knows nothing of OAI-PMH and builds no SQL. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/error.h"
#include "pg/handle.h"

namespace oai::pg {

// A statement of queries.h. The name points to static storage, and so does the text of a prepared
// statement; any other text is read only during the call to which it is passed. Values are always
// passed as $n, never as part of the text.
struct Statement {
    const char* name;
    const char* text;
    // Whether each connection parses the statement only once, and plans it once where PostgreSQL
    // expects that to pay. For frequent statements.
    bool prepared = false;
};

// The values of $1, $2, ... in order, sent as text; the statement casts them ($1::bigint).
class Parameters {
  public:
    Parameters& add(std::int64_t v);
    Parameters& add(std::string_view v);          // REQUIRES: UTF-8 without NUL
    Parameters& add(std::chrono::sys_seconds v);  // as a number of seconds since 1970
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

// Rows in PostgreSQL's binary format (binary.h). Views live as long as the Result.
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
    // The number of rows that the statement changed, "" if it has none.
    const char* affected() const { return PQcmdTuples(handle_.get()); }

  private:
    ResultHandle handle_;
};

class Connection {
  public:
    // Blocks until connected or until connect_timeout, which is 5 s for each host unless conninfo
    // sets another. A host that stops responding later is detected within 20 s. Throws
    // Error{"connect"}. Root is let in by peer authentication, too: what fails over a local socket
    // is tried again as the system user of the role's name. Host::primary: connects only to the
    // primary among the hosts of conninfo. A pooler that gives each transaction another session is
    // refused as an Error of kSharedSession, since settings and locks would be somebody else's.
    enum class Host { any, primary };
    // result_timeout: how long to wait for each complete result, but of COPY; zero: no limit. It
    // detects a server process that hangs while the kernel still acknowledges packets. After it an
    // Error is thrown that is unavailable(), and the connection is broken().
    Connection(const std::string& conninfo, const std::string& application_name,
               Host host = Host::any, std::chrono::milliseconds result_timeout = {});

    // Runs one statement. Throws Error naming the statement. A prepared statement whose result
    // columns have changed in the meantime is prepared again. REQUIRES: no pipeline is open.
    Result query(const Statement& statement, const Parameters& parameters = {});
    // Runs several commands without parameters (schema files), in one transaction unless they
    // contain transaction commands. Throws Error, with the line within `text` if the server reports
    // a position. REQUIRES: no pipeline is open.
    void script(const char* name, const std::string& text);

    // A pipeline: call send() for any number of statements, then flush() once, then take() once for
    // each result, in order. The first failure is thrown by its take(), and ends the pipeline;
    // a transaction may be open or failed then.
    void send(const Statement& statement, const Parameters& parameters = {});
    void flush();
    Result take();

    // Whether it cannot be used any more: PQstatus is bad, or libpq or reset_quietly() failed.
    bool broken() const;
    // Whether a transaction is open, failed or not, as of the latest answer of the server.
    bool in_transaction() const;
    // Leaves the pipeline, ends a COPY and rolls back a transaction, if there are any. The
    // connection is broken() if that fails.
    void reset_quietly() noexcept;
    // Whether nothing unsolicited has arrived, such as the end of the connection or a message of a
    // server that is shutting down. Only polls the socket. REQUIRES: no pipeline and no
    // transaction.
    bool is_quiet() const;
    PGconn* raw() { return handle_.get(); }  // for cancel and notices in tests only

  private:
    friend class CopyWriter;
    explicit Connection(ConnectionHandle handle);  // only to look for a pooler
    void refuse_shared_session(const std::string& conninfo, const Result& session, Host host);
    [[noreturn]] void fail(const char* statement, const PGresult* result, long line = 0);
    [[noreturn]] void fail_pipeline(const char* statement, const PGresult* result);
    // Waits until PQgetResult() will not block. False after the timeout: then broken().
    bool await_result() noexcept;
    ResultHandle next_result(const char* statement);
    bool execute_later(const Statement& statement, const Parameters& parameters);
    void leave_pipeline() noexcept;  // reads up to the sync
    ConnectionHandle handle_;
    std::chrono::milliseconds result_timeout_;
    struct PipelineEntry {
        const char* name;           // of the statement
        const char* prepared_text;  // the text of a prepared statement, else nullptr
        std::string prepare_name;   // if not "", this entry is the PREPARE under this name
    };
    std::vector<PipelineEntry> pipeline_;
    std::size_t taken_ = 0;  // how many results of pipeline_ have been taken
    // The prepared statements: text -> name in this session.
    std::unordered_map<std::string_view, std::string> prepared_;
    // No name is used twice, so one that was prepared before a failure does no harm.
    int last_name_ = 0;
    bool flushed_ = false;
    bool broken_ = false;
};

}  // namespace oai::pg
