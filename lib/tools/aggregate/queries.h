// SPDX-License-Identifier: MIT
// Every statement of the aggregator (schema/204-library-harvest.sql), named, once. Those of a batch
// run in its transaction, behind load::queries::kOneLoader.
#pragma once

#include "pg/connection.h"

namespace oai::aggregate::queries {

// Harvested repositories.
extern const pg::Statement kSession;       // settings of the connection
extern const pg::Statement kModel;         // -> one row: are the model's tables for it there?
extern const pg::Statement kSources;       // $1 names, null: all -> Source's columns, in order
extern const pg::Statement kAddSource;     // $1 name ... (see the text) -> id
extern const pg::Statement kChangeSource;  // $1 repository, $2 ... (see the text)
extern const pg::Statement kKeepFormat;    // $1 prefix -> column
extern const pg::Statement kStatus;        // $1 name, null: all -> see sources.cpp
extern const pg::Statement kLists;         // $1 repository -> see sources.cpp
extern const pg::Statement kCountRecords;  // $1 repository -> number of items that are not deleted
// $1 repository: marks its items as deleted; affected(): how many.
extern const pg::Statement kDeleteRecords;
extern const pg::Statement kRemoveSource;  // $1 repository
// $1 repository, $2 outcome, $3 problem or null, $4 how many seconds it took, $5 was it refused?,
// $6 what came and was not asked for, or null, $7 was all of it harvested?, $8 and what is missing
// there deleted here?, $9 signs of a setback, or null.
extern const pg::Statement kNoteRun;
extern const pg::Statement kForgetLostSets;  // $1 repository: those that no record here is in
// $1 repository, $2 prefix -> identifier, datestamp; or no row
extern const pg::Statement kNewestRecord;
extern const pg::Statement kKeepAbouts;  // $1 prefix
extern const pg::Statement kKeptAbouts;  // -> the prefixes for which it has been called
extern const pg::Statement kColumnOf;    // $1 prefix -> column
extern const pg::Statement kSample;      // $1 prefix -> one payload kept in that format, or null
extern const pg::Statement kFindDuplicates;  // searches all items for duplicates
extern const pg::Statement kDuplicates;      // -> reason, value, first, other

// What a walk brings.
extern const pg::Statement kIdentity;      // $1 repository, $2 ... Identify -> granularity before
extern const pg::Statement kSets;          // $1 repository, $2 specs, $3 names: all of its sets
extern const pg::Statement kNoteLostSets;  // $1 repository, $2 specs: all others are not there
// $1 repository, $2 prefix, $3 setSpec -> Position's columns and the walk; no row if the last walk
// has ended, or is better begun again.
extern const pg::Statement kUnfinished;
// $1 repository, $2 prefix, $3 setSpec -> responseDate of the last complete harvest; or no row.
extern const pg::Statement kLastComplete;
extern const pg::Statement kNewWalk;  // -> the number of a new walk
// $1 repository, $2 prefix, $3 setSpec, $4 walk, $5 is it still going on?, $6 ... Position,
// $15 identifier and $16 datestamp of the newest record.
extern const pg::Statement kPosition;
extern const pg::Statement kSetComplete;  // $1 repository, $2 prefix, $3 setSpec, $4 responseDate

// A batch. Arrays have an element for each of its records, in the same order.
// $1 repository -> a row if it is there; it cannot be removed before the end of the transaction.
extern const pg::Statement kLockSource;
// $1 repository, $2 prefix, $3 local_ids -> of those that are items: local_id, is it this
// repository's?, is it another one's?, is it deleted here alone?
extern const pg::Statement kIdentifierUses;
// $1 repository, $2 its name, $3 its title, $4 collections: adds those that are missing.
extern const pg::Statement kTitles;
// $1 repository, $2 prefix, $3 walk, $4 does the walk find missing records?, $5 local_ids,
// $6 identifiers, $7 datestamps, $8 deleted.
extern const pg::Statement kRecords;
// $1 repository, $2 prefix, $3 walk, $4 local_ids: notes that the walk has met these.
extern const pg::Statement kMarkMet;
extern const pg::Statement kUnknownItems;  // $1 local_ids -> those that are no items
// $1 prefix, $2 local_ids, $3 payloads, $4 namespaces, $5 origins -> how many were changed.
extern const pg::Statement kKeep;
// $1 prefix, $2 local_ids, $3 what they say in <about> -> how many were changed.
extern const pg::Statement kWriteAbouts;
// $1 repository, $2 prefix, $3 walk: deletes what the walk has not met; affected(): how many.
extern const pg::Statement kMissing;

}  // namespace oai::aggregate::queries
