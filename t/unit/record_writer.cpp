// SPDX-License-Identifier: MIT
#include "record_writer.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "xml/document.h"

using namespace oai;

namespace {

// A Format needs a compiled stylesheet; any will do.
Format some_format() {
    xml::initialise();
    const auto path = std::filesystem::temp_directory_path() / ("oai-writer-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << R"(<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>)";
    Format format{.prefix = "p", .aliases = {}, .schema = "", .metadata_namespace = "", .root_namespace = "", .since = std::nullopt,
                  .requires_column = "", .stylesheet = xml::Stylesheet::compile(path.string())};
    std::filesystem::remove(path);
    return format;
}

Seconds second(int n) { return Seconds{std::chrono::seconds{n}}; }

}  // namespace

TEST_CASE("in a format the later stamp counts: the record's or the stylesheet's") {
    Format format = some_format();
    CHECK(datestamp_in(format, second(5)) == second(5));
    format.since = second(7);
    CHECK(datestamp_in(format, second(5)) == second(7));
    CHECK(datestamp_in(format, second(7)) == second(7));
    CHECK(datestamp_in(format, second(9)) == second(9));
}

TEST_CASE("a deleted record is hidden by the policy no, and by no other") {
    Repository repository;
    Header live, deleted;
    deleted.deleted = true;
    for (const DeletedRecord policy : {DeletedRecord::no, DeletedRecord::transient, DeletedRecord::persistent}) {
        repository.facts.deleted_record = policy;
        CHECK(is_shown(repository, live));
        CHECK(is_shown(repository, deleted) == (policy != DeletedRecord::no));
    }
}

TEST_CASE("only identifiers of the repository's namespace have a local part") {
    Repository repository;
    repository.identifier_prefix = "oai:archive.example.org:";
    CHECK(local_id_of(repository, "oai:archive.example.org:1") == "1");
    CHECK(local_id_of(repository, "oai:archive.example.org:a:b") == "a:b");
    for (const char* other : {"", "1", "oai:archive.example.org:", "oai:archive.example.org", "OAI:archive.example.org:1",
                              "oai:archive.example.com:1", " oai:archive.example.org:1"}) {
        CHECK(!local_id_of(repository, other));
    }
}
