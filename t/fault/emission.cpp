// SPDX-License-Identifier: MIT
// emission STYLESHEETS RECORDS [FIRST_SEED]: compares compiled stylesheets with libxslt
// (t/lib/emission.h), prints how many stylesheets, records and kinds of operations and expressions
// were covered, and exits with status 1 at the first difference.
#include "t/lib/emission.h"

#include <cstdio>
#include <exception>
#include <utility>

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const long stylesheets = std::atol(argv[1]);
    const int records = std::atoi(argv[2]);
    const long first = argc > 3 ? std::atol(argv[3]) : 1;
    constexpr long kTrialEvery = 100;
    oai::test::EmissionCheck check;
    long trials = 0;
    for (long i = 0; i < stylesheets; ++i) {
        oai::test::Choice choice(static_cast<unsigned>(first + i));
        std::string wrong;
        try {
            wrong = check.run(choice, records);
            if (wrong.empty() && i % kTrialEvery == kTrialEvery - 1) {
                ++trials;
                if (std::string said = check.trial(); said.find("differs") != std::string::npos)
                    wrong = std::move(said);
            }
        } catch (const std::exception& e) {
            wrong = e.what();
        }
        if (!wrong.empty()) {
            std::printf("seed\t%ld\n%s\n", first + i, wrong.c_str());
            return 1;
        }
    }
    std::printf(
        "stylesheets\t%ld\ncompiled\t%ld\nrecords\t%ld\nleft\t%ld\ntrials\t%ld\noperations\t%"
        "zu\nexpressions\t%zu\n",
        check.stylesheets, check.compiled_stylesheets, check.records, check.left, trials,
        check.operations.size(), check.expressions.size());
    return 0;
}
