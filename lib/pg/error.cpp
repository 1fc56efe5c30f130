// SPDX-License-Identifier: MIT
// The meaning of PostgreSQL's errors: the only place that maps SQLSTATEs (version 15, appendix A).
#include "pg/error.h"

#include <algorithm>
#include <iterator>

namespace oai::pg {
namespace {

constexpr std::string_view kReached =
    "systemctl status postgresql, and [database] connection [OAI-1201]";
constexpr std::string_view kSchemaRemedy =
    "a dump is being restored, or oai schema install is to be run: oai schema status [OAI-1205]";

// The first row whose beginning fits counts. A replica ends queries that conflict with its replay
// by 40001. An object is missing (42) while a dump is restored, or before the schema has this
// program's version.
constexpr Trouble kTroubles[] = {
    {"0A000", true, "The database is being changed", "ask again [OAI-1205]"},
    {"08", true, "The database cannot be reached", kReached},
    {"25006", true, "The database may only be read",
     "it is a replica, or default_transaction_read_only is on: name the primary in the connection "
     "(target_session_attrs=read-write), or pg_ctl promote [OAI-1212]"},
    {"26000", true, "The database is out of order",
     "a pooler in transaction mode mixes up sessions: let it have pool_mode = session, or name "
     "PostgreSQL's own address [OAI-1206]"},
    {"28", false, "The database is out of order", "pg_hba.conf and the role's password [OAI-1207]"},
    {"3D000", true, "The database is being set up", kSchemaRemedy},
    {"3F000", true, "The database is being set up", kSchemaRemedy},
    {"40", true, "The database gave the question up for others",
     "on a replica max_standby_streaming_delay and hot_standby_feedback say for whom [OAI-1213]"},
    {"42501", true, "The database refuses a right", "oai schema install gives rights [OAI-1204]"},
    {"42703", true, "The database is being set up", kSchemaRemedy},
    {"42883", true, "The database is being set up", kSchemaRemedy},
    {"42P01", true, "The database is being set up", kSchemaRemedy},
    {"53100", true, "The database has no room left",
     "its disk is full: make room for data_directory, pg_wal and temp_tablespaces [OAI-1209]"},
    {"53200", true, "The database is short of memory", "lower work_mem [OAI-1211]"},
    {"53300", true, "The database has no connection left",
     "raise max_connections, or lower [database] connections [OAI-1210]"},
    {"53", true, "The database is short of resources", "its log says of which [OAI-1211]"},
    {"55P03", true, "The database is locked by another program", "oai check says who [OAI-1203]"},
    {"57014", true, "The database took too long",
     "a statement timeout or pg_cancel_backend ended the query: look for locks and for what is "
     "slow (pg_stat_activity), and at statement_timeout of the role and of oai.ini [OAI-1202]"},
    {"57", true, "The database is being restarted", kReached},
    {"58", false, "The database is out of order", "its disk fails: PostgreSQL's log [OAI-1208]"},
    {"XX", false, "The database is out of order", "it may be damaged: PostgreSQL's log [OAI-1208]"},
};
// Responses take the id from it.
static_assert(std::ranges::all_of(
    kTroubles, [](std::string_view text) { return text.ends_with(']'); }, &Trouble::remedy));
constexpr Trouble kLost{"", true, "The connection to the database was lost", kReached};
constexpr Trouble kUnreached{"", true, "The database cannot be reached", kReached};
// Before a session has begun, libpq does not tell the SQLSTATE.
constexpr Trouble kRefused{"", true, "The database cannot be reached",
                           "PostgreSQL answers and refuses: pg_hba.conf, password, database or "
                           "max_connections [OAI-1207]"};
constexpr Trouble kOther{"", false, "The repository is out of order", ""};

}  // namespace

const Trouble& trouble_of(const Error& error) {
    if (error.sqlstate().empty())
        return error.statement() != "connect" ? error.is_lost() ? kLost : kOther
               : std::string_view(error.what()).find("FATAL:") != std::string_view::npos
                   ? kRefused
                   : kUnreached;
    const auto* const row = std::find_if(
        std::begin(kTroubles), std::end(kTroubles),
        [&](const Trouble& trouble) { return error.sqlstate().starts_with(trouble.sqlstate); });
    return row == std::end(kTroubles) ? kOther : *row;
}

bool Error::unavailable() const { return is_lost_ || trouble_of(*this).is_temporary; }

std::string with_remedy(const std::exception& error) {
    const auto* const of_database = dynamic_cast<const Error*>(&error);
    const std::string_view remedy = of_database ? trouble_of(*of_database).remedy : "";
    return remedy.empty() ? error.what() : error.what() + ("; " + std::string(remedy));
}

}  // namespace oai::pg
