// SPDX-License-Identifier: MIT
// Every statement of the aggregator (schema/204-library-harvest.sql), named, once. Those of a batch run in its transaction,
// behind load::queries::kOneLoader.
#pragma once

#include "pg/connection.h"

namespace oai::aggregate::queries {

// Harvested repositories.
extern const pg::Statement kSession;       // settings
extern const pg::Statement kIsThere;       // -> one row: has the model its tables for it?
extern const pg::Statement kSources;       // $1 names, null: all -> Source's columns, in order
extern const pg::Statement kAddSource;     // $1 name ... (see the text) -> id
extern const pg::Statement kKeepFormat;    // $1 prefix -> column
extern const pg::Statement kStatus;        // $1 name, null: all -> see sources.cpp
extern const pg::Statement kLists;         // $1 repository -> see sources.cpp
extern const pg::Statement kCountRecords;  // $1 repository -> items that are not deleted
extern const pg::Statement kDeleteRecords; // $1 repository: marks its items as deleted; affected()
extern const pg::Statement kRemoveSource;  // $1 repository
extern const pg::Statement kRan;           // $1 repository, $2 outcome, $3 problem or null
extern const pg::Statement kSample;        // $1 prefix -> one payload kept in that format, or null
extern const pg::Statement kFindDuplicates;  // -> links
extern const pg::Statement kDuplicates;      // -> reason, value, first, other

// What a walk brings.
extern const pg::Statement kIdentity;      // $1 repository, $2 ... what Identify said
extern const pg::Statement kSets;          // $1 repository, $2 specs, $3 names: all that there are
extern const pg::Statement kForgetSets;    // $1 repository, $2 specs: those that are no more
extern const pg::Statement kUnfinished;    // $1 repository, $2 prefix, $3 setSpec -> Position's columns, walk; or no row
extern const pg::Statement kComplete;      // $1 repository, $2 prefix, $3 setSpec -> complete; or no row
extern const pg::Statement kNewWalk;       // -> number
extern const pg::Statement kPosition;      // $1 repository, $2 prefix, $3 setSpec, $4 walk, $5 walking, $6 ... Position
extern const pg::Statement kCompleted;     // $1 repository, $2 prefix, $3 setSpec, $4 responseDate

// A batch. Arrays are of its records, in one order.
extern const pg::Statement kHold;          // $1 repository, which then stays until the end of the transaction -> a row if it is there
extern const pg::Statement kKnown;         // $1 repository, $2 prefix, $3 local_ids -> local_id, ours, others, deleted here
extern const pg::Statement kTitles;        // $1 repository, $2 its name, $3 its title, $4 collections: makes those that are missing
extern const pg::Statement kRecords;       // $1 repository, $2 prefix, $3 walk, $4 does it tell what is missing?, $5 local_ids, $6 identifiers,
                                           // $7 datestamps, $8 deleted
extern const pg::Statement kMet;           // $1 repository, $2 prefix, $3 walk, $4 local_ids: the walk has met them
extern const pg::Statement kStrangers;     // $1 local_ids -> those that are no item
extern const pg::Statement kKeep;          // $1 prefix, $2 local_ids, $3 payloads, $4 namespaces, $5 origins -> changed
extern const pg::Statement kMissing;       // $1 repository, $2 prefix, $3 walk: deletes what the walk has not met; affected()

}  // namespace oai::aggregate::queries
