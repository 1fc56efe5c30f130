// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of items, named, once. All but the first four run within the
// transaction of a slice.
#pragma once

#include "pg/connection.h"
#include "tools/load/queries.h"

namespace oai::load::queries {

extern const pg::Statement kLibrary;  // -> one row: is the model library there?
extern const pg::Statement
    kItemStaging;  // makes the temporary table load_item, emptied by a commit
extern const pg::Statement kItemNumbered;  // -> one row: has the first numbering ended?
// $1, $2: text[] of kinds and of values of dc:language. Makes the sets of those that have none.
extern const pg::Statement kItemAddSets;

// To be run in this order, between kBegin, kOneLoader and kCommit (queries.h).
extern const pg::Statement kItemKnown;  // $1: local_ids -> local_id, id of those that are items
// COPY of local_id, datestamp, deleted, collection_ids in ascending order, all_collections,
// content, all_payloads.
extern const pg::Statement kItemCopyNew;
extern const pg::Statement kItemCopyKnown;  // the same, then id, fresh (f)
extern const pg::Statement kItemAnalyze;    // so that plans know how much was staged

// For fresh items, those that have no id yet.
extern const pg::Statement kItemInsert;  // -> one row: how many
// For the administrator, as kSetSequence.
inline constexpr char kItemSetSequence[] =
    "select setval('library.item_id_seq', (select max(id) from library.item))";
extern const pg::Statement kItemRematch;  // matches items again that other programs have inserted
extern const NameTable kItemCollections;  // ids of collections' names
extern const pg::Statement kItemFile;     // files them in their collections

// For the others.
extern const pg::Statement kItemUpdate;  // updates the content of those that differ
// Files them in their collections, and removes them from others where all_collections is set.
extern const pg::Statement kItemRefile;
extern const pg::Statement kItemDelete;  // deletes those that the file calls deleted
extern const pg::Statement kItemCount;   // -> one row: updated, left deleted

// schema/library/loading.sql: for a slice of fresh items that publishes itself, instead of all
// the above between kItemAnalyze and kCommit.
extern const pg::Statement kItemPrepare;  // -> one row: how many items are new
extern const pg::Statement kItemPublish;  // -> one row: turn, null once published; milliseconds

// schema/library/fill.sql, in a transaction of their own.
extern const pg::Statement
    kItemFillBegin;  // -> datestamp in seconds, null: not empty; the first id of an item
extern const pg::Statement kItemFillKind;       // $1: kind -> its set, made if need be
extern const pg::Statement kItemFillLanguages;  // $1: text[] of dc:language -> sets, the same
extern const pg::Statement kItemFillSets;       // $1: int[] -> id, path
// COPY of id, seq, datestamp, sets, set of the kind, sets of languages, local_id, content.
extern const pg::Statement kItemFillCopy;
extern const pg::Statement kItemFillFile;    // COPY of id, collection
extern const pg::Statement kItemFillChunks;  // COPY of set, first number, differences
// $1 items, $2 the first id, $3 datestamp in seconds, $4 sets, $5 their sizes.
extern const pg::Statement kItemFillEnd;

}  // namespace oai::load::queries
