// SPDX-License-Identifier: MIT
// An LD_PRELOAD library that makes the N-th libpq call within a request fail (t/fault/libpq.t). The
// file OAI_TEST_LIBPQ holds a Control, which the test and the server share. Calls are counted
// between FCGX_Accept_r and FCGX_Finish_r of a thread. If Control::watches is set, the calls of the
// threads that watch the database are counted instead.
#include <dlfcn.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

enum Manner : std::int64_t {
    kRefuse,  // the call is not made, and failure is reported
    kLose,    // the connection is cut before the call is made
    kForget,  // the call is made, its result is discarded, and failure is reported
};

struct Control {
    std::atomic<std::int64_t> fail_at;  // number of the call that fails; 0: none
    std::atomic<std::int64_t> manner;
    std::atomic<std::int64_t> calls;  // calls counted since the test set this to 0
    std::atomic<std::int64_t> cold;   // not 0: cut the last used connection before the next request
    std::atomic<std::int64_t> watches;  // not 0: count calls outside of requests instead
    char name[64];                      // name of the call that failed
    std::atomic<std::int64_t> trips;    // round trips to the database since the test set this to 0
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

Control* control = nullptr;
thread_local bool in_request = false;
thread_local bool within = false;  // inside libpq, whose own calls are not counted
std::atomic<PGconn*> last_used = nullptr;

__attribute__((constructor)) void map_control() {
    const char* path = std::getenv("OAI_TEST_LIBPQ");
    const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void* mapped = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) control = static_cast<Control*>(mapped);
    close(fd);
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void cut(PGconn* connection) {
    static const auto socket_of = next<decltype(PQsocket)>("PQsocket");
    const int fd = connection ? socket_of(connection) : -1;
    if (fd >= 0) shutdown(fd, SHUT_RDWR);
}

bool due(const char* name) {
    if (!control || within || in_request == (control->watches != 0)) return false;
    if (++control->calls != control->fail_at) return false;
    std::strncpy(control->name, name, sizeof control->name - 1);
    return true;
}

void drop(PGresult* result) {
    static const auto clear = next<decltype(PQclear)>("PQclear");
    clear(result);
}
void drop(int) {}

struct Within {
    Within() { within = true; }
    ~Within() { within = outer; }
    const bool outer = within;
};

// A pipeline goes out at its end, a statement outside of one at once.
void count_trip(const PGconn* connection, bool ends_pipeline) {
    static const auto status = next<decltype(PQpipelineStatus)>("PQpipelineStatus");
    if (control && in_request && !within &&
        (ends_pipeline || status(connection) == PQ_PIPELINE_OFF))
        ++control->trips;
}

// Wraps a libpq function that takes a connection. Returns the function's result, or `failure` if
// this is the call that has to fail.
template <class Value, class... Parameters>
class Real {
  public:
    Real(const char* name, Value failure)
        : name_(name), failure_(failure), real_(next<Function>(name)) {}

    Value operator()(PGconn* connection, Parameters... parameters) const {
        if (in_request) last_used = connection;
        const bool fails = due(name_);
        const Within guard;
        if (!fails) return real_(connection, parameters...);
        if (control->manner == kRefuse) return failure_;
        if (control->manner == kLose) cut(connection);
        const Value value = real_(connection, parameters...);
        if (control->manner == kLose) return value;
        drop(value);
        return failure_;
    }

  private:
    using Function = Value(PGconn*, Parameters...);
    const char* name_;
    Value failure_;
    Function* real_;
};
template <class Value, class... Parameters>
Real<Value, Parameters...> real_of(Value (*)(PGconn*, Parameters...), const char* name,
                                   Value failure) {
    return {name, failure};
}

}  // namespace

// NOLINTBEGIN: these names are libpq's and libfcgi's.
extern "C" {

int FCGX_Accept_r(FCGX_Request* request) {
    static const auto real = next<decltype(FCGX_Accept_r)>("FCGX_Accept_r");
    const int rc = real(request);
    if (control && control->cold.exchange(0) != 0) cut(last_used);
    in_request = rc == 0;
    return rc;
}

void FCGX_Finish_r(FCGX_Request* request) {
    static const auto real = next<decltype(FCGX_Finish_r)>("FCGX_Finish_r");
    in_request = false;
    real(request);
}

PGconn* PQconnectdbParams(const char* const* keywords, const char* const* values,
                          int expand_dbname) {
    static const auto real = next<decltype(PQconnectdbParams)>("PQconnectdbParams");
    static const auto finish = next<decltype(PQfinish)>("PQfinish");
    const bool fails = due("PQconnectdbParams");
    const Within guard;
    if (fails && control->manner == kRefuse) return nullptr;  // out of memory
    PGconn* connection = real(keywords, values, expand_dbname);
    if (fails && control->manner == kLose) cut(connection);
    if (!fails || control->manner == kLose) return connection;
    finish(connection);
    return nullptr;
}

ConnStatusType PQstatus(const PGconn* connection) {
    static const auto real = next<decltype(PQstatus)>("PQstatus");
    return due("PQstatus") ? CONNECTION_BAD : real(connection);
}

PGTransactionStatusType PQtransactionStatus(const PGconn* connection) {
    static const auto real = next<decltype(PQtransactionStatus)>("PQtransactionStatus");
    return due("PQtransactionStatus") ? PQTRANS_UNKNOWN : real(connection);
}

ExecStatusType PQresultStatus(const PGresult* result) {
    static const auto real = next<decltype(PQresultStatus)>("PQresultStatus");
    return due("PQresultStatus") ? PGRES_FATAL_ERROR : real(result);
}

int PQsocket(const PGconn* connection) {
    static const auto real = next<decltype(PQsocket)>("PQsocket");
    return due("PQsocket") ? -1 : real(connection);
}

PGresult* PQexec(PGconn* connection, const char* query) {
    static const auto real = real_of(PQexec, "PQexec", static_cast<PGresult*>(nullptr));
    return real(connection, query);
}

int PQsendQuery(PGconn* connection, const char* query) {
    static const auto real = real_of(PQsendQuery, "PQsendQuery", 0);
    count_trip(connection, false);
    return real(connection, query);
}

int PQsendQueryParams(PGconn* connection, const char* command, int n, const Oid* types,
                      const char* const* values, const int* lengths, const int* formats,
                      int format) {
    static const auto real = real_of(PQsendQueryParams, "PQsendQueryParams", 0);
    count_trip(connection, false);
    return real(connection, command, n, types, values, lengths, formats, format);
}

int PQsendPrepare(PGconn* connection, const char* name, const char* query, int n,
                  const Oid* types) {
    static const auto real = real_of(PQsendPrepare, "PQsendPrepare", 0);
    return real(connection, name, query, n, types);
}

int PQsendQueryPrepared(PGconn* connection, const char* name, int n, const char* const* values,
                        const int* lengths, const int* formats, int format) {
    static const auto real = real_of(PQsendQueryPrepared, "PQsendQueryPrepared", 0);
    count_trip(connection, false);
    return real(connection, name, n, values, lengths, formats, format);
}

int PQenterPipelineMode(PGconn* connection) {
    static const auto real = real_of(PQenterPipelineMode, "PQenterPipelineMode", 0);
    return real(connection);
}

int PQexitPipelineMode(PGconn* connection) {
    static const auto real = real_of(PQexitPipelineMode, "PQexitPipelineMode", 0);
    return real(connection);
}

int PQpipelineSync(PGconn* connection) {
    static const auto real = real_of(PQpipelineSync, "PQpipelineSync", 0);
    count_trip(connection, true);
    return real(connection);
}

int PQconsumeInput(PGconn* connection) {
    static const auto real = real_of(PQconsumeInput, "PQconsumeInput", 0);
    return real(connection);
}

PGresult* PQgetResult(PGconn* connection) {
    static const auto real = real_of(PQgetResult, "PQgetResult", static_cast<PGresult*>(nullptr));
    return real(connection);
}

int PQputCopyData(PGconn* connection, const char* bytes, int n) {
    static const auto real = real_of(PQputCopyData, "PQputCopyData", -1);
    return real(connection, bytes, n);
}

int PQputCopyEnd(PGconn* connection, const char* why) {
    static const auto real = real_of(PQputCopyEnd, "PQputCopyEnd", -1);
    return real(connection, why);
}
}
// NOLINTEND
