// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: finds out their format, reads them, and writes their
// captures slice by slice, or all of them together as the first fill of an empty repository. Damage
// costs what is damaged; loading a file again changes nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/archive_reader.h"
#include "tools/load/capture_fill.h"
#include "tools/load/capture_staging.h"
#include "tools/load/input.h"
#include "tools/load/item_staging.h"
#include "tools/load/items.h"
#include "tools/load/parallel_writers.h"
#include "tools/load/progress.h"

namespace oai::load {

struct CaptureLoaderOptions {
    CaptureStagingOptions staging;
    int slice_records = 50'000;  // at most
    bool leave_to_publisher = false;
    Descriptions descriptions = Descriptions::read;
};

using CaptureWriters = ParallelWriters<CaptureStaging, CanonicalCapture>;

class CaptureLoader {
  public:
    // conninfo: of the loading role. Throws as CaptureStaging's constructor. Damage and notes of
    // files are printed by `progress`, at most 20 damages of each.
    CaptureLoader(const std::string& conninfo, const CaptureLoaderOptions& options,
                  Progress& progress);

    // A WACZ is loaded WARC file by WARC file; the captures say of each that it is in FILE.wacz/ at
    // its place there. Throws std::runtime_error in words when the file is no web archive or cannot
    // be read; slices that were written before stay.
    LoadReport load(const std::string& path);

    // From now on files are read into a first fill, which finish() publishes. Returns false if the
    // repository is not empty: they are then loaded as without it.
    bool begin_fill();
    // To be called at the end. Throws pg::Error.
    void finish();

  private:
    LoadReport load_wacz(const std::string& path);
    // file: the name of the archive that captures get.
    LoadReport load_input(Input input, const std::string& path, const std::string& file);
    template <class Slice, class Writers>
    LoadReport load_into(Writers& writers, Input& input, const std::string& path,
                         const std::string& file);

    const std::string conninfo_;
    const CaptureStagingOptions staging_;
    const Descriptions descriptions_;
    CaptureWriters writers_;
    std::optional<CaptureFill> fill_;
    Progress& progress_;
};

// Loads files into the model library: finds out their format, reads them, writes their items slice
// by slice. Damage costs what is damaged; loading a file again changes nothing. Of an item that is
// met several times the last one counts.

struct ItemLoaderOptions {
    std::vector<std::string> collections;  // names that every item is filed in
    CsvOptions csv;
    bool keep_deleted_marc = false;  // records that their leader calls deleted
    int slice_records = 50'000;      // at most
    bool leave_to_publisher = false;
    std::string visible_from{};  // of items that say nothing of it themselves
};

// With a connection of its own.
class ConnectedItemStaging {
  public:
    // Throws as ItemStaging's constructor.
    ConnectedItemStaging(const std::string& conninfo, const std::vector<std::string>& collections)
        : connection_(conninfo, "oai load"), staging_(connection_, collections) {}
    SliceCounts write(const std::vector<Item>& items) { return staging_.write(items); }
    PublishedSlice publish(const std::vector<Item>& items) { return staging_.publish(items); }

  private:
    pg::Connection connection_;
    ItemStaging staging_;
};
using ItemWriters = ParallelWriters<ConnectedItemStaging, Item>;

class ItemLoader {
  public:
    // conninfo: of the loading role. Throws as ItemStaging's constructor. Damage is printed by
    // `progress`, at most 20 of each file.
    ItemLoader(const std::string& conninfo, const ItemLoaderOptions& options, Progress& progress);

    // Throws std::runtime_error in words when the file holds no such records or cannot be read;
    // slices that were written before stay.
    LoadReport load(const std::string& path);

  private:
    const CsvOptions csv_;
    const bool keep_deleted_marc_;
    const std::string visible_from_;
    ItemWriters writers_;
    Progress& progress_;
};

// Finds out the format of a file of items and reads it; on_header is called for that of CSV. Throws
// std::runtime_error with words for the administrator, and what on_header throws.
void read_items(Input& input, const CsvOptions& options, bool keep_deleted_marc,
                ItemHandler& handler, const std::function<void(const CsvHeader&)>& on_header);

// The same for the captures of an archive or index. file: the name that they get.
bool is_archive(Input& input);
void read_archive(Input& input, const std::string& file, CaptureHandler& handler,
                  Descriptions descriptions);

// Opens a file of items, which is converted into a temporary one where it is in UTF-16.
Input open_items(const std::string& path);

}  // namespace oai::load
