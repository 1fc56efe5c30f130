// SPDX-License-Identifier: MIT
#include "server/error_response.h"

#include <exception>

#include "base/log.h"
#include "protocol/error.h"
#include "store/store.h"

namespace oai {
namespace {

Response unavailable(const char* why, int retry_after_seconds) {
    log::warning("fault", {{"kind", "unavailable"}, {"why", why}});
    return plain_response(503, "The repository cannot answer just now; please ask again later.",
                          retry_after_seconds);
}

Response out_of_order() {
    return plain_response(500, "The repository is out of order; its log says why.");
}

Response fault(const char* kind, const char* why) {
    log::error("fault", {{"kind", kind}, {"why", why}});
    return out_of_order();
}

}  // namespace

Response error_response(int retry_after_seconds) noexcept {
    try {
        throw;
    } catch (const DatabaseError& e) {
        log::error("fault", {{"kind", "database"},
                             {"why", e.what()},
                             {"sqlstate", e.sqlstate()},
                             {"statement", e.statement()}});
        if (!e.unavailable()) return out_of_order();
        return plain_response(503,
                              "The database cannot be reached just now; please ask again later.",
                              retry_after_seconds);
    } catch (const NoConnectionFree& e) {
        return unavailable(e.what(), retry_after_seconds);
    } catch (const Unavailable& e) {
        return unavailable(e.what(), e.retry_after_seconds());
    } catch (const Fault& e) {
        return fault("repository", e.what());
    } catch (const std::exception& e) {
        return fault("program", e.what());
    }
}

}  // namespace oai
