// SPDX-License-Identifier: MIT
#include "transform/sandbox.h"

#include <fmt/format.h>

#include <charconv>

#include "xml/handle.h"

namespace oai::transform {
namespace {

// A slice of 100 records allocates about 3 MB in total. Freed memory is not subtracted, so the
// limit bounds work as well as size. The second limit is for one block.
constexpr std::size_t kMaxMemory = 512U << 20U;
constexpr std::size_t kMaxBlock = 64U << 20U;
// Loops that allocate nothing never see the clock, so instructions are bounded too.
constexpr unsigned long kMaxInstructions = 20'000'000;
constexpr unsigned long kMaxXPathOperations = 200'000'000;
constexpr int kMaxTemplates = 1000;  // nested templates; a level needs a few kB of stack
constexpr int kMaxVariables = 15'000;
constexpr int kMaxLines = 20;

// The C callbacks have no user argument, so they find the Sandbox through the thread.
constinit thread_local Sandbox* current_sandbox = nullptr;

// "file:line: " of a node of a stylesheet; "" if there is none.
std::string place_of(const xmlNode* node) {
    if (node == nullptr || node->doc == nullptr || node->doc->URL == nullptr) return "";
    return fmt::format("{}:{}: ", xml::view(node->doc->URL), xmlGetLineNo(node));
}

void report_structured(void*, xmlErrorPtr error) noexcept {
    Sandbox* box = Sandbox::current();
    // Parsers of ours throw their own message.
    if (box == nullptr || error->message == nullptr || error->domain == XML_FROM_PARSER ||
        error->domain == XML_FROM_NAMESPACE)
        return;
    try {
        std::string_view message(error->message);
        while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
        box->explain(error->str1 == nullptr ? std::string(message)
                                            : fmt::format("{}: {}", message, error->str1));
    } catch (...) {  // out of memory: the message is lost, the failure itself is seen by its caller
    }
}

}  // namespace

constinit thread_local std::ptrdiff_t Sandbox::allowance_ = Sandbox::kStep;

Sandbox* Sandbox::current() noexcept { return current_sandbox; }

Sandbox::Sandbox(const Reach& reach)
    : outer_(current_sandbox),
      reach_(reach),
      outer_error_context_(xmlStructuredErrorContext),
      outer_error_(xmlStructuredError) {
    current_sandbox = this;
    xmlSetStructuredErrorFunc(nullptr, report_structured);
}

Sandbox::~Sandbox() {
    xmlSetStructuredErrorFunc(outer_error_context_, outer_error_);
    current_sandbox = outer_;
}

void Sandbox::limit(xsltTransformContext* context, std::chrono::milliseconds time) {
    context->maxTemplateDepth = kMaxTemplates;
    context->maxTemplateVars = kMaxVariables;
    context->opLimit = kMaxInstructions;
    context->xpathCtxt->opLimit = kMaxXPathOperations;
    deadline_ = std::chrono::steady_clock::now() + time;
    bytes_ = 0;
    context_ = context;
}

// Runs inside libxslt's own malloc: only marks the context, which libxslt looks at between
// instructions, and makes the XPath expression in progress run out of operations.
void Sandbox::stop(const char* why) noexcept {
    if (stopped_ == nullptr) {
        stopped_ = why;
        stopped_at_ = context_->inst;
    }
    context_->state = XSLT_STATE_STOPPED;
    context_->xpathCtxt->opLimit = 1;
}

bool Sandbox::charge_slowly(std::size_t bytes) noexcept {
    const auto spent = static_cast<std::size_t>(kStep - allowance_);
    allowance_ = kStep;
    Sandbox* const box = current_sandbox;
    if (box == nullptr || box->context_ == nullptr) return true;
    box->bytes_ += spent;
    if (box->bytes_ > kMaxMemory || bytes > kMaxBlock) {
        box->stop("the transform needs too much memory");
        return bytes <= kMaxBlock;
    }
    if (std::chrono::steady_clock::now() > box->deadline_)
        box->stop("the transform takes too long");
    return true;
}

std::string Sandbox::messages() const {
    std::string all = stopped_ == nullptr ? "" : place_of(stopped_at_) + stopped_;
    for (const std::string& part :
         {messages_, detail_.empty() ? detail_ : detail_place_ + detail_}) {
        all += all.empty() || part.empty() ? "" : "\n";
        all += part;
    }
    return all;
}

std::string Sandbox::place() const { return context_ == nullptr ? "" : place_of(context_->inst); }

void Sandbox::explain(std::string detail) {
    detail_ = std::move(detail);
    detail_place_ = place();
}

void Sandbox::report(std::string_view text) {
    pending_ += text;
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos;
         pending_.erase(0, end + 1))
        report_line(std::string_view(pending_).substr(0, end));
}

// libxslt writes "runtime error: file F line N element E" and the message on the next line.
void Sandbox::report_line(std::string_view line) {
    constexpr std::string_view file_word = " error: file ";
    constexpr std::string_view line_word = " line ";
    if (const std::size_t file = line.find(file_word); file != std::string_view::npos) {
        const std::size_t begin = file + file_word.size();
        const std::size_t number = line.rfind(line_word);
        const std::string_view path = line.substr(begin, std::min(number, line.size()) - begin);
        int n = 0;
        if (number != std::string_view::npos)
            std::from_chars(line.data() + number + line_word.size(), line.data() + line.size(), n);
        location_ = fmt::format("{}:{}: ", path, n);
        return;
    }
    if (!line.empty() && ++lines_ <= kMaxLines) {
        messages_ += messages_.empty() ? "" : "\n";
        messages_ += location_.empty() ? place() : location_;
        messages_ += line;
        location_.clear();
        if (!detail_.empty()) {
            messages_ += fmt::format(" ({})", detail_);
            detail_.clear();
        }
    }
}

std::optional<std::string> Sandbox::resolve(const char* uri) {
    if (const auto path = path_of(uri)) return file_within(reach_.directory, *path);
    used_catalog_ = true;
    if (reach_.catalog)
        if (auto file = reach_.catalog->find(uri)) return file;
    const std::string_view address(uri);
    const std::string_view name = address.substr(address.rfind('/') + 1);
    return file_within(reach_.directory, fmt::format("{}/{}", reach_.home, name));
}

}  // namespace oai::transform
