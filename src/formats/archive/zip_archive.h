// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mycel::formats {

// A zip file in memory, read by its directory at the end. Sizes and places are checked before they
// are believed.
class ZipArchive {
 public:
  struct Entry {
    std::string_view name;
    std::uint64_t size = 0;  // of the content, once it is unpacked

   private:
    friend class ZipArchive;
    std::uint16_t method_ = 0;
    std::uint32_t checksum_ = 0;
    std::uint64_t packed_size_ = 0;
    std::uint64_t header_offset_ = 0;
  };

  // Whether the bytes begin like a zip file.
  static bool is_one(std::string_view bytes);

  // ValueError for what is no zip file, cut short, encrypted, or has two entries of one name. The
  // bytes must outlive the archive.
  explicit ZipArchive(std::string_view bytes);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;  // null: none

  // The content where it lies, of an entry that is not packed; ValueError otherwise.
  std::string_view view(const Entry& entry) const;
  // The content, unpacked where needed. The sum of the content is checked. ValueError also when
  // what was unpacked so far is many times as large as the file.
  std::string read(const Entry& entry) const;
  bool is_packed(const Entry& entry) const { return entry.method_ != 0; }

 private:
  std::string_view part(std::uint64_t offset, std::uint64_t size) const;
  std::uint64_t number(std::uint64_t offset, int bytes) const;
  std::string_view packed(const Entry& entry) const;
  std::uint64_t find_directory(std::uint64_t& count) const;
  std::uint64_t read_entry(std::uint64_t offset);
  void take_long_fields(Entry& entry, std::uint64_t offset, std::uint64_t size) const;

  std::string_view bytes_;
  std::vector<Entry> entries_;
  mutable std::uint64_t unpacked_ = 0;  // bytes of all entries that were unpacked
};

}  // namespace mycel::formats
