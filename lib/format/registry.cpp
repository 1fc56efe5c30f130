// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/file.h"
#include "format/format.h"
#include "protocol/error.h"

namespace oai {
namespace {

// Returns a line for every name of the format that one of `formats` already has.
std::string taken_names(const std::vector<std::shared_ptr<const Format>>& formats,
                        const Format& format) {
    std::string problems;
    for (const auto& other : formats) {
        if (const std::string* name = name_in_common(format, *other)) {
            problems += fmt::format("{}:{}: {} is taken by {}\n", format.stylesheet.path(),
                                    format.line, *name, other->stylesheet.path());
        }
    }
    return problems;
}

}  // namespace

bool is_named(const Format& format, std::string_view name) {
    return format.prefix == name ||
           std::find(format.aliases.begin(), format.aliases.end(), name) != format.aliases.end();
}

const std::string* name_in_common(const Format& a, const Format& b) {
    if (is_named(b, a.prefix)) {
        return &a.prefix;
    }
    const auto alias = std::find_if(a.aliases.begin(), a.aliases.end(),
                                    [&](const auto& n) { return is_named(b, n); });
    return alias == a.aliases.end() ? nullptr : &*alias;
}

FormatRegistry::FormatRegistry(std::vector<std::shared_ptr<const Format>> formats)
    : formats_(std::move(formats)) {
    std::sort(formats_.begin(), formats_.end(), [](const auto& a, const auto& b) {
        return std::pair(a->prefix != "oai_dc", a->prefix) <
               std::pair(b->prefix != "oai_dc", b->prefix);
    });
    const auto abouts = std::stable_partition(formats_.begin(), formats_.end(),
                                              [](const auto& f) { return !f->is_about; });
    abouts_.assign(abouts, formats_.end());
    formats_.erase(abouts, formats_.end());
}

std::vector<const Format*> FormatRegistry::abouts_of(const Format& format) const {
    std::vector<const Format*> out;
    for (const auto& about : abouts_) {
        const auto& names = about->goes_with;
        if (names.empty() || std::any_of(names.begin(), names.end(),
                                         [&](const auto& n) { return is_named(format, n); })) {
            out.push_back(about.get());
        }
    }
    return out;
}

FormatRegistry FormatRegistry::read(const std::string& directory) {
    std::vector<std::shared_ptr<const Format>> formats;
    std::string problems;
    for (const std::string& path : format_files_of(directory)) {
        try {
            auto format = read_format_file(path);
            if (const std::string wrong = wrong_place(directory, *format); !wrong.empty())
                throw Fault(wrong);
            problems += taken_names(formats, *format);
            formats.push_back(std::move(format));
        } catch (const Fault& e) {
            problems += fmt::format("{}\n", e.what());
        }
    }
    FormatRegistry registry(std::move(formats));
    if (problems.empty() && registry.find("oai_dc") == nullptr) {
        problems =
            fmt::format("{}: no format with the prefix oai_dc, which OAI-PMH demands\n", directory);
    }
    if (!problems.empty()) {
        problems.pop_back();
        throw Fault(problems);
    }
    return registry;
}

const Format* FormatRegistry::find(std::string_view name) const {
    const auto found = std::find_if(formats_.begin(), formats_.end(),
                                    [&](const auto& f) { return is_named(*f, name); });
    return found == formats_.end() ? nullptr : found->get();
}

}  // namespace oai
