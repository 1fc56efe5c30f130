// SPDX-License-Identifier: MIT
// What a CDX server is asked: its parameters, as the makers of four such servers have them
// (deploy/manual/replay.md), in one table. Pure.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "browse/captures.h"

namespace oai {

struct BadParameter {
    std::string why;  // a sentence without its dot
};

enum class MatchType { exact, prefix, host, domain, range };
enum class Sort { ascending, closest, reverse };

constexpr std::int64_t kMaxLimit = CaptureWalk::kMostCaptures;
constexpr std::int64_t kBlock = 1'000, kMostBlocks = kMaxLimit / kBlock;  // pages are made of these
constexpr std::int64_t kMostPaged = 300'000;

// [!][=|~][FIELD:]VALUE. The makers of CDX servers do not agree on what a value means without a
// sign, or with ~: a capture passes by what either of them would find.
struct Filter {
    bool inverted = false, equal = false, at_start = false;
    const CaptureField* field = nullptr;  // nullptr: the whole line
    std::string text;
    std::shared_ptr<const RE2> expression{};

    bool passes(const Capture& capture, std::string_view prefix) const {
        const std::string value =
            field == nullptr ? cdx_line(capture) : field->value(capture, prefix);
        bool found = equal ? value == text : value.find(text) != value.npos;
        if (!found && expression)
            found = expression->Match(value, 0, value.size(),
                                      at_start ? RE2::ANCHOR_START : RE2::ANCHOR_BOTH, nullptr, 0);
        return found != inverted;
    }
};

struct Collapse {
    const CaptureField* field;
    std::size_t characters;
};

struct CdxQuery {
    Seconds now;
    std::string url{}, key{}, method{}, body{};
    std::optional<MatchType> match{};
    std::int64_t limit = kMaxLimit, offset = 0;
    CaptureTimes times{};
    std::optional<Seconds> closest{};
    Sort sort = Sort::ascending;
    CaptureRows rows{.output = CaptureOutput::text};
    std::vector<Filter> filters{};
    std::vector<Collapse> collapse{};
    bool last_of_equal = false;  // collapsed captures are shown by the last one
    std::optional<CapturePlace> after{};
    std::string collapsed{};  // what the list before ended with
    bool shows_key = false, counts_pages = false, gzip = true;
    std::optional<std::int64_t> page{};
    std::int64_t blocks = kMostBlocks;
    std::string q{};
    std::optional<std::int64_t> start_page{};
};

// Throws BadParameter.
CdxQuery read_query(const CapturesQuestion& question);

}  // namespace oai
