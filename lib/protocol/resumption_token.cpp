// SPDX-License-Identifier: MIT
#include "protocol/resumption_token.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>

#include <cerrno>
#include <concepts>
#include <stdexcept>
#include <system_error>

#include "base/fd.h"
#include "base/secret.h"
#include "base/text.h"
#include "protocol/arguments.h"

namespace oai {
namespace {

constexpr std::uint8_t kVersion = 2, kHasFrom = 1, kHasUntil = 2;
constexpr std::size_t kMacBytes = crypto_generichash_BYTES_MIN;
static_assert(kMacBytes == 16);

// Writer and Reader have the same functions, so that code() describes the format once: numbers are
// big-endian, and a text follows its length. After the end, Reader returns zeros and empty texts.
class Writer {
  public:
    template <std::integral Number>
    void number(Number value) {
        for (int shift = int{sizeof value} * 8 - 8; shift >= 0; shift -= 8)
            bytes_.push_back(static_cast<char>(value >> shift & 0xFF));
    }
    void time(Seconds value) { number(std::int64_t{value.time_since_epoch().count()}); }
    template <std::integral Length>
    void text(const std::string& value) {
        number(static_cast<Length>(value.size()));
        bytes_ += value;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    template <std::integral Number>
    void number(Number& value) {
        std::uint64_t read = 0;
        for (const char c : take(sizeof value)) read = read << 8U | static_cast<unsigned char>(c);
        value = static_cast<Number>(read);
    }
    void time(Seconds& value) {
        std::int64_t count = 0;
        number(count);
        value = Seconds{std::chrono::seconds{count}};
    }
    template <std::integral Length>
    void text(std::string& value) {
        Length length = 0;
        number(length);
        value = take(length);
    }
    bool is_complete() const { return ok_ && bytes_.empty(); }

  private:
    std::string_view take(std::size_t length) {
        ok_ = ok_ && length <= bytes_.size();
        const std::string_view taken = bytes_.substr(0, ok_ ? length : 0);
        bytes_.remove_prefix(ok_ ? length : bytes_.size());
        return taken;
    }

    std::string_view bytes_;
    bool ok_ = true;
};

// Writes or reads every field of a token. Returns false if it is of another version.
template <class Codec>
bool code(Codec& codec, ResumptionToken& token) {
    std::uint8_t version = kVersion, verb = static_cast<std::uint8_t>(token.verb);
    auto flags =
        static_cast<std::uint8_t>((token.from ? kHasFrom : 0) | (token.until ? kHasUntil : 0));
    Seconds from = token.from.value_or(Seconds{}), until = token.until.value_or(Seconds{});
    codec.number(version);
    codec.number(verb);
    codec.number(flags);
    codec.number(token.epoch);
    codec.number(token.after);
    codec.number(token.upto);
    codec.number(token.reach);
    codec.time(token.horizon);
    codec.number(token.cursor);
    codec.number(token.size);
    codec.time(token.issued);
    codec.time(from);
    codec.time(until);
    codec.template text<std::uint8_t>(token.metadata_prefix);
    codec.template text<std::uint16_t>(token.set);
    token.verb = static_cast<Verb>(verb);
    if ((flags & kHasFrom) != 0) token.from = from;
    if ((flags & kHasUntil) != 0) token.until = until;
    return version == kVersion && verb < kVerbNames.size() && flags <= (kHasFrom | kHasUntil);
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
    throw std::runtime_error("token key " + path + ": " + what);
}

// Suggests to create a key only if there is none: overwriting one would end all tokens.
[[noreturn]] void fail_opening(const std::string& path, int error) {
    std::string what = std::system_category().message(error);
    if (error == ENOENT)
        what += "; make one with: (umask 077; openssl rand -hex 32 > " + path + ")";
    if (error == EACCES) what += "; it is there: run this as the server's user or as root";
    fail_key(path, what);
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
    ResumptionToken written = token;
    Writer writer;
    code(writer, written);
    const std::string& message = writer.bytes();
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
    ResumptionToken token{};
    Reader reader(message);
    const bool is_token = code(reader, token) && reader.is_complete();
    return is_token ? std::optional(std::move(token)) : std::nullopt;
}

// This message is shorter than that of any token, so the result cannot serve as a token's MAC.
std::string TokenSealer::generation(std::uint64_t epoch) const {
    Writer message;
    message.number(epoch);
    return text::base64url_encode(mac(message.bytes(), current_));
}

TokenKey read_token_key(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) fail_opening(path, errno);
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
    if (rc != 0 || got != key.size())
        fail_key(path,
                 "must contain exactly 64 hexadecimal digits, as openssl rand -hex 32 prints them");
    return key;
}

TokenSealer read_token_sealer(const Config::Token& files) {
    std::optional<TokenKey> previous;
    if (!files.previous_key_file.empty()) previous = read_token_key(files.previous_key_file);
    return TokenSealer(read_token_key(files.key_file), previous);
}

}  // namespace oai
