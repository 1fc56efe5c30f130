// SPDX-License-Identifier: MIT
// What records refer to by number, setSpecs and names of the dictionary: remembered for as long as
// the Store lives, and asked of the database when a number is met for the first time. Thread-safe.
#pragma once

#include <vector>

#include "pg/connection.h"
#include "store/dictionary.h"
#include "store/record_batch.h"
#include "store/set_specs.h"

namespace oai {

class References {
  public:
    // Gives the batch its names, and sees to it that set_specs() knows those of its headers. What
    // is not known yet is asked of connect(), a pg::Connection&: both questions in one round trip.
    template <typename Connect>
    void resolve(RecordBatch& batch, Connect&& connect) {
        const Unknown unknown = find_unknown(batch);
        if (!unknown.sets.empty() || !unknown.names.empty()) learn(connect(), unknown);
        batch.set_names(dictionary_.names(unknown.ids));
    }

    const SetSpecs& set_specs() const { return set_specs_; }

  private:
    struct Unknown {
        std::vector<int> ids;          // that the batch has in columns of the dictionary
        std::vector<int> names, sets;  // which of these, and of its sets, are not known
    };
    Unknown find_unknown(const RecordBatch& batch) const;
    void learn(pg::Connection& connection, const Unknown& unknown);

    SetSpecs set_specs_;
    Dictionary dictionary_;
};

}  // namespace oai
