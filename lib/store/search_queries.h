// SPDX-License-Identifier: MIT
// The statements of the search (schema/021-search.sql). Each runs in a transaction of its own
// between kSearchBegin with kSearchLimit and kSearchEnd.
#pragma once

#include "pg/connection.h"

namespace oai::queries {

inline constexpr pg::Statement kSearchBegin{"search_begin", "begin read only", true};
inline constexpr pg::Statement kSearchLimit{"search_limit", "set local statement_timeout = 300",
                                            true};
inline constexpr pg::Statement kSearchEnd{"search_end", "commit", true};

// Which kinds of search the model offers: by words, by URL.
inline constexpr pg::Statement kSearchOffers{"search_offers", R"(
    select to_regproc('oai.search') is not null, to_regproc('oai.captures') is not null)"};

// $1 words, $2 filters, $3 after, $4 rows, $5 newest only.
inline constexpr pg::Statement kSearchWords{"search_words", R"(
    select part, value, label, number, title, creator, date, address
    from oai.search($1::text, $2::text[], $3::text, $4::int, $5::boolean))",
                                            true};

// $1 first key, $2 key before which they end, $3 key, $4 moment and $5 id of the one before, $6
// since and $7 until in seconds since 1970, $8 rows, $9 how many to look at.
inline constexpr pg::Statement kCaptures{"captures", R"(
    select urlkey, moment, id, local_id, captured_at, url, media_type, status, digest, length, file, file_offset, shown, final
    from oai.captures($1::text, $2::text, $3::text, $4::bigint, $5::bigint, to_timestamp($6::bigint),
                      to_timestamp($7::bigint) + interval '999999 microseconds', $8::int, $9::int))",
                                         true};

// $1 key, $2 moment and $3 id of the one before, $4 since, $5 until, $6 rows, $7 how many to look
// at.
inline constexpr pg::Statement kCapturesOf{"captures_of", R"(
    select urlkey, moment, id, local_id, captured_at, url, media_type, status, digest, length, file, file_offset, shown, final
    from oai.captures_of($1::text, $2::bigint, $3::bigint, to_timestamp($4::bigint),
                         to_timestamp($5::bigint) + interval '999999 microseconds', $6::int, $7::int))",
                                           true};

// $1 key, $2 how many to look at.
inline constexpr pg::Statement kCaptureCalendar{"capture_calendar", R"(
    select extract(year from month)::int, extract(month from month)::int, captures, scanned
    from oai.capture_calendar($1::text, $2::int))",
                                                true};

// $1 first key, $2 key before which they end, $3 the one before, $4 rows, $5 captures of each.
inline constexpr pg::Statement kCapturedUrls{"captured_urls", R"(
    select urlkey, url, latest, captures, scanned
    from oai.captured_urls($1::text, $2::text, $3::text, $4::int, $5::int))",
                                             true};

// $1 how the name begins, $2 the spec before, $3 rows.
inline constexpr pg::Statement kCaptureHosts{"capture_hosts", R"(
    select spec, name, records from oai.capture_hosts($1::text, $2::text, $3::int))",
                                             true};

// $1 how the label begins, $2 rows.
inline constexpr pg::Statement kHostsNamed{"hosts_named", R"(
    select spec, name, records from oai.hosts_named($1::text, $2::int))",
                                           true};

}  // namespace oai::queries
