// SPDX-License-Identifier: MIT
// Every SQL statement of the loader, named, once. All but the first three run within the transaction of a slice.
#pragma once

#include "pg/connection.h"

namespace oai::load::queries {

extern const pg::Statement kModel;      // -> one row: is model webarchiv there?
extern const pg::Statement kSession;    // settings
extern const pg::Statement kStaging;    // the temporary table load_capture, emptied by every commit

extern const pg::Statement kBegin, kCommit;
extern const pg::Statement kOneLoader;  // waits until no other loader is within a slice
extern const pg::Statement kBegun;      // -> one row: has the first numbering begun?

// $1: text[] of names. find -> (name, id); add: makes those that are missing, with their ancestors.
struct NameTable {
    pg::Statement find, add;
};
extern const NameTable kArcs, kDomains, kMimetypes, kCollections;

extern const pg::Statement kCopy;       // url, surt, time, status, digest, length, offset, arc, domain, mimetype
extern const pg::Statement kAnalyze;    // so that plans know how much was staged
extern const pg::Statement kMatch;      // load_capture.id: the doc that is the same capture; affected(): how many are known
extern const pg::Statement kFill;       // what such a doc lacks
extern const pg::Statement kInsert;     // $1: bring the capture's time as datestamp?  affected(): rows
extern const pg::Statement kRematch;    // after kInsert met rows of other programs -> none
extern const pg::Statement kFile;       // $1: int[] of collections
extern const pg::Statement kCount;      // -> one row: inserted, updated

}  // namespace oai::load::queries
