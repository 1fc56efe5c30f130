// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/directory.h"
#include "format/file.h"
#include "format/format.h"
#include "protocol/error.h"

namespace oai {
std::vector<std::string> Format::files() const {
    std::vector<std::string> all{path};
    const auto add = [&](const transform::Stylesheet& made_from) {
        for (std::string& file : made_from.files())
            if (std::find(all.begin(), all.end(), file) == all.end())
                all.push_back(std::move(file));
    };
    add(stylesheet);
    if (input && input->adapter) add(*input->adapter);
    return all;
}

bool is_named(const FormatDescription& format, std::string_view name) {
    return format.prefix == name ||
           std::find(format.aliases.begin(), format.aliases.end(), name) != format.aliases.end();
}

const std::string* name_in_common(const Format& a, const Format& b) {
    if (is_named(b, a.prefix)) return &a.prefix;
    const auto alias = std::find_if(a.aliases.begin(), a.aliases.end(),
                                    [&](const auto& n) { return is_named(b, n); });
    return alias == a.aliases.end() ? nullptr : &*alias;
}

FormatRegistry::FormatRegistry(std::vector<std::shared_ptr<const Format>> formats)
    : formats_(std::move(formats)) {
    std::sort(
        formats_.begin(), formats_.end(),
        [](const auto& a, const auto& b) {
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
                                         [&](const auto& n) { return is_named(format, n); }))
            out.push_back(about.get());
    }
    return out;
}

FormatRegistry FormatRegistry::read(const std::string& directory, const std::string& catalog) {
    const FormatDirectory all(
        directory, std::chrono::milliseconds{0},
        [&](const std::string& path) { return read_format_file(path, catalog); });
    const std::vector<std::string> faults = all.faults();
    if (!faults.empty()) throw Fault(fmt::format("{}", fmt::join(faults, "\n")));
    return *all.registry();
}

const Format* FormatRegistry::find(std::string_view name) const {
    const auto found = std::find_if(formats_.begin(), formats_.end(),
                                    [&](const auto& f) { return is_named(*f, name); });
    return found == formats_.end() ? nullptr : found->get();
}

}  // namespace oai
