// SPDX-License-Identifier: MIT
// The pages on which people look at what harvesters harvest: base_url/browse and everything below
// it, and base_url itself for a browser that navigates there. libxslt renders them from the XML
// that pages.h collects. They work without a script and load nothing from other sites. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "browse/captures.h"
#include "browse/catalogue.h"
#include "browse/pages.h"
#include "transform/stylesheet.h"
#include "verb/handler.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

class BrowsePages {
  public:
    // Reads the stylesheets, texts, style, script, icons and crawlers in config.browse.directory,
    // and the logo. Throws xml::Error with file and line, and ConfigError if the logo is no picture
    // or too long.
    BrowsePages(const Config& config, const Repository& repository);

    // Whether the request is for a page: its path is below base_url/browse, or it is base_url and a
    // browser navigates there, whatever it accepts. A browser says so by Sec-Fetch-Dest: document
    // (Fetch Metadata), which harvesters do not send.
    bool wants(const Request& request) const;
    // Whether the answer at this path depends on Sec-Fetch-Dest, which Vary must then name.
    bool varies_by_fetch_dest(const Request& request) const;
    const std::vector<std::string>& crawlers() const { return crawlers_; }  // of page_budget()

    // REQUIRES: wants(request). Throws as verbs do. The policies of the pages take the place of
    // those of the context's repository.
    Response answer(const Context& context, const Request& request, RequestStats& stats) const;

  private:
    struct File {
        std::string type, content, tag;
        // Goes into its address, so that caches ask for it again when its content changes.
        std::string version() const { return tag.substr(1, 8); }
    };

    // A stylesheet of DIRECTORY/cite, which makes text of a record: BASE_URL/browse/cite/NAME/ID.
    // It describes itself by an element p:file at its top. A citation has a title.
    struct RecordFile {
        transform::Stylesheet stylesheet;
        std::string title, suffix, type;  // type: of media, without a charset
    };

    // What is there at a path below the mount; a path that ends in a slash goes on with a subject.
    struct Route {
        std::string_view path;
        Response (BrowsePages::*answer)(const PageQuestion&, const std::string& subject) const;
        bool is_raw = false;  // the subject stays as it was sent
    };
    static const Route* find_route(std::string_view path);  // nullptr: there is none

    // Answers of routes.
    template <PageContent (*kContent)(const PageQuestion&)>
    Response shown(const PageQuestion& question, const std::string&) const {
        return page(kContent(question), question.request);
    }
    // The identifier is in the path or, if that has none, the argument.
    Response record(const PageQuestion& question, const std::string& identifier) const;
    Response citation(const PageQuestion& question, const std::string& name_and_identifier) const;
    Response linkset(const PageQuestion& question, const std::string& identifier) const;
    Response file(const PageQuestion& question, const std::string& name) const;
    Response sitemaps(const PageQuestion& question,
                      const std::string& part) const;  // "": the index
    template <CapturesAnswer* kAnswer>
    Response captures(const PageQuestion& question, const std::string& path) const;

    void read_record_files();
    void add_file(const std::string& name, const std::string& type, std::string content);
    void add_logo(const std::string& path);
    const std::string& name() const;  // by which people know the repository
    bool gzip(const Request& request) const;
    // The language that the address names, or else the reader accepts.
    const Language& language_of(const Request& request) const;
    void begin_page(std::string& out, const Request& request, const PageContent& content) const;
    Response redirection(const std::string& path, const Request& request) const;
    xml::DocumentHandle source_of(const PageContent& content, const Request& request) const;
    // What a stylesheet of text makes of a page.
    std::string text_of(const transform::Stylesheet& stylesheet, xmlDoc* source,
                        const Language& language) const;
    Response page(const PageContent& content, const Request& request) const;

    const Config::Browse browse_;
    const Repository repository_;
    const std::string mount_;
    const transform::Stylesheet stylesheet_, link_header_, wayback_;
    std::map<std::string, RecordFile, std::less<>> record_files_;
    const Catalogue catalogue_;
    const std::string base_;  // the base URL without a slash at its end
    std::map<std::string, File, std::less<>> files_;
    std::vector<std::string> crawlers_;
};

}  // namespace oai
