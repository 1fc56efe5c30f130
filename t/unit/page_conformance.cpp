// SPDX-License-Identifier: MIT
// The report of the repository's own conformance: made seldom, by one, and given to all.
#include "page/conformance.h"

#include <catch2/catch.hpp>

#include "error.h"
#include "validate/session.h"
#include "validate_provider.h"
#include "xml/document.h"

using namespace oai;

namespace {

class MovingClock final : public Clock {
  public:
    Seconds now() const override { return at; }
    Seconds at = test::kNow;
};

struct Asked {
    Asked() { xml::initialise(); repository.facts.base_url = test::kBase; }
    std::string report() { return conformance.report(own, repository, "", clock); }

    int requests = 0;
    bool broken = false;
    test::Provider provider;
    Repository repository;
    MovingClock clock;
    Conformance conformance;
    const AskOwn own = [this](const Request& request, const Repository&) {
        ++requests;
        if (broken) throw Unavailable("no database");
        std::string query;
        for (const Argument& a : request.arguments) query += (query.empty() ? "" : "&") + validate::escaped(a.name) + "=" + validate::escaped(a.value);
        return xml_response(provider.ask({.arguments = query}).body, false);
    };
};

}  // namespace

TEST_CASE("conformance: a report is made once an hour") {
    Asked asked;
    const std::string first = asked.report();
    CHECK_NOTHROW(xml::parse_memory(first, "report"));
    CHECK(first.find(" failed=\"0\"") != std::string::npos);
    const int requests = asked.requests;
    CHECK(requests > 50);
    asked.clock.at += Conformance::kKept - std::chrono::seconds{1};
    CHECK(asked.report() == first);
    CHECK(asked.requests == requests);
    asked.clock.at += std::chrono::seconds{1};
    CHECK(asked.report() != first);  // it says when it was made
    CHECK(asked.requests == 2 * requests);
}

TEST_CASE("conformance: one that failed is not tried again at once") {
    Asked asked;
    asked.broken = true;
    CHECK_THROWS_AS(asked.report(), Unavailable);
    const int requests = asked.requests;
    CHECK(asked.report().empty());
    CHECK(asked.requests == requests);
    asked.broken = false;
    asked.clock.at += Conformance::kPause;
    CHECK_FALSE(asked.report().empty());
}
