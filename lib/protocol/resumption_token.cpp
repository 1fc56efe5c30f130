// SPDX-License-Identifier: MIT
#include "protocol/resumption_token.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "base/fd.h"
#include "base/secret.h"
#include "base/text.h"
#include "protocol/arguments.h"

namespace oai {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::uint8_t kHasFrom = 1;
constexpr std::uint8_t kHasUntil = 2;
constexpr std::size_t kMacBytes = crypto_generichash_BYTES_MIN;
static_assert(kMacBytes == 16);

template <typename Unsigned>
void put(std::string& out, Unsigned value) {
    for (std::size_t shift = sizeof(Unsigned) * 8; shift > 0; shift -= 8)
        out.push_back(static_cast<char>(value >> (shift - 8) & 0xFFU));
}

void put_signed(std::string& out, std::int64_t value) {
    put(out, static_cast<std::uint64_t>(value));
}

std::int64_t count_of(const std::optional<Seconds>& t) {
    return t ? t->time_since_epoch().count() : 0;
}

// Reads what put() wrote. After the end of the bytes every number is zero, every text is empty, and
// is_complete() is false.
class TokenReader {
  public:
    explicit TokenReader(std::string_view bytes) : bytes_(bytes) {}

    template <typename Unsigned>
    Unsigned number() {
        std::uint64_t value = 0;
        for (const char c : text(sizeof(Unsigned)))
            value = value << 8U | static_cast<unsigned char>(c);
        return static_cast<Unsigned>(value);
    }
    std::int64_t signed_number() { return static_cast<std::int64_t>(number<std::uint64_t>()); }
    std::string_view text(std::size_t length) {
        if (length > bytes_.size()) {
            ok_ = false;
            bytes_ = {};
            return {};
        }
        const std::string_view taken = bytes_.substr(0, length);
        bytes_.remove_prefix(length);
        return taken;
    }
    bool is_complete() const { return ok_ && bytes_.empty(); }

  private:
    std::string_view bytes_;
    bool ok_ = true;
};

std::string serialise(const ResumptionToken& token) {
    std::string out;
    put(out, kVersion);
    put(out, static_cast<std::uint8_t>(token.verb));
    put(out,
        static_cast<std::uint8_t>((token.from ? kHasFrom : 0) | (token.until ? kHasUntil : 0)));
    put(out, token.epoch);
    put_signed(out, token.after);
    put_signed(out, token.upto);
    put_signed(out, token.reach);
    put_signed(out, count_of(token.horizon));
    put_signed(out, token.cursor);
    put_signed(out, token.size);
    put_signed(out, count_of(token.issued));
    put_signed(out, count_of(token.from));
    put_signed(out, count_of(token.until));
    put(out, static_cast<std::uint8_t>(token.metadata_prefix.size()));
    out += token.metadata_prefix;
    put(out, static_cast<std::uint16_t>(token.set.size()));
    out += token.set;
    return out;
}

std::optional<ResumptionToken> deserialise(std::string_view bytes) {
    TokenReader in(bytes);
    if (in.number<std::uint8_t>() != kVersion) return std::nullopt;
    const auto verb = in.number<std::uint8_t>();
    const auto flags = in.number<std::uint8_t>();
    if (verb > static_cast<std::uint8_t>(Verb::list_records) || flags > (kHasFrom | kHasUntil))
        return std::nullopt;
    ResumptionToken token{};
    token.verb = static_cast<Verb>(verb);
    token.epoch = in.number<std::uint64_t>();
    token.after = in.signed_number();
    token.upto = in.signed_number();
    token.reach = in.signed_number();
    token.horizon = Seconds{std::chrono::seconds{in.signed_number()}};
    token.cursor = in.signed_number();
    token.size = in.signed_number();
    token.issued = Seconds{std::chrono::seconds{in.signed_number()}};
    const Seconds from{std::chrono::seconds{in.signed_number()}};
    const Seconds until{std::chrono::seconds{in.signed_number()}};
    if ((flags & kHasFrom) != 0) token.from = from;
    if ((flags & kHasUntil) != 0) token.until = until;
    token.metadata_prefix = in.text(in.number<std::uint8_t>());
    token.set = in.text(in.number<std::uint16_t>());
    if (!in.is_complete()) return std::nullopt;
    return token;
}

std::string mac(std::string_view message, const TokenKey& key) {
    std::string out(kMacBytes, '\0');
    crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                       reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                       key.data(), key.size());
    return out;
}

bool has_mac(std::string_view sealed_mac, std::string_view message, const TokenKey& key) {
    // Compares in constant time.
    return sodium_memcmp(sealed_mac.data(), mac(message, key).data(), kMacBytes) == 0;
}

[[noreturn]] void fail_key(const std::string& path, const std::string& what) {
    throw std::runtime_error("token key " + path + ": " + what +
                             "; make one with: (umask 077; openssl rand -hex 32 > " + path + ")");
}

}  // namespace

TokenSealer::TokenSealer(TokenKey current, std::optional<TokenKey> previous)
    : current_(current), previous_(previous) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
}

std::string TokenSealer::seal(const ResumptionToken& token) const {
    if (token.metadata_prefix.size() > 0xFF)
        throw std::length_error("metadataPrefix too long for a resumptionToken");
    if (token.set.size() > 0xFFFF)
        throw std::length_error("setSpec too long for a resumptionToken");
    const std::string message = serialise(token);
    return text::base64url_encode(message + mac(message, current_));
}

std::optional<ResumptionToken> TokenSealer::open(std::string_view sealed) const {
    const auto bytes = text::base64url_decode(sealed);
    if (!bytes || bytes->size() < kMacBytes) return std::nullopt;
    const std::string_view message = std::string_view(*bytes).substr(0, bytes->size() - kMacBytes);
    const std::string_view sealed_mac = std::string_view(*bytes).substr(message.size());
    if (!has_mac(sealed_mac, message, current_) &&
        !(previous_ && has_mac(sealed_mac, message, *previous_)))
        return std::nullopt;
    return deserialise(message);
}

// No token is as short as this message, so it cannot be taken for the mac of one.
std::string TokenSealer::generation(std::uint64_t epoch) const {
    std::string message;
    put(message, epoch);
    return text::base64url_encode(mac(message, current_));
}

TokenKey read_token_key(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0)
        fail_key(path, std::system_category().message(errno));
    if (!S_ISREG(status.st_mode)) fail_key(path, "is not a regular file");
    if (const std::string exposure = exposure_of(status); !exposure.empty())
        fail_key(path, exposure);
    std::array<char, 128> buffer{};
    const ssize_t length = ::read(file.get(), buffer.data(), buffer.size());
    if (length < 0) fail_key(path, std::system_category().message(errno));
    std::string_view digits(buffer.data(), static_cast<std::size_t>(length));
    if (digits.ends_with('\n')) digits.remove_suffix(1);
    if (digits.ends_with('\r')) digits.remove_suffix(1);
    TokenKey key{};
    std::size_t got = 0;
    const int rc = sodium_hex2bin(key.data(), key.size(), digits.data(), digits.size(), nullptr,
                                  &got, nullptr);
    if (rc != 0 || got != key.size()) fail_key(path, "must contain exactly 64 hexadecimal digits");
    return key;
}

TokenSealer read_token_sealer(const Config::Token& files) {
    std::optional<TokenKey> previous;
    if (!files.previous_key_file.empty()) previous = read_token_key(files.previous_key_file);
    return TokenSealer(read_token_key(files.key_file), previous);
}

}  // namespace oai
