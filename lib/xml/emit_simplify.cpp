// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <utility>

#include "xml/emit.h"

namespace oai::xml {
namespace {

using Operations = std::vector<Operation>;
using Kind = Operation::Kind;

void simplify_all(Operations& operations, Emission& emission);

bool always_writes(const Operations& operations) {
    return std::any_of(operations.begin(), operations.end(),
                       [](const Operation& o) { return o.kind == Kind::text || o.kind == Kind::element; });
}

Operation markup(std::string text, std::size_t point) {
    Operation out{.kind = Kind::text, .text = std::move(text)};
    out.point = point;
    return out;
}

void move_all(Operations& from, Operations& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// An element whose emptiness is known beforehand is markup. Otherwise it stays what it is.
void unfold(Operation element, Operations& out) {
    if (!element.body.empty() && !always_writes(element.body)) {
        out.push_back(std::move(element));
        return;
    }
    const bool empty = element.body.empty();
    out.push_back(markup(std::move(element.text), element.point));
    move_all(element.head, out);
    out.push_back(markup(empty ? "/>" : ">", element.point));
    move_all(element.body, out);
    if (!empty) out.push_back(markup(std::move(element.end), element.point));
}

// The first of several texts is exercised exactly when the others are.
void join_texts(Operations& operations, Emission& emission) {
    Operations out;
    for (Operation& o : operations) {
        if (o.kind == Kind::text && !out.empty() && out.back().kind == Kind::text) {
            out.back().text += o.text;
            if (o.point != out.back().point) emission.points[o.point].wanted = 0;
        } else {
            out.push_back(std::move(o));
        }
    }
    operations = std::move(out);
}

void simplify_all(Operations& operations, Emission& emission) {
    Operations out;
    for (Operation& o : operations) {
        simplify_all(o.head, emission);
        simplify_all(o.body, emission);
        for (Operation::Branch& b : o.branches) simplify_all(b.body, emission);
        if (o.kind == Kind::element) {
            unfold(std::move(o), out);
        } else {
            out.push_back(std::move(o));
        }
    }
    join_texts(out, emission);
    operations = std::move(out);
}

}  // namespace

void simplify(Emission& emission) { simplify_all(emission.operations, emission); }

}  // namespace oai::xml
