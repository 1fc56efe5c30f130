// SPDX-License-Identifier: MIT
// The input is tried as a token, and as the bytes that a token of our own is made of; then one of its bits is
// changed.
#include "token.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "arguments.h"
#include "base/text.h"
#include "require.h"

namespace {

using namespace oai;
using oai::fuzz::require;

// Takes numbers and texts from the input; zeros once it is spent.
class Source {
  public:
    explicit Source(std::string_view bytes) : bytes_(bytes) {}
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
    std::string_view text(std::size_t most) {
        const std::string_view taken = bytes_.substr(0, most);
        bytes_.remove_prefix(taken.size());
        return taken;
    }

  private:
    std::string_view bytes_;
};

Token token_from(Source& in) {
    Token token{};
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

void check_altered(const TokenSealer& sealer, const std::string& sealed, unsigned where) {
    std::string bytes = *text::base64url_decode(sealed);
    char& byte = bytes[where / 8 % bytes.size()];
    byte = static_cast<char>(byte ^ 1 << where % 8);
    require(!sealer.open(text::base64url_encode(bytes)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const TokenSealer sealer(TokenKey{1}, TokenKey{2});
    // Either not ours, or exactly what we would have written (with the key of the corpus).
    if (const auto token = sealer.open(input)) require(sealer.seal(*token) == input);
    Source in(input);
    const unsigned where = in.byte() * 256 + in.byte();
    const Token token = token_from(in);
    const std::string sealed = sealer.seal(token);
    require(sealer.open(sealed) == token);
    require(text::base64url_encode(*text::base64url_decode(sealed)) == sealed);
    check_altered(sealer, sealed, where);
    return 0;
}
