// SPDX-License-Identifier: Apache-2.0
#include "data/record/protection.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/record/layout.h"
#include "platform/cipher/envelope.h"

namespace mycel::data {

using platform::AtomicFile;
using platform::fail;
using platform::join;
using platform::Path;
using platform::require;

namespace {

constexpr std::string_view kEncrypted = "ENCRYPT";
constexpr std::string_view kHashed = "HASH";
constexpr std::size_t kMaxDigestBytes = 4096;

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint32_t number_at(ByteView bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  append_number(out, __builtin_bswap32(value));
  return out;
}

platform::CipherKey cipher_key(const RecordProtection& protection) {
  return {protection.key, protection.mode};
}

// Hands out the bytes of a file piece by piece.
template <class Visit>
void each_piece(const AtomicFile& file, std::uint64_t size, const Visit& visit) {
  std::string piece;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(platform::kCipherPieceBytes, size - at));
    file.read_at(at, std::as_writable_bytes(std::span(piece))).value();
    visit(std::string_view(piece));
  }
}

class Digest {
 public:
  explicit Digest(const std::string& mode) : context_(EVP_MD_CTX_new()) {
    static constexpr std::pair<std::string_view, const char*> kNames[] = {
        {"sha256", "SHA256"},     {"sha384", "SHA384"},     {"sha512", "SHA512"},
        {"sha3_256", "SHA3-256"}, {"sha3_384", "SHA3-384"}, {"sha3_512", "SHA3-512"}};
    const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                           [&](const auto& entry) { return entry.first == mode; });
    require(found != std::end(kNames), ErrorKind::Value, "there is no hash mode '", mode, "'");
    EVP_DigestInit_ex(context_.get(), EVP_get_digestbyname(found->second), nullptr);
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string finish() {
    unsigned char value[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), value, &length);
    return {reinterpret_cast<const char*>(value), length};
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

// A file without a name, so that nothing plain stays on disk whatever happens.
platform::Descriptor nameless_file(const Path& beside) {
  const Path folder = beside.has_parent_path() ? beside.parent_path() : Path(".");
  platform::Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.number() < 0) file = platform::Descriptor(memfd_create("mindrecord", MFD_CLOEXEC));
  require(file.number() >= 0, ErrorKind::Runtime, "a temporary file for the plain content of ",
          beside.string(), " cannot be made: ", std::strerror(errno));
  return file;
}

void write_fully(int file, std::string_view bytes, const Path& origin) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    require(put >= 0, ErrorKind::Runtime, "the plain content of ", origin.string(),
            " cannot be stored: ", std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

bool begins_like_a_record(ByteView bytes) {
  try {
    read_header(bytes, "");
    return true;
  } catch (const platform::Error&) {
    return false;
  }
}

std::size_t hash_trailer_bytes(ByteView bytes) {
  if (bytes.size() < 8 || !bytes.ends_with(kHashed)) return 0;
  const std::size_t digest = __builtin_bswap32(number_at(bytes, bytes.size() - 8));
  if (digest == 0 || digest > kMaxDigestBytes || digest + 8 > bytes.size()) return 0;
  return digest + 8;
}

}  // namespace

PlainContent::PlainContent(const Path& file, const RecordProtection& protection,
                           const Path& plain) {
  if (!plain.empty()) {
    map(plain);
  } else {
    map(file);
    const bool is_encrypted = bytes_.size() >= 18 && bytes_.ends_with(kEncrypted);
    require(is_encrypted || protection.key.empty(), ErrorKind::Runtime,
            "The mindrecord file is not encrypted. You can set 'mindspore.mindrecord."
            "config.set_enc_key(None)' to disable the decryption. File: ",
            file.string());
    require(!is_encrypted || !protection.key.empty(), ErrorKind::Runtime,
            "The mindrecord file is encrypted. You need to configure "
            "'mindspore.mindrecord.config.set_enc_key(...)' and "
            "'mindspore.mindrecord.config.set_enc_mode(...)' for decryption. File: ",
            file.string());
    if (is_encrypted) decrypt(file, protection);
  }
  check_hash(file, protection.hash);
}

void PlainContent::map(const Path& file) {
  platform::Result<platform::MappedFile> mapped = platform::MappedFile::open(file);
  if (!mapped) fail(ErrorKind::Runtime, mapped.error().message());
  mapped_ = std::make_unique<platform::MappedFile>(std::move(mapped).value());
  bytes_ = {reinterpret_cast<const char*>(mapped_->bytes().data()), mapped_->bytes().size()};
}

void PlainContent::decrypt(const Path& file, const RecordProtection& protection) {
  constexpr std::string_view kMistake =
      "Failed to decrypt data, please check if enc_key and enc_mode / dec_mode is valid. File: ";
  const ByteView mode = bytes_.substr(bytes_.size() - 14, 7);
  require(mode == protection.mode, ErrorKind::Runtime, kMistake, file.string(),
          " (it was made with ", is_utf8(mode) ? mode : "?", ")");
  ByteView left = bytes_.substr(0, bytes_.size() - 14);
  const platform::Descriptor target = nameless_file(file);
  for (;;) {
    require(left.size() >= 4, ErrorKind::Runtime, kMistake, file.string(), " (it is cut short)");
    const std::uint32_t length = __builtin_bswap32(number_at(left, 0));
    left.remove_prefix(4);
    if (length == 0) break;
    require(length <= left.size() && length <= platform::kCipherPieceBytes + 128,
            ErrorKind::Runtime, kMistake, file.string(), " (a piece of ", length,
            " bytes was stated, ", left.size(), " are left)");
    const std::optional<std::string> plain =
        platform::decrypt_piece(left.substr(0, length), cipher_key(protection));
    require(plain.has_value(), ErrorKind::Runtime, kMistake, file.string());
    write_fully(target.number(), *plain, file);
    left.remove_prefix(length);
  }
  map(join("/proc/self/fd/", target.number()));
  // Without a tag a wrong key goes unnoticed once in 256 times, and what comes out is noise.
  require(begins_like_a_record(bytes_), ErrorKind::Runtime, kMistake, file.string());
}

void PlainContent::check_hash(const Path& file, const std::string& mode) {
  const std::size_t trailer = hash_trailer_bytes(bytes_);
  require(trailer > 0 || mode.empty(), ErrorKind::Runtime,
          "The mindrecord file is not hashed. You can set "
          "'mindspore.mindrecord.config.set_hash_mode(None)' to disable the hash check. File: ",
          file.string());
  require(trailer == 0 || !mode.empty(), ErrorKind::Runtime,
          "The mindrecord file is hashed. You need to configure "
          "'mindspore.mindrecord.config.set_hash_mode(...)' to enable the hash check. File: ",
          file.string());
  if (trailer == 0) return;
  digest_ = bytes_.substr(bytes_.size() - trailer, trailer - 8);
  bytes_.remove_suffix(trailer);
  if (mode == "checked") return;  // by a function of the user's
  Digest digest(mode);
  digest.add(bytes_);
  require(digest.finish() == digest_, ErrorKind::Runtime, "The mindrecord file: ", file.string(),
          " hash check fail. The file may have been changed, or made with another hash mode than ",
          mode, ".");
}

void append_hash(AtomicFile& file, std::uint64_t size, const std::string& mode) {
  Digest digest(mode);
  each_piece(file, size, [&](std::string_view piece) { digest.add(piece); });
  std::string trailer = digest.finish();
  trailer += big_endian(static_cast<std::uint32_t>(trailer.size()));
  trailer += kHashed;
  file.write_at(size, platform::as_bytes(trailer)).value();
}

AtomicFile encrypted(const AtomicFile& plain, const Path& path,
                     const RecordProtection& protection) {
  AtomicFile out = AtomicFile::create(path, 0600).value();
  each_piece(plain, std::filesystem::file_size(plain.temporary()), [&](std::string_view piece) {
    const std::string cipher = platform::encrypt_piece(piece, cipher_key(protection));
    out.write(platform::as_bytes(big_endian(static_cast<std::uint32_t>(cipher.size())))).value();
    out.write(platform::as_bytes(cipher)).value();
  });
  out.write(platform::as_bytes(big_endian(0) + protection.mode + std::string(kEncrypted))).value();
  return out;
}

}  // namespace mycel::data
