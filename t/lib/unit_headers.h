// SPDX-License-Identifier: MIT
// Catch2, and what unit tests take from the standard library and others' libraries, compiled once
// before them: included twice, it is the same. And the names that they all write without a
// namespace.

#include <fmt/format.h>
#include <libpq-fe.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace oai::test {}
namespace fs = std::filesystem;
using namespace oai;
using namespace oai::test;
using namespace std::chrono_literals;
using namespace std::string_literals;
using Strings = std::vector<std::string>;
using Catch::Matchers::Contains, Catch::Matchers::EndsWith, Catch::Matchers::StartsWith;
