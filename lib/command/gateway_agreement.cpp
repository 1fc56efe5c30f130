// SPDX-License-Identifier: MIT
#include "command/gateway_agreement.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tools/static_repository/gateway.h"

namespace oai::command {
namespace {

void write_file(const std::string& path, const std::string& content) {
    const std::string beside = path + ".draft";
    {
        std::ofstream out(beside, std::ios::binary | std::ios::trunc);
        out << content;
        if (!out.flush()) throw std::runtime_error(beside + ": cannot be written");
    }
    std::filesystem::rename(beside, path);
}

}  // namespace

void GatewayAgreement::require_gateway() const {
    if (options_.any_base_url || static_repository::gateway_url(repository_.base_url, options_.url))
        return;
    throw std::runtime_error(fmt::format(
        "[repository] base_url is {}; a gateway serves this static repository at its own address "
        "and the file's, as {}. "
        "Let base_url be so, or serve it at another one by --any-base-url",
        repository_.base_url,
        static_repository::gateway_base_url("https://gateway.example.org/oai", options_.url)));
}

bool GatewayAgreement::has_our_base_url(const static_repository::StaticIdentity& identity) const {
    return static_repository::same_base_url(identity.base_url, repository_.base_url);
}

std::string GatewayAgreement::base_url_difference(
    const static_repository::StaticIdentity& identity) const {
    return fmt::format(
        "its baseURL is {0}, and this gateway serves it at {1}. Its owner wants this gateway and "
        "writes "
        "<oai:baseURL>{1}</oai:baseURL> into the file, or has chosen another one",
        identity.base_url, repository_.base_url);
}

std::vector<std::string> GatewayAgreement::differences(
    const static_repository::StaticIdentity& identity) const {
    std::vector<std::string> all;
    if (identity.name != repository_.name)
        all.push_back(fmt::format(
            "oai.ini answers to Identify otherwise than the file: [repository] name = {}",
            identity.name));
    if (identity.admin_emails != repository_.admin_email)
        all.push_back(fmt::format(
            "oai.ini answers to Identify otherwise than the file: [repository] admin_email = {}",
            fmt::join(identity.admin_emails, ", ")));
    return all;
}

void GatewayAgreement::describe() const {
    if (options_.description.empty()) return;
    const auto url = static_repository::gateway_url(repository_.base_url, options_.url);
    write_file(options_.description,
               static_repository::gateway_description({.source = options_.url,
                                                       .admins = options_.gateway_admins.empty()
                                                                     ? repository_.admin_email
                                                                     : options_.gateway_admins,
                                                       .url = url.value_or(""),
                                                       .notes = options_.notes}));
}

}  // namespace oai::command
