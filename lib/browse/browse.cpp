// SPDX-License-Identifier: MIT
#include "browse/browse.h"

#include "base/text.h"
#include "browse/json_ld.h"
#include "browse/markup.h"
#include "browse/page_functions.h"
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
    "base-uri 'none'; frame-ancestors 'none'";

// Goes into the address of the file, so that caches ask for it again when its content changes.
std::string version_of(const std::string& tag) { return tag.substr(1, 8); }

Repository with_page_size(Repository repository, int records) {
    repository.lists.records = records;
    repository.lists.on_bad_record = OnBadRecord::skip;
    return repository;
}

// The address without the language, so that the choice of another one can be appended.
std::string address_without_language(const Request& request) {
    std::vector<Argument> others = request.arguments;
    std::erase_if(others, [](const Argument& argument) { return argument.name == "lang"; });
    return request.path + (others.empty() ? "" : "?" + query_of(others, ":"));
}

const xmlNode* find_element(const xmlNode* from, std::string_view name) {
    for (const xmlNode* n = from; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        if (name == xml::view(n->name)) return n;
        if (const xmlNode* below = find_element(n->children, name)) return below;
    }
    return nullptr;
}

}  // namespace

BrowsePages::BrowsePages(const Config& config, const Repository& repository)
    : browse_(config.browse),
      repository_(with_page_size(repository, config.browse.records)),
      mount_(mount_of(repository.facts.base_url)),
      stylesheet_(transform::Stylesheet::compile(config.browse.directory + "/browse.xsl")),
      catalogue_(config.browse.directory, config.browse.languages) {
    base_ = repository.facts.base_url;
    while (base_.ends_with('/')) base_.pop_back();
    for (const auto& [name, type] : {std::pair("style.css", "text/css; charset=UTF-8"),
                                     std::pair("script.js", "text/javascript; charset=UTF-8")}) {
        std::string content = xml::read_file(config.browse.directory + "/" + name);
        std::string tag = entity_tag(content);
        files_.emplace(name, File{type, std::move(content), std::move(tag)});
    }
}

bool BrowsePages::gzip(const Request& request) const {
    return repository_.facts.compression && request.accepts_gzip;
}

Response BrowsePages::file(const std::string& name, const Request& request) const {
    const auto found = files_.find(name);
    if (found == files_.end()) return plain_response(404, "There is no such file.");
    const File& file = found->second;
    Response response = names_tag(request.if_none_match, file.tag)
                            ? Response{.status = 304, .headers = {}, .body = {}}
                            : text_response(file.type, file.content, gzip(request));
    response.headers.emplace_back("ETag", file.tag);
    response.headers.emplace_back("Cache-Control", "public, max-age=86400");
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
}

PageContent BrowsePages::content(const PageQuestion& question, const PageAddress& address) const {
    switch (address.kind) {
        case Kind::home: return home_page(question);
        case Kind::formats: return formats_page(question);
        case Kind::sets: return sets_page(question);
        case Kind::list: return list_page(question);
        case Kind::record:
            return record_page(question, address.subject.empty()
                                             ? argument_of(question.request, "identifier")
                                             : std::string_view(address.subject));
        case Kind::explore: return explorer_page(question);
        default: return missing_page();
    }
}

void BrowsePages::begin_page(std::string& out, const Request& request, const Language& language,
                             const Language* chosen, std::string_view kind) const {
    const std::string tag = chosen != nullptr ? chosen->tag : "";
    markup::open(out, "page",
                 {{"kind", kind},
                  {"lang", language.tag},
                  {"dir", language.direction},
                  {"keep", tag},
                  {"only", tag.empty() ? tag : "?lang=" + tag},
                  {"also", tag.empty() ? tag : "&lang=" + tag},
                  {"mount", mount_},
                  {"base", base_},
                  {"repository", repository_.facts.name},
                  {"sets", repository_.facts.sets},
                  {"here", address_without_language(request)},
                  {"style", version_of(files_.at("style.css").tag)},
                  {"script", version_of(files_.at("script.js").tag)}});
    for (const Language& other : catalogue_.languages())
        markup::empty(out, "language", {{"tag", other.tag}, {"name", other.name}});
}

// Adds the record's metadata as JSON-LD to its page.
void BrowsePages::add_json_ld(xmlDoc* page) const {
    xmlNode* root = xmlDocGetRootElement(page);
    const xmlNode* item = find_element(root->children, "item");
    const xmlNode* dc = find_element(root->children, "dc");
    if (item == nullptr || dc == nullptr) return;
    const xml::StringHandle value(xmlGetNoNsProp(item, xml::xml_chars("identifier")));
    const std::string identifier(xml::view(value.get()));
    const std::string json = json_ld(dc, {.identifier = identifier,
                                          .url = base_ + "/browse/" + record_path(identifier),
                                          .catalogue = repository_.facts.name});
    xml::add_text(xml::add_element(root, xml::intern(page, "json-ld")), json);
}

Response BrowsePages::page(const PageContent& content, const Request& request) const {
    const Language* chosen = catalogue_.find(argument_of(request, "lang"));
    const Language& language =
        chosen != nullptr ? *chosen : catalogue_.choose(request.accept_language);
    std::string source;
    begin_page(source, request, language, chosen, content.kind);
    source += content.xml;
    markup::close(source, "page");
    const xml::DocumentHandle document = xml::parse_memory(source, "page");
    if (content.kind == "record") add_json_ld(document.get());
    const transform::Functions functions = page_functions(language);
    const xml::DocumentHandle result =
        stylesheet_.apply(document.get(), kTransformTimeout, &functions);
    Response response =
        text_response("text/html; charset=UTF-8", xml::html_text(result.get()), gzip(request));
    response.status = content.status;
    response.headers.emplace_back("Content-Language", language.tag);
    vary_by(response, "Accept-Language");
    mark_momentary(response);
    response.headers.emplace_back("Content-Security-Policy", kPolicy);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("Referrer-Policy", "same-origin");
    return response;
}

Response BrowsePages::sitemap_response(std::string body, const Request& request) const {
    if (body.empty()) return plain_response(404, "There is no such part of the sitemap.");
    Response response =
        text_response("application/xml; charset=UTF-8", std::move(body), gzip(request));
    response.headers.emplace_back("Cache-Control", "public, max-age=3600");
    return response;
}

bool BrowsePages::varies_by_fetch_dest(const Request& request) const {
    return request.method != "POST" && is_base(request.path, mount_);
}

bool BrowsePages::wants(const Request& request) const {
    if (varies_by_fetch_dest(request)) return request.fetch_dest == "document";
    return page_address(request.path, mount_).has_value();
}

Response BrowsePages::answer(const Context& from, const Request& request,
                             RequestStats& stats) const {
    if (request.method == "POST") return only_by_get("Pages are asked for by GET.");
    const Context context{repository_, from.store,  from.formats,    from.sealer,
                          from.clock,  from.latest, from.exclusions, from.floor};
    BrowseQueries queries(from.store);
    const PageQuestion question{context, browse_, queries, histograms_, request, stats};
    const auto address = page_address(request.path, mount_);
    if (!address) {
        Response response = page(verb_page(question), request);
        vary_by(response, "Sec-Fetch-Dest");
        return response;
    }
    const std::string pages = base_ + "/browse";
    switch (address->kind) {
        case Kind::file: return file(address->subject, request);
        case Kind::robots:
            return text_response("text/plain; charset=UTF-8", robots_advice(pages, mount_), false);
        case Kind::sitemap_index: return sitemap_response(sitemap_index(question, pages), request);
        case Kind::sitemap:
            return sitemap_response(sitemap(question, address->subject, pages), request);
        default: return page(content(question, *address), request);
    }
}

}  // namespace oai
