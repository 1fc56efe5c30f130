// SPDX-License-Identifier: MIT
#include "tools/aggregate/normaliser.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "xml/document.h"
#include "xml/serialiser.h"

namespace oai::aggregate {
namespace {

// For one stylesheet over one record, which usually takes some 0.1 ms.
constexpr std::chrono::milliseconds kTimeout{1000};
constexpr const char* kDublinCore = "http://www.openarchives.org/OAI/2.0/oai_dc/";

std::string text_of(const xmlDoc* document) {
    std::string out;
    xml::append_node(out, xmlDocGetRootElement(document));
    return out;
}

bool is_oai_dc(const xmlDoc* document) {
    return xmlDocGetRootElement(document) != nullptr &&
           xml::root_namespace(document) == kDublinCore;
}

}  // namespace

Normaliser::Normaliser(const std::string& directory, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto known = names_in(directory);
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw std::runtime_error(directory + ": there is no " + name +
                                     ".xsl to normalise with");
        stylesheets_.push_back(transform::Stylesheet::compile(directory + "/" + name + ".xsl"));
    }
}

Normaliser::NormalisedRecord Normaliser::normalise(xml::DocumentHandle oai_dc) const {
    if (stylesheets_.empty()) return {std::move(oai_dc), false};
    const std::string before = text_of(oai_dc.get());
    for (const transform::Stylesheet& stylesheet : stylesheets_) {
        oai_dc = stylesheet.apply(oai_dc.get(), kTimeout);
        if (!is_oai_dc(oai_dc.get()))
            throw xml::Error(stylesheet.path() + ": makes something else than oai_dc");
    }
    const bool altered = text_of(oai_dc.get()) != before;
    return {std::move(oai_dc), altered};
}

std::vector<std::string> Normaliser::names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (entry.path().extension() == ".xsl") names.push_back(entry.path().stem().string());
    if (error) throw std::runtime_error(directory + ": " + error.message());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace oai::aggregate
