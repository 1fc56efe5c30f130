// SPDX-License-Identifier: MIT
// What most unit tests include, compiled once before them. Each of them includes what it needs
// nevertheless.
#include <fmt/format.h>
#include <libpq-fe.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>
