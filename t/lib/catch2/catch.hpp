// SPDX-License-Identifier: MIT
// What unit tests take from this header of Catch2 2, where the system has Catch2 3, which has none
// of this name.
#pragma once
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

namespace Catch {
namespace Matchers {
inline auto Contains(const std::string& part) { return ContainsSubstring(part); }
}  // namespace Matchers
using Matchers::Contains;
using Matchers::EndsWith;
using Matchers::StartsWith;
}  // namespace Catch
using Catch::Approx;

#ifdef CATCH_CONFIG_RUNNER
#include <catch2/catch_session.hpp>
#endif
