// SPDX-License-Identifier: MIT
// Which of many cases a test tries: every so manieth, as OAI_TEST_SAMPLE chooses, or all of them in
// `make test-long` (t/lib/ShortForm.pm).
#pragma once

#include <cstdlib>

namespace oai::test {

class Sample {
  public:
    explicit Sample(unsigned every) : every_(std::getenv("OAI_TEST_LONG") != nullptr ? 1 : every) {}

    bool has(unsigned n) const { return n % every_ == number_ % every_; }
    bool is_all() const { return every_ == 1; }

  private:
    static unsigned number() {
        const char* const chosen = std::getenv("OAI_TEST_SAMPLE");
        return chosen != nullptr ? static_cast<unsigned>(std::strtoul(chosen, nullptr, 10)) : 1;
    }
    unsigned every_;
    unsigned number_ = number();
};

}  // namespace oai::test
