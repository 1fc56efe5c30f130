// SPDX-License-Identifier: MIT
#include "tools/load/loader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/terminal.h"
#include "base/text.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxKindBytes = 40;

// One file while it is loaded slice by slice or into a first fill.
template <class Handler, class Slice, class Writers>
class FileLoad : public Handler {
  public:
    FileLoad(const std::string& path, Input& input, Writers& writers, Progress& progress)
        : path_(path),
          input_(input),
          progress_(progress),
          damages_(path, progress),
          writer_(writers, writers.slice_records(), report_) {}

    void damage(std::uint64_t place, const std::string& what) override {
        damages_.add(std::to_string(place), what);
    }
    LoadReport finish() {
        writer_.finish();
        for (const std::string& local_id : report_.refused)
            damages_.add(local_id,
                         "is a row of a table that oai map follows, and is changed there");
        report_.damaged = damages_.finish();
        return report_;
    }

  protected:
    void step() {
        progress_.step(report_.records, input_.raw_position(), std::chrono::steady_clock::now());
    }

    const std::string& path_;
    Input& input_;
    Progress& progress_;
    DamageReport damages_;
    LoadReport report_;
    SliceWriter<Slice, Writers> writer_;
};

template <class Slice, class Writers>
class CaptureFileLoad final : public FileLoad<CaptureHandler, Slice, Writers> {
  public:
    using FileLoad<CaptureHandler, Slice, Writers>::FileLoad;

    void capture(Capture capture) override {
        this->writer_.add(std::move(capture));
        this->step();
    }
    void skip(std::string_view kind) override {  // the file may say anything
        this->report_.pass_over(file_name(kind).substr(0, kMaxKindBytes));
        this->step();
    }
    void note(const std::string& what) override { this->progress_.line(this->path_ + ": " + what); }
};

// Goes to the first byte that can be read. Returns false if there is none in a file that has some.
bool find_sound_begin(Input& input, CaptureHandler& handler) {
    while (input.peek(1).empty())
        if (input.broken().empty() || !next_stretch(input, handler)) return input.size() == 0;
    return true;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

template <class Staging>
SliceSizes sizes(const auto& options, std::size_t first) {
    constexpr std::size_t kLeft = 20'000;
    return {options.leave_to_publisher ? kLeft : first, Staging::kLeastPublished,
            static_cast<std::size_t>(options.slice_records), options.leave_to_publisher};
}

class ItemFileLoad final : public FileLoad<ItemHandler, ItemSlice, ItemWriters> {
  public:
    using FileLoad::FileLoad;
    std::string visible_from;

    void item(Item item) override {
        if (item.visible_from.empty()) item.visible_from = visible_from;
        writer_.add(std::move(item));
        step();
    }
    void note(std::uint64_t line, const std::string& what) override {
        if (notes_++ == 0)
            progress_.line(
                fmt::format("{}:{}: {}; the publisher gives one, as to all others of this "
                            "file that have none",
                            path_, line, what));
    }
    void remark(const std::string& what) override { remarks_.pass_over(what); }
    void say_remarks() {
        for (const auto& [what, n] : remarks_.passed_over)
            progress_.line(fmt::format("{}: {}: {} times", path_, text::to_terminal_text(what), n));
    }

  private:
    int notes_ = 0;
    LoadReport remarks_;
};

// Lines that end as those of old Macintoshes, as Excel still offers to write them.
bool is_mac_text(std::string_view s) {
    return s.find('\r') != s.npos && s.find_first_of("\n<\x1D") == s.npos;
}

// By the 24 bytes that a record of ISO 2709 begins with.
bool is_iso2709(std::string_view s) {
    return s.size() >= 24 && text::to_integer(s.substr(0, 5)).has_value() &&
           s.substr(20, 2) == "45";
}

}  // namespace

void read_archive(Input& input, const std::string& file, CaptureHandler& handler,
                  Descriptions descriptions) {
    if (!find_sound_begin(input, handler)) return;
    switch (const FileFormat format = sniff(input)) {
        case FileFormat::cdx: return read_cdx(input, handler);
        case FileFormat::cdxj: return read_cdxj(input, handler);
        case FileFormat::arc:
        case FileFormat::warc: return read_records(input, format, file, handler, descriptions);
    }
}

bool is_archive(Input& input) try {
    sniff(input);
    return true;
} catch (const std::runtime_error&) {
    return false;
}

CaptureLoader::CaptureLoader(const std::string& conninfo, const CaptureLoaderOptions& options,
                             Progress& progress)
    : conninfo_(conninfo),
      staging_(options.staging),
      descriptions_(options.descriptions),
      writers_(sizes<CaptureStaging>(options, 10'000), conninfo, options.staging),
      progress_(progress) {}

bool CaptureLoader::begin_fill() {
    fill_.emplace(conninfo_, staging_, progress_);
    if (!fill_->begin()) fill_.reset();
    return fill_.has_value();
}

void CaptureLoader::finish() {
    if (fill_) fill_->publish();
    fill_.reset();
}

template <class Slice, class Writers>
LoadReport CaptureLoader::load_into(Writers& writers, Input& input, const std::string& path,
                                    const std::string& file) {
    progress_.begin(path, input.size(), std::chrono::steady_clock::now());
    CaptureFileLoad<Slice, Writers> handler(path, input, writers, progress_);
    read_archive(input, file_name(file), handler, descriptions_);
    return handler.finish();
}

LoadReport CaptureLoader::load(const std::string& path) {
    Input input = Input::open(path);
    if (!input.compressed() && is_zip(input.peek(4))) return load_wacz(path);
    return load_input(std::move(input), path, base_name(path));
}

LoadReport CaptureLoader::load_wacz(const std::string& path) {
    const ZipFile zip(path);
    if (zip.warc_files().empty())
        throw std::runtime_error("is a zip file without WARC files in a folder archive/: no WACZ");
    LoadReport all;
    for (const ZipFile::Member& member : zip.warc_files()) {
        const std::string place = path + "/" + member.name;
        try {
            all += load_input(Input::of_part(zip.open(member)), place,
                              base_name(path) + "/" + member.name);
        } catch (const pg::Error&) {
            throw;
        } catch (const TemporaryFileError&) {  // the file is sound
            throw;
        } catch (const std::runtime_error& e) {
            progress_.line(place + ": " + e.what());
            ++all.damaged;
        }
    }
    return all;
}

LoadReport CaptureLoader::load_input(Input input, const std::string& path,
                                     const std::string& file) {
    if (!fill_) return load_into<CaptureSlice>(writers_, input, path, file);
    LoadReport known;
    if (const auto captures = fill_->begin_file(path, input.size())) {
        known.records = *captures;
        progress_.line(path + ": was read before");
        return known;
    }
    try {
        return load_into<CaptureList>(*fill_, input, path, file);
    } catch (...) {
        fill_->give_up_file();
        throw;
    }
}

void read_items(Input& input, const CsvOptions& options, bool keep_deleted_marc,
                ItemHandler& handler, const std::function<void(const CsvHeader&)>& on_header) {
    const std::string_view head = input.peek(512);
    if (head.empty())
        throw std::runtime_error(input.broken().empty() ? "is empty" : input.broken());
    refuse_foreign(head);
    const auto begin = std::min(head.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), head.size() - 1);
    if (is_iso2709(head.substr(head[begin] == '0' ? begin : 0)))
        return read_items_mrc(input, keep_deleted_marc, handler);
    if (head[begin] == '<') return read_items_xml(input, keep_deleted_marc, handler);
    const auto header = csv_header(input, options);
    if (!header)
        throw std::runtime_error(
            "holds no bibliographic records: neither XML, ISO 2709 nor CSV with names of columns "
            "in one of its first lines");
    on_header(*header);
    read_items_csv(input, *header, options.value_separator, handler);
}

ItemLoader::ItemLoader(const std::string& conninfo, const ItemLoaderOptions& options,
                       Progress& progress)
    : csv_(options.csv),
      keep_deleted_marc_(options.keep_deleted_marc),
      visible_from_(options.visible_from),
      writers_(sizes<ItemStaging>(options, 5000), conninfo, options.collections),
      progress_(progress) {}

Input open_items(const std::string& path) {
    Input input = Input::open(path);
    const std::string_view head = input.peek(2);
    const char* const encoding = head.size() > 1 && head[1] == '\0'   ? "UTF-16LE"
                                 : head.size() > 1 && head[0] == '\0' ? "UTF-16BE"
                                                                      : evident_encoding(head);
    const bool is_wide = encoding != nullptr && encoding[4] == '1';
    const bool has_old_ends = is_mac_text(input.peek(Input::kWindowBytes));
    if (!is_wide && !has_old_ends) return input;
    FilePart part{.file = temporary_file(), .begin = 0, .size = 0};
    for (std::string_view s = input.peek(Input::kWindowBytes); !s.empty();
         s = input.peek(Input::kWindowBytes)) {
        std::size_t n = std::min(Input::kWindowBytes, s.size());
        // Not between two surrogates.
        if (is_wide && n == Input::kWindowBytes &&
            (s[n - (encoding[6] == 'L' ? 1 : 2)] & '\xFC') == '\xD8')
            n -= 2;
        std::string text =
            is_wide ? to_utf8(s.substr(0, n), encoding) : std::string(s.substr(0, n));
        if (has_old_ends) std::replace(text.begin(), text.end(), '\r', '\n');
        if (part.size == 0 && text.starts_with("<?xml")) text.erase(0, text.find('>') + 1);
        write_temporary(part.file, text);
        part.size += text.size();
        input.consume(n);
    }
    if (!input.broken().empty()) throw std::runtime_error(input.broken());
    return Input::of_part(std::move(part));
}

LoadReport ItemLoader::load(const std::string& path) {
    Input input = open_items(path);
    progress_.begin(path, input.size(), std::chrono::steady_clock::now());
    ItemFileLoad file(path, input, writers_, progress_);
    file.visible_from = visible_from_;
    read_items(input, csv_, keep_deleted_marc_, file, [&](const CsvHeader& header) {
        if (header.encoding != nullptr)
            progress_.line(path + ": is taken to be in " + standard_name(header.encoding));
        if (header.rows_before > 0)
            progress_.line(
                fmt::format("{}: rows before its columns: {}", path, header.rows_before));
        require_known(header);
    });
    file.say_remarks();
    return file.finish();
}

}  // namespace oai::load
