// SPDX-License-Identifier: MIT
// What a stylesheet makes of the repository's own records, tried before harvesters meet it. What is wrong with the
// stylesheet is told apart from what is wrong with single records: those are left to on_bad_record.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "format.h"
#include "store.h"
#include "xml/schema.h"

namespace oai {

// About `records` records from the beginning, the end and places between, so that what was loaded at different times
// is among them. Empty where nothing is published. The slices live as long as the store. Throws as Store::list.
std::vector<Slice> sample_records(Store& store, int records);

struct Trial {
    int records = 0;             // that the format has: neither deleted nor without its column
    int failed = 0;              // of these, could not be disseminated
    std::string first_failure;   // "identifier: why"
    std::vector<std::string> faults;     // "file:line: what is wrong with the stylesheet", each kind once
    std::chrono::nanoseconds spent{};    // disseminating all of them
    std::string schema_file;     // every document was validated by; "" none at hand
    std::string schema_problem;  // "file:line: message" why the one at hand is of no use
};

// Faults: a root element in another namespace, more than one, text beside it; no xsi:schemaLocation for the namespace;
// a document that its schema refuses; not one record that can be disseminated. Throws Fault where oai.record does not
// keep its contract.
Trial try_format(const Format& format, const std::vector<Slice>& samples, xml::SchemaFolder& schemas,
                 std::string_view identifier_prefix, CompiledOptions options = {});

}  // namespace oai
