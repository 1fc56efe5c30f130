// SPDX-License-Identifier: MIT
// Tests FormatDirectory with a simulated clock.
#include "format/watch.h"

#include "format/file.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "t/lib/temporary_directory.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"

using Kind = FormatEvent::Kind;

namespace {

constexpr std::chrono::milliseconds kSettle{500};

const FormatDirectory::Load load_file = [](const std::string& path) {
    return read_format_file(path);
};

std::string sheet(const std::string& prefix, const std::string& body = "<n:o xmlns:n='urn:n'/>") {
    return described("format prefix='" + prefix + "' schema='http://x/s.xsd' namespace='urn:n'",
                     body);
}

struct World : TemporaryDirectory {
    World() { write("oai_dc.xsl", sheet("oai_dc")); }

    // Advances the clock and scans. Returns the events: "live b", "refused b.xsl".
    Strings scan(FormatDirectory& directory, int milliseconds) {
        now += std::chrono::milliseconds{milliseconds};
        Strings lines;
        const auto load = [this](const std::string& file) {
            auto format = read_format_file(file);
            if (format->prefix == refuse) throw Fault("x:1: no");
            if (format->prefix == slow) is_let_go.get_future().wait();
            return format;
        };
        directory.scan(now, load, [&](const std::vector<FormatEvent>& events) {
            for (const FormatEvent& event : events)
                lines.push_back(event.kind == Kind::live ? "live " + event.format->prefix
                                : event.kind == Kind::removed
                                    ? "removed " + event.format->prefix
                                    : "refused " + fs::path(event.path).filename().string());
            if (on_note) on_note();
        });
        return lines;
    }

    // Scans twice, with the time between in which what has changed settles: nothing is loaded
    // before.
    Strings settled(FormatDirectory& directory) {
        CHECK(scan(directory, 0).empty());
        return scan(directory, 500);
    }

    FormatDirectory::Time now{1h};
    std::string refuse;  // the prefix of a format that the check refuses
    std::string slow;    // that of one which takes until this is set
    std::promise<void> is_let_go;
    std::function<void()> on_note;  // after each note
};

using Lines = Strings;

std::string prefixes(const FormatDirectory& directory) {
    std::string all;
    for (const auto& format : directory.registry()->formats()) all += format->prefix + " ";
    return all;
}

std::string about(const std::string& attributes = "") {
    return described("about " + attributes + " schema='http://x/s.xsd' namespace='urn:n'",
                     "<xsl:if test='@licence'><n:o xmlns:n='urn:n'/></xsl:if>");
}

std::string abouts(const FormatDirectory& directory, const std::string& prefix) {
    std::string all;
    for (const Format* a : directory.registry()->abouts_of(*directory.registry()->find(prefix)))
        all += a->prefix + " ";
    return all;
}

}  // namespace

TEST_CASE_METHOD(World, "format directory: a file is loaded when it has not changed for a while") {
    FormatDirectory d(path, kSettle, load_file);
    CHECK(prefixes(d) == "oai_dc ");
    const auto before = d.registry();
    CHECK(scan(d, 0).empty());
    CHECK(d.registry() == before);

    write("b.xsl", sheet("b").substr(0, 100));
    CHECK(scan(d, 1000).empty());
    CHECK(d.is_waiting());
    write("b.xsl", sheet("b"));
    CHECK(scan(d, 499).empty());
    CHECK(scan(d, 499).empty());
    CHECK(d.is_waiting());
    CHECK(scan(d, 1) == Lines{"live b"});
    CHECK_FALSE(d.is_waiting());
    CHECK(prefixes(d) == "oai_dc b ");
    CHECK(before->formats().size() == 1);  // the old registry stays valid for its users
    CHECK(d.registry()->find("oai_dc") == before->find("oai_dc"));
    CHECK(scan(d, 10'000).empty());
}

TEST_CASE_METHOD(World, "format directory: only the formats of a list are served, and oai_dc") {
    for (const char* prefix : {"a", "b", "c"}) write(std::string(prefix) + ".xsl", sheet(prefix));
    FormatDirectory d(path, kSettle, load_file, 1, "b,  c, x");
    CHECK(prefixes(d) == "oai_dc b c ");
    write("a.xsl", sheet("x"));
    CHECK(scan(d, 0).empty());
    scan(d, 500);
    CHECK(prefixes(d) == "oai_dc b c x ");
}

TEST_CASE_METHOD(World,
                 "format directory: a file that keeps changing delays others by ten seconds") {
    FormatDirectory d(path, kSettle, load_file);
    write("b.xsl", sheet("b"));
    for (int i = 1; i <= 20; ++i) {
        write("log", std::string(static_cast<std::size_t>(i), 'x'));
        CHECK(scan(d, 499).empty());
    }
    write("log", "");
    CHECK(scan(d, 521) == Lines{"live b"});
}

TEST_CASE_METHOD(
    World,
    "format directory: a broken file keeps its last version in service, and other files are not "
    "affected") {
    write("b.xsl", sheet("b"));
    FormatDirectory d(path, kSettle, load_file);
    const Format* good = d.registry()->find("b");
    write("b.xsl", sheet("b") + "<");
    write("c.xsl", sheet("c"));
    CHECK(settled(d) == Lines{"refused b.xsl", "live c"});
    CHECK(d.registry()->find("b") == good);
    REQUIRE(d.faults().size() == 1);
    CHECK_THAT(d.faults()[0], Contains(at("b.xsl") + ":3: "));
    CHECK(scan(d, 5000).empty());  // an event is reported only once

    write("b.xsl", sheet("b"));
    CHECK(settled(d) == Lines{"live b"});
    CHECK(d.registry()->find("b") != good);
    CHECK(d.faults().empty());
}

TEST_CASE_METHOD(World,
                 "format directory: a stylesheet that fails its trial over records is not used") {
    FormatDirectory d(path, kSettle, load_file);
    refuse = "b";
    write("b.xsl", sheet("b"));
    CHECK(settled(d) == Lines{"refused b.xsl"});
    CHECK(d.registry()->find("b") == nullptr);
    CHECK(d.faults() == Lines{"x:1: no"});
    refuse.clear();
    CHECK(scan(d, 500).empty());
    d.recheck_all();
    CHECK(scan(d, 500) == Lines{"live oai_dc", "live b"});
}

TEST_CASE_METHOD(
    World, "format directory: a removed file ends its format, but not at once, and never oai_dc") {
    write("b.xsl", sheet("b"));
    FormatDirectory d(path, kSettle, load_file);
    fs::remove(at("b.xsl"));
    CHECK(scan(d, 0).empty());
    write("b.xsl", sheet("b"));  // as an editor saves it
    scan(d, 100);
    CHECK(scan(d, 500) == Lines{"live b"});
    fs::remove(at("b.xsl"));
    CHECK(scan(d, 0).empty());
    CHECK(prefixes(d) == "oai_dc b ");
    CHECK(scan(d, 500) == Lines{"removed b"});
    CHECK(prefixes(d) == "oai_dc ");

    const Format* last = d.registry()->find("oai_dc");
    fs::remove(at("oai_dc.xsl"));
    CHECK(settled(d) == Lines{"removed oai_dc"});
    CHECK(d.registry()->find("oai_dc") == last);
    REQUIRE(d.faults().size() == 1);
    CHECK_THAT(d.faults()[0], Contains("the last one goes on serving"));
    write("dc.xsl", sheet("oai_dc"));
    CHECK(settled(d) == Lines{"live oai_dc"});
    CHECK(d.registry()->find("oai_dc") != last);
    CHECK(d.faults().empty());
}

TEST_CASE_METHOD(World, "format directory: a renamed file keeps its format in service") {
    FormatDirectory d(path, kSettle, load_file);
    fs::rename(at("oai_dc.xsl"), at("dc.xsl"));
    CHECK(settled(d) == Lines{"live oai_dc", "removed oai_dc"});
    CHECK(d.faults().empty());
}

TEST_CASE_METHOD(World, "format directory: a file goes live while a slow one is loading") {
    write("c.xsl", sheet("c"));
    FormatDirectory d(path, kSettle, load_file, 2);
    fs::rename(at("c.xsl"), at("a.xsl"));
    write("b.xsl", sheet("b"));
    slow = "c";
    Lines seen;
    on_note = [&] {
        seen.push_back(prefixes(d));
        if (seen.size() == 1) is_let_go.set_value();
    };
    CHECK(settled(d) == Lines{"live b", "live c", "removed c"});
    CHECK(seen == Lines{"oai_dc b c ", "oai_dc b c ", "oai_dc b c "});
}

TEST_CASE_METHOD(World,
                 "format directory: a directory that cannot be read does not count as empty") {
    FormatDirectory d(path, kSettle, load_file);
    const std::string away = path + "-away";
    fs::rename(path, away);
    CHECK(scan(d, 1000).empty());
    CHECK(scan(d, 1000).empty());
    CHECK(prefixes(d) == "oai_dc ");
    CHECK_THAT(d.faults().at(0), Contains("No such file"));
    fs::rename(away, path);
    scan(d, 1000);
    CHECK(d.faults().empty());
}

TEST_CASE_METHOD(
    World,
    "format directory: a changed import reloads the format, and a mended import repairs it") {
    FormatDirectory d(path, kSettle, load_file);
    const std::string part =
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
        "<xsl:variable name='v' select='1'/></xsl:stylesheet>";
    write("b.xsl", sheet("b", "<n:o xmlns:n='urn:n'><xsl:value-of select='$v'/></n:o>")
                       .insert(sheet("b").find("<f:format"), "<xsl:import href='lib/part.xsl'/>"));
    CHECK(settled(d) == Lines{"refused b.xsl"});
    write("lib/part.xsl", part);
    CHECK(settled(d) == Lines{"live b"});
    write("lib/part.xsl", part + " ");
    CHECK(scan(d, 0).empty());
    CHECK(d.is_waiting());
    CHECK(scan(d, 500) == Lines{"live b"});
    write("lib/part.xsl", "<half");
    CHECK(settled(d) == Lines{"refused b.xsl"});
    CHECK(d.registry()->find("b") != nullptr);
}

TEST_CASE_METHOD(World,
                 "format directory: of two files with the same prefix the first one has it") {
    FormatDirectory d(path, kSettle, load_file);
    write("a.xsl", sheet("oai_dc"));
    CHECK(settled(d) == Lines{"refused a.xsl"});
    CHECK_THAT(d.faults().at(0),
               Contains(at("a.xsl") + ":2: oai_dc is taken by " + at("oai_dc.xsl")));
    fs::remove(at("oai_dc.xsl"));
    CHECK(settled(d) == Lines{"live oai_dc", "removed oai_dc"});
}

TEST_CASE_METHOD(
    World, "format directory: a repository starts with a broken file, but not without oai_dc") {
    write("b.xsl", "<oops>");
    FormatDirectory d(path, kSettle, load_file);
    CHECK(prefixes(d) == "oai_dc ");
    CHECK(d.faults().size() == 1);
    write("oai_dc.xsl", "<oops>");
    CHECK_THROWS_WITH(
        FormatDirectory(path, kSettle, load_file),
        Contains("b.xsl:1: ") && Contains("oai_dc.xsl:1: ") && Contains("which OAI-PMH demands"));
}

TEST_CASE_METHOD(World,
                 "format directory: temporary files of editors and copying programs are ignored") {
    for (const char* name : {".b.xsl", "#b.xsl#", "b.xsl~", "b.xsl.part", ".b.xsl.swp",
                             "b.xsl.Ab12", "4913", ".xsl", "b.XSL"})
        write(name, sheet("b"));
    fs::create_symlink("nobody@nowhere", at(".#oai_dc.xsl"));
    FormatDirectory d(path, kSettle, load_file);
    CHECK(prefixes(d) == "oai_dc ");
    CHECK(d.faults().empty());
}

TEST_CASE_METHOD(
    World,
    "format directory: an about stylesheet belongs to the formats that it names, and is no format "
    "itself") {
    write("b.xsl", sheet("b"));
    write("about/z.xsl", about());
    write("about/a.xsl", about("formats='b c'"));
    FormatDirectory d(path, kSettle, load_file);
    CHECK(d.faults().empty());
    CHECK(prefixes(d) == "oai_dc b ");
    CHECK(d.registry()->find("about/a") == nullptr);
    CHECK(abouts(d, "b") == "about/a about/z ");
    CHECK(abouts(d, "oai_dc") == "about/z ");
}

TEST_CASE_METHOD(
    World, "format directory: about stylesheets are loaded, kept and removed as formats are") {
    FormatDirectory d(path, kSettle, load_file);
    write("about/a.xsl", about());
    CHECK(settled(d) == Lines{"live about/a"});
    CHECK(abouts(d, "oai_dc") == "about/a ");
    const auto before = d.registry();
    write("about/a.xsl", about("prefix='a'"));
    CHECK(settled(d) == Lines{"refused a.xsl"});
    REQUIRE(d.faults().size() == 1);
    CHECK(d.faults()[0] == at("about/a.xsl") + ":2: about: unknown attribute prefix");
    CHECK(d.registry() == before);
    fs::remove(at("about/a.xsl"));
    CHECK(scan(d, 500).empty());
    CHECK(scan(d, 500) == Lines{"removed about/a"});
    CHECK(abouts(d, "oai_dc").empty());
    CHECK(before->abouts().size() == 1);  // the old registry stays valid for its users
}

TEST_CASE_METHOD(
    World, "format directory: a stylesheet in the wrong directory is refused with a message") {
    write("r.xsl", about());
    write("about/b.xsl", sheet("b"));
    write("about/part/c.xsl", "no stylesheet, and nobody imports it");
    const FormatDirectory d(path, kSettle, load_file);
    CHECK(prefixes(d) == "oai_dc ");
    CHECK(abouts(d, "oai_dc").empty());
    CHECK(
        d.faults() ==
        Lines{
            at("about/b.xsl") + ":2: a format: in about/ a stylesheet describes itself by <about>",
            at("r.xsl") + ":2: an about stylesheet belongs in about/ of the formats directory"});
    CHECK_THROWS_WITH(read_formats(path),
                      Contains("r.xsl:2: an about stylesheet belongs in about/"));
}

TEST_CASE_METHOD(
    World,
    "format directory: the attribute formats belongs to about stylesheets, and must name some") {
    write("about/a.xsl", about("formats=''"));
    write("b.xsl", sheet("b' formats='c"));
    const FormatDirectory d(path, kSettle, load_file);
    CHECK(d.faults() ==
          Lines{at("about/a.xsl") + ":2: about: formats=\"\": must be prefixes separated by blanks",
                at("b.xsl") + ":2: format: unknown attribute formats"});
}
