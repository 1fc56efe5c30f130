// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of captures, named, once, and those that all loaders share. All
// but the first three run within the transaction of a slice.
#pragma once

#include "pg/connection.h"

namespace oai::load::queries {

extern const pg::Statement kModel;    // -> one row: is the model webarchiv there?
extern const pg::Statement kSession;  // settings of the connection; shared
extern const pg::Statement kStaging;  // makes the temporary table load_capture, emptied by a commit

extern const pg::Statement kBegin, kCommit;  // shared
extern const pg::Statement kOneLoader;  // shared; waits until no other loader is within a slice
extern const pg::Statement kLoaders;    // waits until no loader is within a slice of kOneLoader
extern const pg::Statement kBegun;      // -> one row: has the first numbering begun?

// $1: text[] of names. find -> name, id; add inserts those that are missing, with their ancestors.
struct NameTable {
    pg::Statement find, add;
};
extern const NameTable kArcs, kDomains, kMimetypes, kCollections;

// COPY of url, surt, time, status, digest, length, offset, arc, domain, mimetype, title, language,
// description.
extern const pg::Statement kCopy;
extern const pg::Statement kAnalyze;  // so that plans know how much was staged
// Sets load_capture.id to the doc that is the same capture; affected(): how many there are.
extern const pg::Statement kMatch;
extern const pg::Statement kFill;  // fills in what such docs lack
// $1: does the capture's time become the datestamp? affected(): rows.
extern const pg::Statement kInsert;
// Matches rows again that other programs have inserted. -> one row: how many have the id of another
// capture, and were not inserted for that reason.
extern const pg::Statement kRematch;
// For the administrator: ids then go on behind those that there are.
inline constexpr char kSetSequence[] =
    "select setval('webarchiv.doc_id_seq', (select max(id) from webarchiv.doc))";
// $1: int[] of collections, to file the docs in; $2: only those that are not new?
extern const pg::Statement kFile;
extern const pg::Statement kCount;  // -> one row: inserted, updated

// schema/106-webarchiv-loading.sql. $1: int[] of collections.
extern const pg::Statement kPrepare;  // -> one row: how many docs are new
extern const pg::Statement kPublish;  // -> one row: turn, null once published; milliseconds

}  // namespace oai::load::queries
