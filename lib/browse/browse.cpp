// SPDX-License-Identifier: MIT
#include "browse/browse.h"

#include <array>
#include <map>

#include "base/text.h"
#include "browse/catalogue.h"
#include "browse/json_ld.h"
#include "browse/markup.h"
#include "browse/page_address.h"
#include "browse/page_functions.h"
#include "browse/pages.h"
#include "web/http_cache.h"
#include "web/mount.h"
#include "xml/document.h"
#include "xml/html.h"
#include "xml/tree.h"
#include "xml/view.h"

namespace oai {
namespace {

using Kind = PageAddress::Kind;

constexpr std::chrono::seconds kTransformTimeout{10};
// The page loads nothing from other sites, runs no script but our own, and cannot be framed.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; "
    "frame-ancestors 'none'";

struct File {
    std::string type, content, tag;
};

File read_asset(const std::string& directory, const std::string& name, const char* type) {
    File file{.type = type, .content = xml::read_file(directory + "/" + name), .tag = {}};
    file.tag = entity_tag(file.content);
    return file;
}

// Goes into the address of the file, so that caches ask for it again when its content changes.
std::string version_of(const File& file) { return file.tag.substr(1, 8); }

Repository with_page_size(Repository repository, int records) {
    repository.lists.records = records;
    repository.lists.on_bad_record = OnBadRecord::skip;
    return repository;
}

// The address without the language, so that the choice of another one can be appended.
std::string address_without_language(const Request& request) {
    std::string address = request.path;
    char separator = '?';
    for (const Argument& argument : request.arguments) {
        if (argument.name == "lang") continue;
        address += separator;
        address +=
            text::percent_encode(argument.name) + "=" + text::percent_encode(argument.value, ":");
        separator = '&';
    }
    return address;
}

const xmlNode* find_element(const xmlNode* from, std::string_view name) {
    for (const xmlNode* n = from; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        if (name == xml::view(n->name)) return n;
        if (const xmlNode* below = find_element(n->children, name)) return below;
    }
    return nullptr;
}

void add_security_headers(Response& response) {
    response.headers.emplace_back("Content-Security-Policy", kPolicy);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("Referrer-Policy", "same-origin");
}

}  // namespace

struct BrowsePages::State {
    State(const Config& c, const Repository& r)
        : browse(c.browse),
          repository(with_page_size(r, c.browse.records)),
          mount(mount_of(r.facts.base_url)),
          stylesheet(transform::Stylesheet::compile(c.browse.directory + "/browse.xsl")),
          catalogue(c.browse.directory, c.browse.languages) {
        files.emplace("style.css",
                      read_asset(c.browse.directory, "style.css", "text/css; charset=UTF-8"));
        files.emplace("script.js", read_asset(c.browse.directory, "script.js",
                                              "text/javascript; charset=UTF-8"));
    }

    std::string base() const {
        std::string url = repository.facts.base_url;
        while (url.ends_with('/')) url.pop_back();
        return url;
    }
    bool gzip(const Request& request) const {
        return repository.facts.compression && request.accepts_gzip;
    }
    Response file(const std::string& name, const Request& request) const;
    PageContent content(const PageQuestion& question, const PageAddress& address) const;
    // chosen: the language that the address names; nullptr: none.
    void begin_page(std::string& out, const Request& request, const Language& language,
                    const Language* chosen, std::string_view kind) const;
    void add_json_ld(xmlDoc* page) const;
    Response page(const PageContent& content, const Request& request) const;
    Response crawlers(const PageQuestion& question, const PageAddress& address) const;

    const Config::Browse browse;
    const Repository repository;
    const std::string mount;
    const transform::Stylesheet stylesheet;
    const Catalogue catalogue;
    std::map<std::string, File, std::less<>> files;
    HistogramCache histograms;
};

Response BrowsePages::State::file(const std::string& name, const Request& request) const {
    const auto found = files.find(name);
    if (found == files.end()) return plain_response(404, "There is no such file.");
    const File& file = found->second;
    Response response = names_tag(request.if_none_match, file.tag)
                            ? Response{.status = 304, .headers = {}, .body = {}}
                            : text_response(file.type, file.content, gzip(request));
    response.headers.emplace_back("ETag", file.tag);
    response.headers.emplace_back("Cache-Control", "public, max-age=86400");
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
}

PageContent BrowsePages::State::content(const PageQuestion& question,
                                        const PageAddress& address) const {
    switch (address.kind) {
        case Kind::home:
            return home_page(question);
        case Kind::formats:
            return formats_page(question);
        case Kind::sets:
            return sets_page(question);
        case Kind::list:
            return list_page(question);
        case Kind::record:
            return record_page(question, address.subject.empty()
                                             ? argument_of(question.request, "identifier")
                                             : std::string_view(address.subject));
        case Kind::explore:
            return explorer_page(question);
        default:
            return missing_page();
    }
}

void BrowsePages::State::begin_page(std::string& out, const Request& request,
                                    const Language& language, const Language* chosen,
                                    std::string_view kind) const {
    const std::string tag = chosen != nullptr ? chosen->tag : "";
    markup::open(out, "page",
                 {{"kind", kind},
                  {"lang", language.tag},
                  {"dir", language.direction},
                  {"keep", tag},
                  {"only", tag.empty() ? tag : "?lang=" + tag},
                  {"also", tag.empty() ? tag : "&lang=" + tag},
                  {"mount", mount},
                  {"base", base()},
                  {"repository", repository.facts.name},
                  {"sets", repository.facts.sets},
                  {"here", address_without_language(request)},
                  {"style", version_of(files.at("style.css"))},
                  {"script", version_of(files.at("script.js"))}});
    for (const Language& other : catalogue.languages())
        markup::empty(out, "language", {{"tag", other.tag}, {"name", other.name}});
}

// Adds the record's metadata as JSON-LD to its page.
void BrowsePages::State::add_json_ld(xmlDoc* page) const {
    xmlNode* root = xmlDocGetRootElement(page);
    const xmlNode* item = find_element(root->children, "item");
    const xmlNode* dc = find_element(root->children, "dc");
    if (item == nullptr || dc == nullptr) return;
    const xml::StringHandle value(xmlGetNoNsProp(item, xml::xml_chars("identifier")));
    const std::string identifier(xml::view(value.get()));
    const std::string json = json_ld(dc, {.identifier = identifier,
                                          .url = base() + "/browse/" + record_path(identifier),
                                          .catalogue = repository.facts.name});
    xml::add_text(xml::add_element(root, xml::intern(page, "json-ld")), json);
}

Response BrowsePages::State::page(const PageContent& content, const Request& request) const {
    const Language* chosen = catalogue.find(argument_of(request, "lang"));
    const Language& language =
        chosen != nullptr ? *chosen : catalogue.choose(request.accept_language);
    std::string source;
    begin_page(source, request, language, chosen, content.kind);
    source += content.xml;
    markup::close(source, "page");
    const xml::DocumentHandle document = xml::parse_memory(source, "page");
    if (content.kind == "record") add_json_ld(document.get());
    const transform::Functions functions = page_functions(language);
    const xml::DocumentHandle result =
        stylesheet.apply(document.get(), kTransformTimeout, &functions);
    Response response =
        text_response("text/html; charset=UTF-8", xml::html_text(result.get()), gzip(request));
    response.status = content.status;
    response.headers.emplace_back("Content-Language", language.tag);
    vary_by(response, "Accept-Language");
    mark_momentary(response);
    add_security_headers(response);
    return response;
}

Response BrowsePages::State::crawlers(const PageQuestion& question,
                                      const PageAddress& address) const {
    const std::string pages = base() + "/browse";
    if (address.kind == Kind::robots)
        return text_response("text/plain; charset=UTF-8", robots_advice(pages, mount), false);
    std::string body = address.kind == Kind::sitemap ? sitemap(question, address.subject, pages)
                                                     : sitemap_index(question, pages);
    if (body.empty()) return plain_response(404, "There is no such part of the sitemap.");
    Response response =
        text_response("application/xml; charset=UTF-8", std::move(body), gzip(question.request));
    response.headers.emplace_back("Cache-Control", "public, max-age=3600");
    return response;
}

BrowsePages::BrowsePages(const Config& config, const Repository& repository)
    : state_(std::make_unique<State>(config, repository)) {}

BrowsePages::~BrowsePages() = default;

bool BrowsePages::varies_by_fetch_dest(const Request& request) const {
    return request.method != "POST" && is_base(request.path, state_->mount);
}

bool BrowsePages::wants(const Request& request) const {
    if (varies_by_fetch_dest(request)) return request.fetch_dest == "document";
    return page_address(request.path, state_->mount).has_value();
}

Response BrowsePages::answer(const Context& from, const Request& request,
                             RequestStats& stats) const {
    if (request.method == "POST") {
        Response refused = plain_response(405, "Pages are asked for by GET.");
        refused.headers.back().second = "GET, HEAD";
        return refused;
    }
    const Context context{state_->repository, from.store,  from.formats,    from.sealer,
                          from.clock,         from.latest, from.exclusions, from.floor};
    BrowseQueries queries(from.store);
    const PageQuestion question{context, state_->browse, queries, state_->histograms,
                                request, stats};
    const auto address = page_address(request.path, state_->mount);
    if (!address) {
        Response response = state_->page(verb_page(question), request);
        vary_by(response, "Sec-Fetch-Dest");
        return response;
    }
    switch (address->kind) {
        case Kind::file:
            return state_->file(address->subject, request);
        case Kind::robots:
        case Kind::sitemap_index:
        case Kind::sitemap:
            return state_->crawlers(question, *address);
        default:
            return state_->page(state_->content(question, *address), request);
    }
}

}  // namespace oai
