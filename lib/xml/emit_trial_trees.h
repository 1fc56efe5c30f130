// SPDX-License-Identifier: MIT
// Stored XML made up for the trial of a compiled stylesheet that copies it: what its paths select and what they pass over, with
// what namespaces, escaping and nesting go wrong on, now and then not plain (emit_copy.h). Private to emit_trial.cpp.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "xml/emit.h"

namespace oai::xml {

// What a stylesheet asks of one column of trees.
struct AskedOfTree {
    std::vector<const Expression*> paths{};
    Scope around{};  // what is in force at one or another of the copies
    std::vector<std::string> name_spaces{};  // of the record's own element, where that is copied
};

// Well-formed content of an element. `metadata_namespace`: of the record that it is for.
std::string made_up_tree(const AskedOfTree& asked, std::string_view metadata_namespace, std::mt19937& random);

}  // namespace oai::xml
