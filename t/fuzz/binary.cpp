// SPDX-License-Identifier: MIT
// Reads any bytes as a value in each of PostgreSQL's binary formats. They are read or refused with
// an Error.
#include "pg/binary.h"

#include <cstdint>

#include "pg/error.h"
#include "require.h"

namespace {

bool within(std::string_view part, std::string_view whole) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    fuzz::try_reading<pg::Error>([&] { pg::read_bool(bytes); });
    fuzz::try_reading<pg::Error>([&] { pg::read_integer(bytes); });
    fuzz::try_reading<pg::Error>([&] { pg::read_timestamptz(bytes); });
    fuzz::try_reading<pg::Error>([&] { pg::read_date(bytes); });
    fuzz::try_reading<pg::Error>([&] {
        std::vector<int> numbers;
        pg::read_int4_array(bytes, numbers);
        require(numbers.size() <= size / sizeof(int));
    });
    fuzz::try_reading<pg::Error>([&] {
        std::vector<std::string_view> texts;
        std::vector<std::optional<std::string_view>> with_nulls;
        pg::read_text_array(bytes, texts);
        pg::read_nullable_text_array(bytes, with_nulls);
        require(texts.size() <= with_nulls.size() && with_nulls.size() <= size / sizeof(int));
        for (const std::string_view text : texts) require(within(text, bytes));
    });
    return 0;
}
