// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of items, named, once. All but the first two run within the transaction of a slice.
#pragma once

#include "pg/connection.h"

namespace oai::load::queries {

extern const pg::Statement kLibrary;         // -> one row: is model library there?
extern const pg::Statement kItemStaging;     // the temporary table load_item, emptied by every commit

// In this order, between kBegin, kOneLoader and kCommit (queries.h).
extern const pg::Statement kItemCopy;        // local_id, datestamp, deleted, collections, all_collections, then the content
extern const pg::Statement kItemAnalyze;     // so that plans know how much was staged
extern const pg::Statement kItemMatch;       // load_item.id: the item of that local_id
extern const pg::Statement kItemInsert;      // the others
extern const pg::Statement kItemUpdate;      // what is different
extern const pg::Statement kItemDelete;      // what is said to be deleted
extern const pg::Statement kItemCollections; // makes those that are missing
extern const pg::Statement kItemUnfile;      // from collections that all_collections leaves out
extern const pg::Statement kItemFile;
extern const pg::Statement kItemCount;       // -> one row: inserted, updated, left (deleted here)

}  // namespace oai::load::queries
