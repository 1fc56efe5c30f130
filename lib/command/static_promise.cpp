// SPDX-License-Identifier: MIT
#include "command/static_promise.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "static_repository/address.h"
#include "static_repository/gateway_description.h"

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

void StaticPromise::require_gateway() const {
    if (wish_.any_base_url || static_repository::gateway_url(repository_.base_url, wish_.url)) return;
    throw std::runtime_error(fmt::format(
        "[repository] base_url is {}; a gateway serves this static repository at its own address and the file's, as {}. "
        "Let base_url be so, or serve it at another one by --any-base-url",
        repository_.base_url, static_repository::gateway_base_url("https://gateway.example.org/oai", wish_.url)));
}

bool StaticPromise::is_kept_by(const static_repository::Identity& identity) const {
    return static_repository::same_base_url(identity.base_url, repository_.base_url);
}

std::string StaticPromise::why_not_kept(const static_repository::Identity& identity) const {
    return fmt::format(
        "its baseURL is {0}, and this gateway serves it at {1}. Its owner wants this gateway and writes "
        "<oai:baseURL>{1}</oai:baseURL> into the file, or has chosen another one",
        identity.base_url, repository_.base_url);
}

std::vector<std::string> StaticPromise::differences(const static_repository::Identity& identity) const {
    std::vector<std::string> all;
    if (identity.name != repository_.name)
        all.push_back(fmt::format("oai.ini answers to Identify otherwise than the file: [repository] name = {}", identity.name));
    if (identity.admin_emails != repository_.admin_email)
        all.push_back(fmt::format("oai.ini answers to Identify otherwise than the file: [repository] admin_email = {}",
                                  fmt::join(identity.admin_emails, ", ")));
    return all;
}

void StaticPromise::describe() const {
    if (wish_.description.empty()) return;
    const auto url = static_repository::gateway_url(repository_.base_url, wish_.url);
    write_file(wish_.description,
               static_repository::gateway_description(
                   {.source = wish_.url,
                    .admins = wish_.gateway_admins.empty() ? repository_.admin_email : wish_.gateway_admins,
                    .url = url.value_or(""),
                    .notes = wish_.notes}));
}

}  // namespace oai::command
