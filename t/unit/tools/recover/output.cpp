// SPDX-License-Identifier: MIT
#include "tools/recover/output.h"

#include <sys/resource.h>

#include "base/text.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::recover;

TEST_CASE("recover: places of documents") {
    const auto html = [](const char* url) { return place_of(url, "text/html"); };
    CHECK(html("http://A.org") == "a.org/index.html");
    CHECK(html("http://a.org/") == "a.org/index.html");
    CHECK(html("http://user:pw@a.org:80/b.htm#c") == "a.org/b.htm");
    CHECK(html("https://a.org:8443/b.php") == "a.org%3A8443/b.php.html");
    CHECK(html("http://a.org/b?c=/../d") == "a.org/b@c=%2F..%2Fd.html");
    CHECK(html("http://a.org?c") == "a.org/index@c.html");
    CHECK(place_of("http://a.org/b", "image/png") == "a.org/b.png");
    CHECK(place_of("http://a.org/b.jpeg", "image/jpeg") == "a.org/b.jpeg");
    CHECK(place_of("http://a.org/b", "") == "a.org/b.bin");
    CHECK(html("mailto:a@a.org") == "");
    CHECK(html("http:///b") == "");
}

TEST_CASE("recover: no URL leads out of the tree") {
    std::string every;
    for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
    const Strings names{"",
                        ".",
                        "..",
                        "...",
                        "~",
                        ".~",
                        "a.",
                        "-",
                        "%",
                        every,
                        std::string(5000, 'x'),
                        std::string(300, '.')};
    for (const std::string& first : names)
        for (const std::string& second : names)
            for (const char* url : {"http://", "https://u@"}) {
                const std::string place =
                    place_of(url + first + "/" + second + "/" + first, "text/plain");
                if (place.empty()) continue;
                for (const auto name : oai::text::split(place, '/')) {
                    INFO(place);
                    REQUIRE(!name.empty());
                    REQUIRE(name.front() != '.');
                    REQUIRE(name.back() != '.');
                    REQUIRE(name.size() < 255);
                    REQUIRE(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
                                                   "vwxyz0123456789-._~!$'()+,;=@%") == name.npos);
                }
            }
}

TEST_CASE("recover: long places are shortened, and remain distinct") {
    std::string deep = "http://" + std::string(300, 'h');
    for (int i = 0; i < 3000; ++i) deep += "/a.b";
    const std::string one = place_of(deep + "/c/d", "text/plain"),
                      other = place_of(deep + "/e/d", "text/plain");
    CHECK(one.size() < 1600);
    CHECK(one != other);
}

TEST_CASE("recover: no document has the path of a directory") {
    for (const char* name : {"a", "a.b", "a~", "a.b~", ".a", "%2Ea", "", "a.txt"}) {
        const std::string document = place_of(std::string("http://h/") + name, "text/plain");
        for (const char* other :
             {"a", "a.b", "a~", "a.b~", ".a", "%2Ea", "", "a.txt", "a.txt~", "index.txt", "a~.txt"})
            CHECK_FALSE(place_of(std::string("http://h/") + other + "/x", "text/plain")
                            .starts_with(document + "/"));
    }
}

TEST_CASE("recover: tree_key distinguishes documents") {
    CHECK(tree_key("http://A.org/B?c#d") == "a.org/B?c");
    CHECK(tree_key("https://u:p@a.org:443/B?c") == tree_key("http://a.org:80/B?c"));
    CHECK(tree_key("http://a.org/B?") != tree_key("http://a.org/B"));
    CHECK(tree_key("dns:a.org") == "");
}

TEST_CASE("recover: host_of") {
    CHECK(host_of("http://A.org:8080/b:c") == "a.org");
    CHECK(host_of("https://u:p@a.org") == "a.org");
    CHECK(host_of("http://[2001:db8::1]:80/") == "[2001:db8::1]");
    CHECK(host_of("http://[2001:db8::1]:8080/") == "[2001:db8::1]");
    CHECK(host_of("mailto:a@a.org").empty());
}

TEST_CASE("recover: avoids names that another system forbids or changes") {
    const auto place = [](const char* url) { return place_of(url, "text/plain"); };
    CHECK(place("http://a.org/con") == "a.org/%63on.txt");
    CHECK(place("http://a.org/NUL.txt") == "a.org/%4EUL.txt");
    CHECK(place("http://a.org/aux.tar.gz") == "a.org/%61ux.tar.gz");
    CHECK(place("http://a.org/Com1/lpt9/prn") == "a.org/%43om1/%6Cpt9/%70rn.txt");
    CHECK(place("http://con/x.txt") == "%63on/x.txt");
    for (const char* other : {"http://a.org/cons.txt", "http://a.org/com.txt",
                              "http://a.org/com10.txt", "http://a.org/xcon.txt"})
        CHECK(place(other) == other + 7);
    CHECK(place("http://a.org/x.") == "a.org/x%2E.txt");
    CHECK(place("http://a.org/x./y.txt") == "a.org/x%2E/y.txt");
    CHECK(place("http://a.org./y.txt") == "a.org%2E/y.txt");
    CHECK(place("http://a.org/...") == "a.org/%2E.%2E");
}

TEST_CASE("recover: is_place") {
    for (const char* good : {"a.org/x.html", "a.org/%2E%2E/x", "a/b/c.d~/e"}) CHECK(is_place(good));
    for (const char* bad : {"", "/", "a.org", "a.org/", "/a.org/x", "a.org//x", "../x", "a.org/..",
                            "a.org/../x", "./x", "a.org/.x", "a.org/x\\y", "a.org/x\n"})
        CHECK_FALSE(is_place(bad));
}

namespace {

// Simulates a full disk: a write beyond this size of a file fails.
struct LimitedFiles {
    explicit LimitedFiles(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~LimitedFiles() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    void (*signal_)(int);
    rlimit before_{};
};

RecoveredDocument document(const std::string& id, const std::string& path, int day,
                           const std::string& type = "text/html") {
    return {id, "http://a.example" + path, type, Seconds(std::chrono::days{16'000 + day})};
}

void append(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::app) << bytes;
}

}  // namespace

TEST_CASE_METHOD(TemporaryDirectory,
                 "recover: keeps the latest capture of a URL, at the place of its type") {
    Tree tree(path);
    CHECK_FALSE(tree.put(document("1", "/x", 1), "one"));
    CHECK(xml::read_file(path + "/a.example/x.html") == "one");
    CHECK(tree.has("1"));
    CHECK_FALSE(tree.has_newer(document("1", "/x", 1)));
    CHECK(tree.has_newer(document("2", "/x", 1)));  // of the same time
    CHECK(tree.has_newer(document("0", "/x", 0)));
    CHECK_FALSE(tree.has_newer(document("3", "/x", 2)));
    CHECK(tree.put(document("3", "/x", 2, "image/png"), "three"));
    CHECK(xml::read_file(path + "/a.example/x.png") == "three");
    CHECK_FALSE(fs::exists(path + "/a.example/x.html"));
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: two URLs with the same place get different ones") {
    Tree tree(path);
    tree.put(document("1", "/", 1), "root");
    tree.put(document("2", "/index.html", 1), "index");
    CHECK(xml::read_file(path + "/a.example/index.html") == "root");
    CHECK(xml::read_file(path + "/a.example/index-2.html") == "index");
    tree.put(document("3", "/index.html", 2), "again");
    CHECK(xml::read_file(path + "/a.example/index-2.html") == "again");
}

TEST_CASE_METHOD(TemporaryDirectory,
                 "recover: resumes a tree, whatever the end of its list looks like") {
    {
        Tree tree(path);
        RecoveredDocument first = document("1", "/a", 1);
        first.how = {.by_another = true, .unverified = true};
        tree.put(first, "a");
        tree.put(document("2", "/b", 1), "b");
        tree.put(document("3", "/b", 2, "image/png"), "png");
        tree.put(document("4", "/gone", 1), "gone");
    }
    fs::remove(path + "/a.example/gone.html");
    append(path + "/a.example/b.html", "left behind by one that was killed");
    append(path + "/.recovered.tsv",
           "5\t2015-03-01T00:00:00Z\ttext/html\ta.example/a.html\thttp://a.exam");
    {
        Tree tree(path);
        CHECK(tree.has("1"));
        CHECK(tree.how("1").by_another);
        CHECK(tree.how("1").unverified);
        CHECK_FALSE(tree.how("3").unverified);
        CHECK(tree.has("2"));  // its file exists
        CHECK(tree.has("3"));
        CHECK_FALSE(tree.has("4"));
        CHECK_FALSE(tree.has("5"));
        CHECK(tree.entries().size() == 2);
        CHECK_FALSE(fs::exists(path + "/a.example/b.html"));
        tree.put(document("4", "/gone", 1), "back");
    }
    const Tree tree(path);
    CHECK(tree.has("4"));
    CHECK(xml::read_file(path + "/a.example/a.html") == "a");
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: refuses a directory with other files") {
    append(path + "/mine", "x");
    CHECK_THROWS_WITH(Tree(path), Contains("holds other files"));
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: ignores entries of the list for other files") {
    append(path + "/mine", "x");
    fs::create_directory(path + "/tree");
    std::string list;
    for (const char* place : {"../mine", "a.example/../../mine", ".recovered.tsv", "/etc/hostname",
                              "a.example/.hidden", "a.example", ""})
        list +=
            "1\t2015-03-01T00:00:00Z\ttext/html\t" + std::string(place) + "\thttp://a.example/x\n";
    append(path + "/tree/.recovered.tsv", list);
    Tree tree(path + "/tree");
    CHECK(tree.entries().empty());
    CHECK_FALSE(tree.has("1"));
    tree.put(document("2", "/x", 20'000), "x");
    CHECK(fs::exists(path + "/mine"));
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: a list of one truncated line is begun anew") {
    append(path + "/.recovered.tsv", "1\t2015-03-01T");
    { Tree(path).put(document("1", "/a", 1), "a"); }
    CHECK(Tree(path).has("1"));
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: places that differ only in case get numbers") {
    {
        Tree tree(path);
        tree.put(document("1", "/a.html", 1), "a");
        tree.put(document("2", "/A.html", 1), "A");
        tree.put(document("3", "/B/c.html", 1), "Bc");
        tree.put(document("4", "/b/C.html", 1), "bC");
        CHECK(xml::read_file(path + "/a.example/a.html") == "a");
        CHECK(xml::read_file(path + "/a.example/A-2.html") == "A");
        CHECK(xml::read_file(path + "/a.example/B/c.html") == "Bc");
        CHECK(xml::read_file(path + "/a.example/b/C-2.html") == "bC");
    }
    Tree tree(path);
    tree.put(document("5", "/A.html", 2), "A again");
    CHECK(xml::read_file(path + "/a.example/A-2.html") == "A again");
    CHECK(xml::read_file(path + "/a.example/a.html") == "a");
}

TEST_CASE("recover: symbolic links in a tree are not followed") {
    const TemporaryDirectory d, other;
    Tree tree(d.path);
    tree.put(document("1", "/x", 1), "x");
    append(other.path + "/mine", "mine");
    fs::create_directory_symlink(other.path, d.path + "/a.example/dir");
    CHECK_THROWS_WITH(tree.put(document("2", "/dir/y", 1), "y"), Contains("symbolic link"));
    CHECK_FALSE(fs::exists(other.path + "/y.html"));
    fs::remove(d.path + "/.recovering");
    fs::create_symlink(other.path + "/mine", d.path + "/.recovering");  // the temporary file
    fs::create_symlink(other.path + "/mine", d.path + "/a.example/z.html");
    tree.put(document("3", "/z.html", 1), "z");  // replaces the link
    CHECK(xml::read_file(d.path + "/a.example/z.html") == "z");
    CHECK(fs::file_size(other.path + "/mine") == 4);
}

TEST_CASE_METHOD(TemporaryDirectory, "recover: refuses a second recovery into the same tree") {
    std::optional<Tree> tree(std::in_place, path);
    CHECK_THROWS_WITH(Tree(path), Contains("at work"));
    tree.reset();
    CHECK_NOTHROW(Tree(path));
}

TEST_CASE_METHOD(TemporaryDirectory,
                 "recover: does not overwrite what is in the way of a document") {
    Tree tree(path);
    append(path + "/a.example", "a file where a directory must be");
    CHECK_THROWS_AS(tree.put(document("1", "/x", 1), "x"), std::runtime_error);
    fs::remove(path + "/a.example");
    fs::create_directories(path + "/a.example/x.html/y");
    CHECK_THROWS_AS(tree.put(document("1", "/x", 1), "x"), std::runtime_error);
    CHECK_FALSE(tree.has("1"));
}

TEST_CASE_METHOD(TemporaryDirectory,
                 "recover: the longest names and deepest places can be written") {
    Tree tree(path);
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += "/" + std::string(100, 'd');
    int n = 0;
    for (const std::string& where :
         {"/" + std::string(255, 'x'), "/" + std::string(300, '.') + "/x", deep + "/x",
          "/" + std::string(100'000, 'x'), "/?" + std::string(100'000, '%')})
        for (int i = 0; i < 2; ++i)
            tree.put(document(std::to_string(++n),
                              where + std::string(static_cast<std::size_t>(i), '/'), 1),
                     "x");
    CHECK(tree.entries().size() == 10);
    for (const auto& [key, entry] : tree.entries())
        CHECK(xml::read_file(path + "/" + entry.place) == "x");
}

TEST_CASE_METHOD(TemporaryDirectory,
                 "recover: a document that cannot be written completely does not appear") {
    Tree tree(path);
    tree.put(document("1", "/x", 1), "x");
    {
        const LimitedFiles limit(1000);
        CHECK_THROWS_WITH(tree.put(document("2", "/y", 1), std::string(100'000, 'y')),
                          Contains("cannot be written"));
        CHECK_THROWS_WITH(tree.put(document("3", "/x", 2), std::string(100'000, 'x')),
                          Contains("cannot be written"));
    }
    CHECK_FALSE(fs::exists(path + "/a.example/y.html"));
    CHECK_FALSE(fs::exists(path + "/.recovering"));
    CHECK(xml::read_file(path + "/a.example/x.html") == "x");
    tree.put(document("2", "/y", 1), "y");
    CHECK(xml::read_file(path + "/a.example/y.html") == "y");
}
