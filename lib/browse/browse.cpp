// SPDX-License-Identifier: MIT
#include "browse/browse.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "browse/markup.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

constexpr std::chrono::seconds kTransformTimeout{10};
// The page loads nothing from other sites, runs no script but our own, and cannot be framed.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'";

constexpr const char* kSvgType = "image/svg+xml";
// A picture may be opened as a page of its own, where it must not run a script either.
constexpr const char* kFilePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
constexpr std::size_t kMaxLogoBytes = 100'000;
constexpr int kFileSeconds = 86'400;  // that caches keep a file
constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n"};

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

// A name for the file that any system takes.
std::string file_name(std::string_view identifier, std::string_view suffix) {
    std::string name(text::utf8_prefix(identifier, 100));
    for (char& c : name)
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c != '.')
            c = '-';
    return name.append(suffix);
}

Response without_record(const PageContent& content) {
    return content.status == 410 ? plain_response(410, "This record was deleted.")
                                 : plain_response(404, "There is no such record.");
}

}  // namespace

BrowsePages::BrowsePages(const Config& config, const Repository& repository)
    : browse_(config.browse),
      repository_(with_page_size(repository, config.browse.records)),
      mount_(mount_of(repository.facts.base_url)),
      stylesheet_(transform::Stylesheet::compile(config.browse.directory + "/browse.xsl")),
      link_header_(transform::Stylesheet::compile(config.browse.directory + "/link-header.xsl")),
      wayback_(transform::Stylesheet::compile(config.browse.directory + "/openwayback.xsl")),
      catalogue_(config.browse.directory, config.browse.languages),
      base_(without_last_slash(repository.facts.base_url)) {
    const std::string& directory = config.browse.directory;
    add_file("style.css", "text/css; charset=UTF-8", xml::read_file(directory + "/style.css"));
    add_file("script.js", "text/javascript; charset=UTF-8",
             xml::read_file(directory + "/script.js"));
    for (const char* name : {"icons.svg", "icon.svg"})
        add_file(name, kSvgType, xml::read_file(directory + "/" + name));
    const std::string crawlers = xml::read_file(directory + "/crawlers");
    for (const std::string_view line : text::split(crawlers, '\n'))
        if (!line.empty() && line[0] != '#') crawlers_.emplace_back(line);
    if (!config.browse.logo.empty()) add_logo(config.browse.logo);
    read_record_files();
}

void BrowsePages::read_record_files() {
    namespace fs = std::filesystem;
    const std::string directory = fs::canonical(browse_.directory).string();
    for (const fs::directory_entry& entry : fs::directory_iterator(directory + "/cite")) {
        if (entry.path().extension() != ".xsl") continue;
        RecordFile file{transform::Stylesheet::compile(entry.path().string(), directory), "", "",
                        ""};
        const xmlNode* n = xmlDocGetRootElement(file.stylesheet.document())->children;
        while (n != nullptr && xml::view(n->name) != "file") n = n->next;
        if (n == nullptr || xml::attribute_of(n, "type").empty())
            throw xml::Error(
                entry.path().string() +
                ":1: without <p:file title= suffix= type=/>, which says what it makes");
        file.title = xml::attribute_of(n, "title");
        file.suffix = xml::attribute_of(n, "suffix");
        file.type = xml::attribute_of(n, "type");
        record_files_.emplace(entry.path().stem().string(), std::move(file));
    }
}

void BrowsePages::add_file(const std::string& name, const std::string& type, std::string content) {
    std::string tag = entity_tag(content);
    files_.emplace(name, File{type, std::move(content), std::move(tag)});
}

void BrowsePages::add_logo(const std::string& path) {
    const auto fail = [&](const std::string& why) {
        throw ConfigError("[browse] logo: " + path + ": " + why);
    };
    std::string content = xml::read_file(path);
    if (content.size() > kMaxLogoBytes)
        fail(fmt::format("{} bytes long; use a file of at most {}", content.size(), kMaxLogoBytes));
    const bool is_png = path.ends_with(".png");
    if (is_png && !content.starts_with(kPngSignature)) fail("not PNG");
    if (!is_png && xml::root_name(xml::parse_file(path).get()) != "svg")
        fail("the document element is not <svg>");
    add_file("logo", is_png ? "image/png" : kSvgType, std::move(content));
}

const std::string& BrowsePages::name() const {
    return browse_.name.empty() ? repository_.facts.name : browse_.name;
}

bool BrowsePages::gzip(const Request& request) const {
    return repository_.facts.compression && request.accepts_gzip;
}

Response BrowsePages::file(const PageQuestion& question, const std::string& name) const {
    const auto found = files_.find(name);
    if (found == files_.end()) return plain_response(404, "There is no such file.");
    const File& file = found->second;
    Response response = text_response(file.type, file.content, gzip(question.request));
    mark_unchanging(response, question.request, file.tag, kFileSeconds);
    response.headers.emplace_back("Content-Security-Policy", kFilePolicy);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return response;
}

void BrowsePages::begin_page(std::string& out, const Request& request,
                             const PageContent& content) const {
    const Language& language = language_of(request);
    const Language* const chosen = catalogue_.find(argument_of(request, "lang"));
    const std::string tag = chosen != nullptr ? chosen->tag : "";
    markup::open(out, "page",
                 {{"kind", content.kind},
                  {"lang", language.tag},
                  {"dir", language.direction},
                  {"keep", tag},
                  {"only", tag.empty() ? tag : "?lang=" + tag},
                  {"also", tag.empty() ? tag : "&lang=" + tag},
                  {"mount", mount_},
                  {"base", base_},
                  {"repository", name()},
                  {"identifiers", repository_.identifier_prefix},
                  {"logo", files_.contains("logo") ? files_.at("logo").version() : ""},
                  {"icon", files_.at("icon.svg").version()},
                  {"sets", repository_.facts.sets},
                  {"here", address_without_language(request)},
                  {"style", files_.at("style.css").version()},
                  {"script", files_.at("script.js").version()}});
    for (const Language& other : catalogue_.languages())
        markup::empty(out, "language", {{"tag", other.tag}, {"name", other.name}});
    for (const auto& [name, file] : record_files_)
        if (!file.title.empty())
            markup::empty(out, "file",
                          {{"name", name}, {"title", file.title}, {"type", file.type}});
}

// Keeps the language.
Response BrowsePages::redirection(const std::string& path, const Request& request) const {
    Response response = plain_response(303, "See the page of the record.");
    const std::string_view language = argument_of(request, "lang");
    response.headers.emplace_back(
        "Location", base_ + "/browse/" + path +
                        (language.empty() ? "" : "?lang=" + text::percent_encode(language)));
    return response;
}

const Language& BrowsePages::language_of(const Request& request) const {
    const Language* chosen = catalogue_.find(argument_of(request, "lang"));
    return chosen != nullptr ? *chosen : catalogue_.choose(request.accept_language);
}

xml::DocumentHandle BrowsePages::source_of(const PageContent& content,
                                           const Request& request) const {
    std::string source;
    begin_page(source, request, content);
    source += content.xml;
    markup::close(source, "page");
    return xml::parse_memory(source, "page");
}

std::string BrowsePages::text_of(const transform::Stylesheet& stylesheet, xmlDoc* source,
                                 const Language& language) const {
    const xml::DocumentHandle result =
        stylesheet.apply(source, kTransformTimeout, {}, page_functions(language));
    std::string text;
    for (const xmlNode* n = result->children; n != nullptr; n = n->next) {
        const xml::StringHandle content(xmlNodeGetContent(n));
        text += xml::view(content.get());
    }
    return text;
}

Response BrowsePages::record(const PageQuestion& question, const std::string& identifier) const {
    const std::string_view asked =
        identifier.empty() ? argument_of(question.request, "identifier") : identifier;
    return page(text::is_xml_text(asked) ? record_page(question, asked) : missing_page(),
                question.request);
}

Response BrowsePages::citation(const PageQuestion& question, const std::string& subject) const {
    const Request& request = question.request;
    const std::size_t slash = std::min(subject.find('/'), subject.size());
    const auto found = record_files_.find(subject.substr(0, slash));
    if (found == record_files_.end() || slash == subject.size())
        return plain_response(404, "There is no such format of citations.");
    const RecordFile& file = found->second;
    const bool is_citation = !file.title.empty();
    const std::string identifier = subject.substr(slash + 1);
    const PageContent content = record_summary(question, identifier);
    if (content.status != 200) return without_record(content);
    if (is_citation && !content.has_dublin_core)
        return plain_response(404, "This record is not available in Dublin Core.");
    const Language& language = language_of(request);
    Response response = text_response(
        file.type + (is_citation ? "; charset=UTF-8" : ""),
        text_of(file.stylesheet, source_of(content, request).get(), language), gzip(request));
    mark_momentary(response);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("X-Robots-Tag", "noindex");
    if (file.type == "text/plain") {
        response.headers.emplace_back("Content-Language", language.tag);
        vary_by(response, "Accept-Language");
    } else if (is_citation) {
        response.headers.emplace_back(
            "Content-Disposition",
            "attachment; filename=\"" + file_name(identifier, file.suffix) + "\"");
    }
    return response;
}

// All links of a record: a stylesheet beside those of citations, at an address of its own.
Response BrowsePages::linkset(const PageQuestion& question, const std::string& identifier) const {
    return citation(question, "linkset/" + identifier);
}

Response BrowsePages::page(const PageContent& content, const Request& request) const {
    if (!content.location.empty()) return redirection(content.location, request);
    const Language& language = language_of(request);
    const xml::DocumentHandle document = source_of(content, request);
    const xml::DocumentHandle result =
        stylesheet_.apply(document.get(), kTransformTimeout, {}, page_functions(language));
    Response response =
        text_response("text/html; charset=UTF-8", xml::html_text(result.get()), gzip(request));
    response.status = content.status;
    response.headers.emplace_back("Content-Language", language.tag);
    vary_by(response, "Accept-Language");
    mark_momentary(response);
    response.headers.emplace_back("Content-Security-Policy", kPolicy);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("Referrer-Policy", "same-origin");
    if (content.status == 200 && (content.kind == "record" || content.kind == "home"))
        if (std::string links = text_of(link_header_, document.get(), language); !links.empty())
            response.headers.emplace_back("Link", std::move(links));
    if (!content.memento_datetime.empty())
        response.headers.emplace_back("Memento-Datetime", content.memento_datetime);
    return response;
}

template <CapturesAnswer* kAnswer>
Response BrowsePages::captures(const PageQuestion& question, const std::string& path) const {
    const Request& request = question.request;
    SearchQueries search(question.context.store, repository_.identifier_prefix);
    const CachePolicy closed{repository_.lists.cache_seconds,
                             repository_.lists.token_lifetime_seconds};
    const std::string subject = path + (request.query.empty() ? "" : "?" + request.query);
    return respond({search, request, base_, browse_.replay, wayback_, question.context.clock.now(),
                    closed, subject, gzip(request)},
                   kAnswer);
}

Response BrowsePages::sitemaps(const PageQuestion& question, const std::string& part) const {
    const std::string pages = base_ + "/browse";
    std::string body =
        part.empty() ? sitemap_index(question, pages) : sitemap(question, part, pages);
    if (body.empty()) return plain_response(404, "There is no such part of the sitemap.");
    Response response =
        text_response("application/xml; charset=UTF-8", std::move(body), gzip(question.request));
    response.headers.emplace_back("Cache-Control", "public, max-age=3600");
    return response;
}

const BrowsePages::Route* BrowsePages::find_route(std::string_view path) {
    using B = BrowsePages;
    static constexpr Route kRoutes[] = {{"/browse", &B::shown<home_page>},
                                        {"/browse/formats", &B::shown<formats_page>},
                                        {"/browse/sets", &B::shown<sets_page>},
                                        {"/browse/list", &B::shown<list_page>},
                                        {"/browse/explore", &B::shown<explorer_page>},
                                        {"/browse/search", &B::shown<search_page>},
                                        {"/browse/record", &B::record},
                                        {"/browse/record/", &B::record},
                                        {"/browse/cite/", &B::citation},
                                        {"/browse/linkset/", &B::linkset},
                                        {"/browse/file/", &B::file},
                                        {"/browse/sitemap.xml", &B::sitemaps},
                                        {"/browse/sitemap/", &B::sitemaps},
                                        {"/browse/captures", &B::captures<list_captures>},
                                        {"/captures", &B::captures<list_captures>},
                                        {"/timemap/", &B::captures<timemap>, true},
                                        {"/timegate/", &B::captures<timegate>, true}};
    if (path == "/browse/") path = "/browse";
    const auto* const found = std::find_if(std::begin(kRoutes), std::end(kRoutes), [&](auto& r) {
        return r.path.ends_with('/') ? path.starts_with(r.path) : path == r.path;
    });
    return found == std::end(kRoutes) ? nullptr : found;
}

bool BrowsePages::varies_by_fetch_dest(const Request& request) const {
    return request.method != "POST" && is_base(request.path, mount_);
}

bool BrowsePages::wants(const Request& request) const {
    if (varies_by_fetch_dest(request)) return request.fetch_dest == "document";
    if (!request.path.starts_with(mount_)) return false;
    const std::string_view path = std::string_view(request.path).substr(mount_.size());
    return path.starts_with("/browse/") || find_route(path) != nullptr;
}

Response BrowsePages::answer(const Context& from, const Request& request,
                             RequestStats& stats) const {
    if (request.method == "POST") return only_by_get("Pages are asked for by GET.");
    const Context context{repository_, from.store,  from.formats, from.sealer,
                          from.clock,  from.latest, from.floor};
    BrowseQueries queries(from.store);
    const PageQuestion question{context, browse_, base_, queries, request, stats};
    if (is_base(request.path, mount_)) {
        Response response = page(verb_page(question), request);
        vary_by(response, "Sec-Fetch-Dest");
        return response;
    }
    const std::string_view path = std::string_view(request.path).substr(mount_.size());
    const Route* const route = find_route(path);
    if (route == nullptr) return page(missing_page(), request);
    const bool has_subject = route->path.ends_with('/');
    std::optional<std::string> subject(has_subject ? path.substr(route->path.size()) : "");
    if (has_subject && !route->is_raw) subject = decoded_path(*subject);
    if (!subject) return page(missing_page(), request);
    return (this->*route->answer)(question, *subject);
}

}  // namespace oai
