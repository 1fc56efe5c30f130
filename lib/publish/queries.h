// SPDX-License-Identifier: MIT
// Every statement of the publisher, named, once.
#pragma once

#include "pg/connection.h"

namespace oai::publish_queries {

// $1 records, $2 keep deleted records?
inline constexpr pg::Statement kPublish{"publish", R"(
    select p.published, p.waiting, coalesce(p.lag, 0)::bigint, o.h is not null, coalesce(p.more, false),
           p.blocked_item, p.blocked_set, coalesce(p.blocked_seconds, 0)::bigint
    from oai.publish($1::integer, $2::boolean) p left join oai.horizon o on true)"};
// -> whether rules have more to examine
inline constexpr pg::Statement kCatchUp{"publish_catch_up", "select oai.catch_up_rules()"};

inline constexpr pg::Statement kClock{"publish_clock",
                                      "select extract(epoch from clock_timestamp())::bigint"};

inline constexpr pg::Statement kMendClock{
    "publish_mend_clock",
    "select to_char(m.ahead at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), m.items "
    "from oai.mend_clock() m"};

// $1: what formats require, as a JSON array of arrays of names of columns.
inline constexpr pg::Statement kRegisterRequirements{"publish_requirements",
                                                     "select oai.register_requirements($1::jsonb)"};

// Returns the problem of a set with $1 spec, $2 condition and $3 description; null: there is none.
inline constexpr pg::Statement kValidateRule{"publish_judge_rule",
                                             "select oai.judge_rule($1::text, $2::text, $3::text)"};
inline constexpr pg::Statement kLimitValidation{"publish_limit", "set statement_timeout = 5000"};
inline constexpr pg::Statement kEndValidation{"publish_no_limit", "reset statement_timeout"};

// $1: valid sets, as JSON; $2: valid views; $3: names of invalid files, of which nothing changes.
inline constexpr pg::Statement kRegisterSets{"publish_sets", R"(
    select oai.register_sets($1::jsonb, $3::text[]), oai.register_views($2::jsonb, $3::text[]))"};
// $1: the problems of files, by name. Returns the problems of sets in use.
inline constexpr pg::Statement kStoreProblems{"publish_set_problems", R"(
    with said as (select * from jsonb_each_text($1::jsonb) s(name, problem)),
    gone as (delete from oai.rule_problem p where not exists (select from said s where s.name = p.name)),
    noted as (insert into oai.rule_problem as p select * from said on conflict (name) do update
              set problem = excluded.problem where p.problem <> excluded.problem)
    select name, problem from oai.rule where problem is not null and name is not null
    union all select name, problem from oai.view where problem is not null order by name)"};

// Whether the model has an index for the search that follows publication
// (schema/models/search.sql), and can map existing tables (schema/library/follow.sql).
inline constexpr pg::Statement kAbilities{"publish_abilities", R"(
    select to_regproc('oai.index_search') is not null, to_regproc('oai.map_follow') is not null)"};

// $1 publications at most.
inline constexpr pg::Statement kIndexSearch{"publish_index",
                                            "select oai.index_search($1::integer)"};

// Brings the copy to what has changed in the tables -> whether there is more to look at, how many
// items are held, what is wrong.
inline constexpr pg::Statement kFollow{
    "publish_follow", "select more, held, coalesce(problems, '') from oai.map_follow()"};

inline constexpr pg::Statement kBackend{"publish_backend", "select pg_backend_pid()"};

// Waits at most 0.3 s for the lock that the item $1 or the set $2 waits for.
inline constexpr pg::Statement kWaitForBlocked{
    "publish_wait", "select oai.wait_for_blocked($1::bigint, $2::integer)"};

// Returns a description of the sessions that hold the locks for which the backend $1 waits; null:
// it does not wait. A prepared transaction has no backend.
inline constexpr pg::Statement kBlockers{"publish_blockers", R"(
    select string_agg(case when b.pid = 0 then 'a prepared transaction'
                               || coalesce((select ' of ' || string_agg(quote_literal(x.gid), ', ') from pg_prepared_xacts x
                                            where x.database = current_database()), '')
                           else concat_ws(' ', 'pid', b.pid, a.usename, nullif(a.application_name, '')) end, ', ')
    from (select distinct unnest(pg_blocking_pids($1::integer)) as pid) b left join pg_stat_activity a using (pid))"};

// Stores a description of the lock holder, $1, for servers; null: unknown.
inline constexpr pg::Statement kStoreBlocker{"publish_blocked_by",
                                             "update oai.walk set blocked_by = $1::text"};

// The same for a lock that blocks all publishing.
inline constexpr pg::Statement kShortLocks{"publish_short_locks", "set lock_timeout = '300ms'"};
inline constexpr pg::Statement kStoreBlockerOfAll{"publish_all_blocked_by", R"(
    update oai.walk set blocked_by = $1::text, blocked_since = coalesce(blocked_since, clock_timestamp()))"};

}  // namespace oai::publish_queries
