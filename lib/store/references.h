// SPDX-License-Identifier: MIT
// What records refer to by number, sets and names of the dictionary: remembered for as long as the
// Store lives, and asked of the database when a number is met for the first time. Thread-safe.
#pragma once

#include <functional>

#include "pg/connection.h"
#include "store/dictionary.h"
#include "store/record_batch.h"

namespace oai {

class References {
  public:
    // Gives the batch its setSpecs and names. What is not known yet is asked of connection(), both
    // questions in one round trip. Throws Fault if oai.set has a spec that is no setSpec.
    void resolve(RecordBatch& batch, const std::function<pg::Connection&()>& connection);

  private:
    Dictionary set_specs_;
    Dictionary names_;
};

}  // namespace oai
