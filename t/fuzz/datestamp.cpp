// SPDX-License-Identifier: MIT
// A datestamp that can be parsed is printed as it was; any number of seconds is printed as a valid
// datestamp.
#include <cstdint>
#include <cstring>

#include "protocol/record.h"
#include "require.h"

namespace {

void check_number(std::int64_t count) {
    const std::string printed = print_datestamp(Seconds{std::chrono::seconds{count}});
    const auto parsed = parse_datestamp(printed);
    require(parsed && parsed->granularity == Granularity::second);
    require(print_datestamp(parsed->first) == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (const auto parsed = parse_datestamp(input)) {
        const bool is_day = parsed->granularity == Granularity::day;
        require(input.size() == (is_day ? 10 : 20));
        require(print_datestamp(parsed->first) ==
                std::string(input) + (is_day ? "T00:00:00Z" : ""));
        require(print_datestamp(parsed->last()).substr(0, input.size()) == input);
    }
    std::int64_t count = 0;
    if (size >= sizeof count) {
        std::memcpy(&count, data, sizeof count);
        check_number(count);
    }
    return 0;
}
