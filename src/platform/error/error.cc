// SPDX-License-Identifier: Apache-2.0
#include "platform/error/error.h"

#include <charconv>
#include <cstdio>

namespace mycel::platform {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Type: return "TypeError";
    case ErrorKind::Value: return "ValueError";
    case ErrorKind::Index: return "IndexError";
    case ErrorKind::Key: return "KeyError";
    case ErrorKind::Attribute: return "AttributeError";
    case ErrorKind::Runtime: return "RuntimeError";
    case ErrorKind::NotImplemented: return "NotImplementedError";
    case ErrorKind::Memory: return "MemoryError";
    case ErrorKind::Io: return "OSError";
    case ErrorKind::Internal: return "InternalError";
  }
  return "?";
}

void append_text(std::string& text, std::string_view part) { text.append(part); }

void append_text(std::string& text, double part) {
  char buffer[32];
  const int size = std::snprintf(buffer, sizeof buffer, "%.9g", part);
  text.append(buffer, static_cast<std::size_t>(size));
}

void append_text(std::string& text, long long part) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, part).ptr;
  text.append(buffer, end);
}

void append_text(std::string& text, unsigned long long part) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, part).ptr;
  text.append(buffer, end);
}

void append_text(std::string& text, bool part) { text.append(part ? "True" : "False"); }

}  // namespace mycel::platform
