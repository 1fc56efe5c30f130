// SPDX-License-Identifier: MIT
// A dump: all that a harvest of ListRecords gives, as files that a web server hands out, and its
// differences by publication number since. It is written from the answers of the verb itself, so
// that it holds what harvesters get, and nothing else. deploy/manual/dump.md describes its files.
//
//   DIR/manifest.json                what there is, and from where a harvest goes on
//   DIR/SHA256SUMS                   the same files for sha256sum -c
//   DIR/PREFIX-MOMENT-N.xml.gz       a ListRecords document; members of gzip: its head, pages of
//                                    whole records, its end
//   DIR/PREFIX-MOMENT-N.jsonl.gz     the same records, one JSON object a line
//   DIR/.PREFIX.progress             of a part that is being written, or was when it was killed
//
// A part covers the numbers behind `from` up to `to`: a whole dump, from 0, or what changed since
// the part before. As in a list, a record that changes meanwhile comes once more; the later one
// counts. So the parts of a list, one after the other, are the state of the repository at its
// horizon, and a harvest from its responseDate misses nothing.
#pragma once

#include <sodium.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"

namespace oai {
struct Context;
class FormatRegistry;
}  // namespace oai

namespace oai::dump {

inline constexpr int kVersion = 1;  // of the manifest

struct DumpOptions {
    std::string directory;
    std::vector<std::string> prefixes;  // empty: those that the directory has, or oai_dc
    std::vector<std::string> forms;     // "xml", "jsonl"; empty: those that it has, or xml
    bool whole = false;                 // whatever could be a difference
    std::int64_t file_bytes = std::int64_t{256} << 20;  // a file ends behind the page that is there
    int days = 7;  // how long files stay that the manifest has no more
};

class Checksum {  // SHA-256
  public:
    Checksum() { crypto_hash_sha256_init(&state_); }
    void add(std::string_view bytes);
    std::string hex();  // once

  private:
    crypto_hash_sha256_state state_;
};
// Of all stylesheets, as their files are now. Throws std::runtime_error.
std::string checksum_of_files(const FormatRegistry& formats);

// Brings the directory up to date and returns a line for each list. One that was killed goes on
// where it was, behind the last file that was whole; until it ends, the manifest is the one before.
// REQUIRES: the pages of the context's repository are as long as the members shall be, and the
// files of its formats are those that were loaded, for the manifest has their checksum. Throws
// std::runtime_error if the directory cannot be written or another dump is writing it, Fault as the
// verb, and what the verb throws.
std::vector<std::string> update(const Context& context, const DumpOptions& options);

// What stands in a manifest of one list.
struct DumpFile {
    std::string name, form, sha256;
    std::int64_t records = 0, deleted = 0, bytes = 0;
};
struct DumpList {
    std::string prefix, base_url, response_date;
    std::int64_t records = 0;
    std::vector<DumpFile> files;  // in the order of their numbers
};
// Throws std::runtime_error if it is none, of another version, or its chain of numbers has a gap.
std::vector<DumpList> read_manifest(const std::string& json);

// Begins a harvest by a dump: of each format that the sink has no complete harvest of, it takes the
// records as those of a harvest that ended at the dump's horizon, from where the next one goes on.
// place: the directory of the dump, or its address at a web server, from where each file is fetched
// before it is read; all are compared with their checksums. REQUIRES: the sink knows the identity,
// and what else its lists need. Returns the number of records. Throws std::runtime_error if the
// dump is another repository's, has no such format, or is not whole.
std::int64_t begin_harvest(const std::string& place, const http::ClientOptions& client,
                           const harvest::RepositoryIdentity& identity,
                           const std::vector<std::string>& prefixes, harvest::Sink& sink,
                           harvest::HarvestListener& listener);

// "" or what is wrong with the file, whose content must be what the manifest says.
std::string fault_of(const std::string& path, const DumpFile& file);

}  // namespace oai::dump
