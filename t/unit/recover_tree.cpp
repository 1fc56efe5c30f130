// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>

#include "recover/tree.h"

using namespace oai;
using namespace oai::recover;
namespace fs = std::filesystem;

namespace {

struct Directory {
    Directory() {
        std::string name = (fs::temp_directory_path() / "oai-tree-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
        path = name;
    }
    ~Directory() { fs::remove_all(path); }
    std::string path;
};

Document document(const std::string& id, const std::string& path, int day,
                  const std::string& type = "text/html") {
    return {id, "http://a.example" + path, type, Seconds(std::chrono::days{16'000 + day})};
}

void append(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::app) << bytes;
}

}  // namespace

TEST_CASE("recover: the latest capture of a URL stays, at the place of its type") {
    const Directory d;
    Tree tree(d.path);
    CHECK_FALSE(tree.put(document("1", "/x", 1), "one"));
    CHECK(tree.read("a.example/x.html") == "one");
    CHECK(tree.has("1"));
    CHECK_FALSE(tree.has_newer(document("1", "/x", 1)));
    CHECK(tree.has_newer(document("2", "/x", 1)));  // as late
    CHECK(tree.has_newer(document("0", "/x", 0)));
    CHECK_FALSE(tree.has_newer(document("3", "/x", 2)));
    CHECK(tree.put(document("3", "/x", 2, "image/png"), "three"));
    CHECK(tree.read("a.example/x.png") == "three");
    CHECK_FALSE(fs::exists(d.path + "/a.example/x.html"));
}

TEST_CASE("recover: two URLs that want one place both get one") {
    const Directory d;
    Tree tree(d.path);
    tree.put(document("1", "/", 1), "root");
    tree.put(document("2", "/index.html", 1), "index");
    CHECK(tree.read("a.example/index.html") == "root");
    CHECK(tree.read("a.example/index-2.html") == "index");
    tree.put(document("3", "/index.html", 2), "again");
    CHECK(tree.read("a.example/index-2.html") == "again");
}

TEST_CASE("recover: a tree is gone on with, whatever the end of its list looks like") {
    const Directory d;
    {
        Tree tree(d.path);
        tree.put(document("1", "/a", 1), "a");
        tree.put(document("2", "/b", 1), "b");
        tree.put(document("3", "/b", 2, "image/png"), "png");
        tree.put(document("4", "/gone", 1), "gone");
    }
    fs::remove(d.path + "/a.example/gone.html");
    append(d.path + "/a.example/b.html", "left behind by one that was killed");
    append(d.path + "/.recovered.tsv", "5\t2015-03-01T00:00:00Z\ttext/html\ta.example/a.html\thttp://a.exam");
    {
        Tree tree(d.path);
        CHECK(tree.has("1"));
        CHECK(tree.has("2"));  // its file was there
        CHECK(tree.has("3"));
        CHECK_FALSE(tree.has("4"));
        CHECK_FALSE(tree.has("5"));
        CHECK(tree.entries().size() == 2);
        CHECK_FALSE(fs::exists(d.path + "/a.example/b.html"));
        tree.put(document("4", "/gone", 1), "back");
    }
    const Tree tree(d.path);
    CHECK(tree.has("4"));
    CHECK(tree.read("a.example/a.html") == "a");
}

TEST_CASE("recover: a directory of others is left alone") {
    const Directory d;
    append(d.path + "/mine", "x");
    CHECK_THROWS_WITH(Tree(d.path), Catch::Matchers::Contains("holds other files"));
}
