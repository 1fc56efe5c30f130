// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of items, named, once. All but the first two run within the transaction of a slice.
#pragma once

#include "load/queries.h"
#include "pg/connection.h"

namespace oai::load::queries {

extern const pg::Statement kLibrary;         // -> one row: is model library there?
extern const pg::Statement kItemStaging;     // the temporary table load_item, emptied by every commit

// In this order, between kBegin, kOneLoader and kCommit (queries.h).
extern const pg::Statement kItemKnown;       // $1: local_ids -> local_id, id of those that are items
extern const pg::Statement kItemCopyNew;     // local_id, datestamp, deleted, collection_ids in order, all_collections, then the content
extern const pg::Statement kItemCopyKnown;   // and id, fresh (f)
extern const pg::Statement kItemAnalyze;     // so that plans know how much was staged
extern const pg::Statement kItemInsert;      // what is fresh; affected(): rows
extern const pg::Statement kItemRematch;     // after kItemInsert met rows of other programs
extern const NameTable kItemCollections;     // ids of names
extern const pg::Statement kItemFile;        // what is fresh

// The others.
extern const pg::Statement kItemUpdate;      // what is different
extern const pg::Statement kItemRefile;      // in collections, and out of those that all_collections leaves out
extern const pg::Statement kItemDelete;      // what is said to be deleted
extern const pg::Statement kItemCount;       // -> one row: updated, left (deleted here)

}  // namespace oai::load::queries
