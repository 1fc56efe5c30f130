// SPDX-License-Identifier: MIT
// Any bytes as a value in each of PostgreSQL's binary formats: read, or refused in words.
#include "pg/binary.h"

#include <cstdint>
#include <cstdlib>

#include "pg/error.h"

namespace {

using namespace oai;

void require(bool holds) {
    if (!holds) std::abort();
}

bool within(std::string_view part, std::string_view whole) {
    return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

template <class Read>
void try_reading(Read read) {
    try {
        read();
    } catch (const pg::Error& e) {
        require(*e.what() != '\0');
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try_reading([&] { pg::read_bool(bytes); });
    try_reading([&] { pg::read_integer(bytes); });
    try_reading([&] { pg::read_timestamptz(bytes); });
    try_reading([&] { pg::read_date(bytes); });
    try_reading([&] {
        std::vector<int> numbers;
        pg::read_int4_array(bytes, numbers);
        require(numbers.size() <= size / sizeof(int));
    });
    try_reading([&] {
        std::vector<std::string_view> texts;
        std::vector<std::optional<std::string_view>> with_nulls;
        pg::read_text_array(bytes, texts);
        pg::read_nullable_text_array(bytes, with_nulls);
        require(texts.size() <= with_nulls.size() && with_nulls.size() <= size / sizeof(int));
        for (const std::string_view text : texts) require(within(text, bytes));
    });
    return 0;
}
