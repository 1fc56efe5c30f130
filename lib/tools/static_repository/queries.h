// SPDX-License-Identifier: MIT
// Every statement of SourceState (schema/harvest/tables.sql),
// named, once.
#pragma once

#include "pg/connection.h"

namespace oai::static_repository::queries {

inline constexpr pg::Statement kIsThere{"static_is_there",
                                        "select to_regclass('harvest.format') is not null"};
// One program at a time; held as long as the connection.
inline constexpr pg::Statement kLock{
    "static_lock", "select pg_try_advisory_lock(hashtextextended('oai import-static', 0))"};
// -> Intermediation's members, in order
inline constexpr pg::Statement kRead{"static_read", R"sql(
    select url, base_url, collection, admin_emails, keep, coalesce(etag, ''), coalesce(last_modified, ''),
           coalesce(to_char(taken_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
           coalesce(to_char(failing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')
    from harvest.static_repository)sql"};
// $1 url, $2 base URL, $3 collection, $4 mail addresses, $5 keep
inline constexpr pg::Statement kBegin{"static_begin", R"sql(
    insert into harvest.static_repository (url, base_url, collection, admin_emails, keep)
    values ($1::text, $2::text, $3::text, $4::text[], $5::boolean)
    on conflict (one) do update
    set url = excluded.url, base_url = excluded.base_url, collection = excluded.collection,
        admin_emails = excluded.admin_emails, keep = excluded.keep, etag = null, last_modified = null)sql"};
// $1 local_ids
inline constexpr pg::Statement kNoteItems{"static_note_items", R"sql(
    insert into harvest.static_item (local_id) select u from unnest($1::text[]) u on conflict do nothing)sql"};
// $1 prefixes, $2 schemas, $3 namespaces: all formats that there are
inline constexpr pg::Statement kNoteFormats{"static_note_formats", R"sql(
    with given as (select * from unnest($1::text[], $2::text[], $3::text[]) u(prefix, schema, name_space)),
         gone as (delete from harvest.format f
                  where not exists (select from given g where g.prefix = f.prefix)
                        and not exists (select from harvest.repository r where f.prefix = any (r.formats)))
    insert into harvest.format (prefix, schema, name_space) select * from given
    on conflict (prefix) do update set schema = excluded.schema, name_space = excluded.name_space)sql"};
// $1 prefix -> StaticFormat's members, in order
inline constexpr pg::Statement kFormat{
    "static_format",
    "select prefix, schema, name_space from harvest.format where prefix = $1::text"};
// $1 local_ids that stay -> the others
inline constexpr pg::Statement kGoneItems{"static_gone_items", R"sql(
    select i.local_id from harvest.static_item i
    where not exists (select from unnest($1::text[]) u(local_id) where u.local_id = i.local_id) order by 1)sql"};
inline constexpr pg::Statement kForgetItems{
    "static_forget_items", "delete from harvest.static_item where local_id = any ($1::text[])"};
// $1 ETag, $2 Last-Modified; '' where the server gave none
inline constexpr pg::Statement kTaken{"static_taken", R"sql(
    update harvest.static_repository
    set etag = nullif($1::text, ''), last_modified = nullif($2::text, ''), taken_at = now(), asked_at = now(),
        failing_since = null, problem = null)sql"};
inline constexpr pg::Statement kUnchanged{"static_unchanged", R"sql(
    update harvest.static_repository set asked_at = now(), failing_since = null, problem = null)sql"};
// $1 why
inline constexpr pg::Statement kFailed{"static_failed", R"sql(
    update harvest.static_repository set failing_since = coalesce(failing_since, now()), problem = $1::text)sql"};
inline constexpr pg::Statement kEnd{"static_end", R"sql(
    with formats as (
        delete from harvest.format f
        where not exists (select from harvest.repository r where f.prefix = any (r.formats)))
    delete from harvest.static_repository)sql"};
// $1: text[] of local_ids -> how many were marked
inline constexpr pg::Statement kDelete{"static_delete", R"sql(
    select count(*) filter (where changed) from oai.change_deleted($1::text[], true))sql"};

}  // namespace oai::static_repository::queries
