// SPDX-License-Identifier: MIT
#include "tools/recover/payload.h"

#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "tools/recover/handle.h"

namespace oai::recover {
namespace {

std::string base32(std::string_view bytes) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string out;
    unsigned buffer = 0, bits = 0;
    for (const char c : bytes) {
        buffer = buffer << 8U | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 5; bits -= 5) out += kAlphabet[buffer >> (bits - 5) & 31U];
    }
    if (bits > 0) out += kAlphabet[buffer << (5 - bits) & 31U];
    return out;
}

std::string base16(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += kDigits[static_cast<unsigned char>(c) >> 4U];
        out += kDigits[static_cast<unsigned char>(c) & 15U];
    }
    return out;
}

// Returns nullopt if OpenSSL knows the algorithm but does not offer it, as old ones without its
// legacy provider.
std::optional<std::string> hash(const EVP_MD* algorithm, std::string_view bytes) {
    const DigestHandle context(EVP_MD_CTX_new());
    if (!context) throw std::bad_alloc();
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned size = 0;
    if (EVP_DigestInit_ex(context.get(), algorithm, nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), out.data(), &size) != 1)
        return std::nullopt;
    return std::string(reinterpret_cast<const char*>(out.data()), size);
}

}  // namespace

DigestVerdict compare_digest(std::string_view expected, std::string_view bytes) {
    const auto colon = expected.find(':');
    const std::string name =
        colon == expected.npos ? "sha1" : std::string(expected.substr(0, colon));
    const std::string_view value = colon == expected.npos ? expected : expected.substr(colon + 1);
    const EVP_MD* const algorithm = EVP_get_digestbyname(name.c_str());
    if (algorithm == nullptr || value.empty()) return DigestVerdict::unknown;
    const std::optional<std::string> is = hash(algorithm, bytes);
    if (!is) return DigestVerdict::unknown;
    const std::string in_base16 = base16(*is), in_base32 = base32(*is);
    const std::string_view bare =
        value.substr(0, value.find('='));  // without the padding of base32
    if (value.size() != in_base16.size() && bare.size() != in_base32.size())
        return DigestVerdict::unknown;
    const std::string lower = text::lower_ascii(bare);
    return lower == in_base16 || lower == text::lower_ascii(in_base32) ? DigestVerdict::same
                                                                       : DigestVerdict::different;
}

}  // namespace oai::recover
