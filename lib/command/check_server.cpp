// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "command/check.h"
#include "command/command.h"
#include "command/fastcgi_client.h"
#include "monitor/admin_pages.h"

namespace oai::command {

void check_server(const Config& config, Findings& findings) {
    std::string answer;
    try {
        answer = get_by_fastcgi(socket_of(config),
                                admin_page_path(config.repository.base_url, "status"));
    } catch (const std::runtime_error&) {  // it does not run, or not for this user
        return;
    }
    const auto page = nlohmann::json::parse(answer, nullptr, false);
    if (!page.is_object() || !page.contains("formats")) return;
    for (const auto& change : page["formats"].value("unannounced", nlohmann::json::array()))
        findings.problem("formats", change.get<std::string>());
}

}  // namespace oai::command
