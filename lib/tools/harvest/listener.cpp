// SPDX-License-Identifier: MIT
#include "tools/harvest/listener.h"

#include <algorithm>
#include <thread>

namespace oai::harvest {

void HarvestListener::wait(std::chrono::seconds time, const std::string& why) {
    using namespace std::chrono;
    note(why + "; asking again in " + std::to_string(time.count()) + " s");
    const auto end = steady_clock::now() + time;
    for (auto now = steady_clock::now(); now < end && !should_stop(); now = steady_clock::now())
        std::this_thread::sleep_for(std::min<steady_clock::duration>(end - now, milliseconds{200}));
}

}  // namespace oai::harvest
