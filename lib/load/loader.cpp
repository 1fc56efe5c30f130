// SPDX-License-Identifier: MIT
#include "load/loader.h"

#include "load/arc.h"
#include "load/cdx.h"
#include "load/field.h"
#include "load/input.h"
#include "load/record.h"
#include "load/slice.h"
#include "load/sniff.h"
#include "load/warc.h"

namespace oai::load {
namespace {

constexpr std::size_t kSliceBytes = std::size_t{64} << 20;

// One file on its way.
class FileLoad final : public Findings {
  public:
    FileLoad(const std::string& path, Input& input, const LoaderOptions& options, Staging& staging, Progress& progress)
        : path_(path), input_(input), options_(options), staging_(staging), progress_(progress), damages_(path, progress) {}

    void capture(Capture capture) override {
        ++report_.records;
        slice_.add(std::move(capture));
        const bool full = slice_.entries().size() >= static_cast<std::size_t>(options_.slice_records);
        if (full || slice_.bytes() >= kSliceBytes) move();
        step();
    }

    void passed_over(std::string_view kind) override {
        report_.pass_over(file_name(kind).substr(0, 40));  // as the file has it
        step();
    }

    void damage(std::uint64_t offset, const std::string& what) override { damages_.add(offset, what); }

    void note(const std::string& what) override { progress_.line(path_ + ": " + what); }

    LoadReport finish() {
        move();
        report_.damaged = damages_.finish();
        return report_;
    }

  private:
    void step() { progress_.step(report_.records, input_.raw_position(), std::chrono::steady_clock::now()); }

    void move() {
        if (slice_.entries().empty()) return;
        const Moved moved = staging_.move(slice_.entries());
        report_.inserted += moved.inserted;
        report_.updated += moved.updated;
        slice_.clear();
    }

    const std::string& path_;
    Input& input_;
    const LoaderOptions& options_;
    Staging& staging_;
    Progress& progress_;
    DamageReport damages_;
    CaptureSlice slice_;
    LoadReport report_;
};

// False: there is nothing sound in it.
bool find_sound_begin(Input& input, Findings& findings) {
    while (input.peek(1).empty())
        if (input.broken().empty() || !next_stretch(input, findings)) return input.size() == 0;
    return true;
}

void read(Input& input, const std::string& path, Findings& findings) {
    const std::string file = file_name(path.substr(path.rfind('/') + 1));
    switch (sniff(input)) {
        case FileFormat::arc: return read_arc(input, file, findings);
        case FileFormat::warc: return read_warc(input, file, findings);
        case FileFormat::cdx: return read_cdx(input, findings);
        case FileFormat::cdxj: return read_cdxj(input, findings);
    }
}

}  // namespace

Loader::Loader(pg::Connection& connection, LoaderOptions options, Progress& progress)
    : options_(std::move(options)), staging_(connection, options_.staging), progress_(progress) {}

LoadReport Loader::load(const std::string& path) {
    Input input = Input::open(path);
    progress_.begin(path, input.size(), std::chrono::steady_clock::now());
    FileLoad file(path, input, options_, staging_, progress_);
    if (find_sound_begin(input, file)) read(input, path, file);
    return file.finish();
}

}  // namespace oai::load
