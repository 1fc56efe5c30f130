// SPDX-License-Identifier: MIT
// A database of its own for a unit test: made under a unique name in the private cluster that
// OAI_TEST_DB names, dropped by the destructor (kept with OAI_KEEP_DB=1). Without OAI_TEST_DB the
// test fails and says how to set it:
//   export OAI_TEST_DB="$(t/lib/cluster start /tmp/oai-test)"; ...; t/lib/cluster stop
//   /tmp/oai-test
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pg/connection.h"

namespace oai::test {

inline std::string cluster_conninfo() {
    const char* conninfo = std::getenv("OAI_TEST_DB");
    if (!conninfo || !*conninfo)
        throw std::runtime_error(
            "OAI_TEST_DB is not set: export OAI_TEST_DB=\"$(t/lib/cluster start /tmp/oai-test)\" "
            "first");
    return conninfo;
}

constexpr std::string_view kWebarchiv = " core models webarchiv ",
                           kLibrary = " core models library harvest ";

class TestDb {
  public:
    explicit TestDb(const std::string& test) {
        static std::atomic<int> count{0};
        name_ = "t_" + test + "_" + std::to_string(getpid()) + "_" + std::to_string(++count);
        pg::Connection(cluster_conninfo(), "testdb")
            .script("create", "create database " + name_ + " template template0");
        owner_ = std::make_unique<pg::Connection>(conninfo(), "testdb");
    }
    ~TestDb() {
        if (std::getenv("OAI_KEEP_DB")) return;
        try {
            owner_.reset();
            pg::Connection(cluster_conninfo(), "testdb")
                .script("drop", "drop database " + name_ + " with (force)");
        } catch (const pg::Error&) {  // the cluster goes away with it
        }
    }
    TestDb(const TestDb&) = delete;
    TestDb& operator=(const TestDb&) = delete;

    const std::string& name() const { return name_; }
    // The conninfo of a superuser, or of another `role` such as "oai_reader".
    std::string conninfo(const std::string& role = "") const {
        return cluster_conninfo() + " dbname=" + name_ + (role.empty() ? "" : " user=" + role);
    }
    pg::Connection& owner() { return *owner_; }

    void run(const std::string& sql) { owner_->script("test", sql); }

    // Every row of a query's first column, as text; NULL is "NULL".
    std::vector<std::string> column(const std::string& sql) {
        const pg::ResultHandle rows(PQexec(owner_->raw(), sql.c_str()));
        if (PQresultStatus(rows.get()) != PGRES_TUPLES_OK)
            throw std::runtime_error(PQerrorMessage(owner_->raw()));
        std::vector<std::string> out;
        for (int i = 0; i < PQntuples(rows.get()); ++i)
            out.emplace_back(PQgetisnull(rows.get(), i, 0) ? "NULL" : PQgetvalue(rows.get(), i, 0));
        return out;
    }
    std::string value(const std::string& sql) { return column(sql).at(0); }
    long number(const std::string& sql) { return std::stol(value(sql)); }

    // The core and a model, in the order of schema/order. REQUIRES: the working directory is the
    // repository's root, or OAI_SCHEMA names the directory.
    void install_schema(std::string_view rooms = kWebarchiv) {
        const char* given = std::getenv("OAI_SCHEMA");
        const std::filesystem::path directory = given ? given : "schema";
        std::vector<std::filesystem::path> files;
        std::ifstream order(directory / "order");
        for (std::string file; std::getline(order, file);)
            if (rooms.find(" " + file.substr(0, file.find('/')) + " ") != rooms.npos)
                files.push_back(directory / file);
        if (files.empty()) throw std::runtime_error("no schema in " + directory.string());
        // Roles belong to the cluster, and other tests may install at the same time, so a lock
        // serialises them. It is held in the database that all tests share, and is released with
        // its connection.
        pg::Connection shared(cluster_conninfo(), "testdb");
        shared.script("lock", "select pg_advisory_lock(7131)");
        run("set client_min_messages = warning");
        for (const auto& file : files) {
            std::ifstream in(file);
            owner_->script(file.c_str(), std::string(std::istreambuf_iterator<char>(in), {}));
        }
        run("reset client_min_messages");
    }

  private:
    std::string name_;
    std::unique_ptr<pg::Connection> owner_;
};

}  // namespace oai::test
