// SPDX-License-Identifier: MIT
// Catch2, and what unit tests take from the standard library and others' libraries, compiled once
// before them: included twice, it is the same.

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
