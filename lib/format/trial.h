// SPDX-License-Identifier: MIT
// Tries a stylesheet on records of the repository before it goes into service. Distinguishes faults
// of the stylesheet from failures of single records, which the setting on_bad_record deals with.
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
// XML. Throws Fault if it fails or yields an element of another namespace. A function of XPath that
// takes hours cannot be interrupted: the server leaves this to trial_process.h. Thread-safe.
void run_format_once(const Format& format);

// Compiles the file and runs it once.
std::shared_ptr<const Format> read_format_file(const std::string& path,
                                               const std::string& catalog = "");

// Loads every format file of the directory. Throws Fault with a line "file:line: message" for every
// fault (watch.h). catalog: see compile_format_file() in file.h.
FormatRegistry read_formats(const std::string& directory, const std::string& catalog = "");

// Returns about `records` records from the beginning, the end and places between, so that records
// loaded at different times are among them. Empty if nothing is published. The batches must not
// outlive the store. Throws as Store::list does.
std::vector<RecordBatch> sample_records(Store& store, int records);

// A compiled format is compared with libxslt on all records (format.h); a difference is no
// fault of the stylesheet, but libxslt is used from then on. Each record is
// disseminated once. Faults: a root element in another namespace, more than one, text beside it; no
// xsi:schemaLocation for the namespace; a document that is not valid by its schema; no record that
// can be disseminated. before_batch may be empty. Has no limit of time: trial_process.h. Throws
// Fault if oai.record breaks its contract.
Trial try_format(const Format& format, const std::vector<RecordBatch>& samples,
                 xml::SchemaFolder& schemas, std::string_view identifier_prefix,
                 bool compiled = true,
                 const std::function<void(const RecordBatch&)>& before_batch = {},
                 const TransformContext& surroundings = {});

// What a process of format/trial_process.h does: reads the file and tries it over about so many
// records; with 0, only over one without columns. Limits its own memory and processor time.
[[noreturn]] void answer_trial(const Config& config, const std::string& path, int samples);

}  // namespace oai
