// SPDX-License-Identifier: MIT
// Uses the input as a token, and as the source of the fields of a token that is sealed; then
// changes one bit of that.
#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "protocol/arguments.h"
#include "protocol/resumption_token.h"
#include "require.h"

namespace {

// Reads numbers and texts from the input. After its end numbers are zero and texts are empty.
class InputReader {
  public:
    explicit InputReader(std::string_view bytes) : bytes_(bytes) {}
    std::int64_t number() {
        std::int64_t value = 0;
        const std::string_view taken = text(sizeof value);
        std::copy(taken.begin(), taken.end(), reinterpret_cast<char*>(&value));
        return value;
    }
    unsigned byte() {
        const std::string_view taken = text(1);
        return taken.empty() ? 0 : static_cast<unsigned char>(taken[0]);
    }
    std::string_view text(std::size_t max_bytes) {
        const std::string_view taken = bytes_.substr(0, max_bytes);
        bytes_.remove_prefix(taken.size());
        return taken;
    }

  private:
    std::string_view bytes_;
};

ResumptionToken token_from(InputReader& in) {
    ResumptionToken token{};
    token.verb = static_cast<Verb>(in.byte() % 6);
    const unsigned presence = in.byte();
    token.epoch = static_cast<std::uint64_t>(in.number());
    token.after = in.number();
    token.upto = in.number();
    token.reach = in.number();
    token.horizon = Seconds{std::chrono::seconds{in.number()}};
    token.cursor = in.number();
    token.size = in.number();
    token.issued = Seconds{std::chrono::seconds{in.number()}};
    if ((presence & 1U) != 0) token.from = Seconds{std::chrono::seconds{in.number()}};
    if ((presence & 2U) != 0) token.until = Seconds{std::chrono::seconds{in.number()}};
    token.metadata_prefix = in.text(in.byte());
    token.set = in.text(in.byte() * 256);
    return token;
}

void check_bit_flip(const TokenSealer& sealer, const std::string& sealed, unsigned bit) {
    std::string bytes = *text::base64url_decode(sealed);
    char& byte = bytes[bit / 8 % bytes.size()];
    byte = static_cast<char>(byte ^ 1 << bit % 8);
    require(!sealer.open(text::base64url_encode(bytes)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const TokenSealer sealer(TokenKey{1}, TokenKey{2});
    // The input is either refused, or exactly what seal() returns for it (with the key of the
    // corpus).
    if (const auto token = sealer.open(input)) require(sealer.seal(*token) == input);
    InputReader in(input);
    const unsigned bit = in.byte() * 256 + in.byte();
    const ResumptionToken token = token_from(in);
    const std::string sealed = sealer.seal(token);
    require(sealer.open(sealed) == token);
    require(text::base64url_encode(*text::base64url_decode(sealed)) == sealed);
    check_bit_flip(sealer, sealed, bit);
    return 0;
}
