// SPDX-License-Identifier: MIT
// Tries a stylesheet on records of the repository before it goes into service. Distinguishes faults
// of the stylesheet from failures of single records, which the setting on_bad_record handles. The
// trial runs in a process that can be killed (trial_process.h). The server compiles the file again,
// since libxslt's compiled form is a graph of pointers that no other process can receive.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "format/format.h"
#include "format/trial_process.h"
#include "store/store.h"
#include "xml/schema.h"

namespace oai {

// Runs the format over a record without columns, unless it reads something else than the internal
// XML. Throws Fault if it fails or yields an element of another namespace. XPath functions cannot
// be interrupted, so the server calls this in a process of its own. Thread-safe.
void run_format_once(const Format& format);

// compile_format_file(), then run_format_once().
std::shared_ptr<const Format> read_format_file(const std::string& path,
                                               const std::string& catalog = "");

// Loads every format file of the directory. Throws Fault with a line "file:line: message" for each
// fault. catalog: as for compile_format_file().
FormatRegistry read_formats(const std::string& directory, const std::string& catalog = "");

// Returns about `records` records from the beginning, the end and places between, so that records
// loaded at different times are among them. Empty if nothing is published. The batches must not
// outlive the store. Throws as Store::list does.
std::vector<RecordBatch> sample_records(Store& store, int records);

// Disseminates each sample record once. The output of a compiled program is compared with that of
// libxslt for all of them (format.h); after a difference, which is no fault of the stylesheet,
// libxslt is used. Faults: a root element in another namespace, more than one root element, or text
// beside it; no xsi:schemaLocation for the namespace; a document that its schema does not validate;
// no record that can be disseminated. before_batch may be empty. Not limited in time, see
// trial_process.h. Throws Fault if oai.record breaks its contract.
Trial try_format(const Format& format, const std::vector<RecordBatch>& samples,
                 xml::SchemaFolder& schemas, std::string_view identifier_prefix,
                 bool compiled = true,
                 const std::function<void(const RecordBatch&)>& before_batch = {},
                 const TransformContext& surroundings = {});

// The main function of a trial process: compiles the file and tries it on about `samples` records;
// with 0, only on one without columns. Limits its own memory and processor time.
[[noreturn]] void answer_trial(const Config& config, const std::string& path, int samples);

}  // namespace oai
