// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_MINDAPI_BASE_FORMAT_H_
#define MINDSPORE_INCLUDE_MINDAPI_BASE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mindspore {

// Order of a tensor's axes in memory. Most belong to devices of other vendors; they are here so
// that their numbers mean the same everywhere.
enum Format : int64_t {
  DEFAULT_FORMAT = -1,
  NCHW = 0,
  NHWC = 1,
  NHWC4 = 2,
  HWKC = 3,
  HWCK = 4,
  KCHW = 5,
  CKHW = 6,
  KHWC = 7,
  CHWK = 8,
  HW = 9,
  HW4 = 10,
  NC = 11,
  NC4 = 12,
  NC4HW4 = 13,
  NCDHW = 14,
  NWC = 15,
  NCW = 16,
  NDHWC = 17,
  NC8HW8 = 18,
  FRACTAL_NZ = 19,
  ND = 20,
  NC1HWC0 = 21,
  FRACTAL_Z = 22,
  NC1C0HWPAD = 23,
  NHWC1C0 = 24,
  FSR_NCHW = 25,
  FRACTAL_DECONV = 26,
  C1HWNC0 = 27,
  FRACTAL_DECONV_TRANSPOSE = 28,
  FRACTAL_DECONV_SP_STRIDE_TRANS = 29,
  NC1HWC0_C04 = 30,
  FRACTAL_Z_C04 = 31,
  CHWN = 32,
  FRACTAL_DECONV_SP_STRIDE8_TRANS = 33,
  HWCN = 34,
  NC1KHKWHWC0 = 35,
  BN_WEIGHT = 36,
  FILTER_HWCK = 37,
  LOOKUP_LOOKUPS = 38,
  LOOKUP_KEYS = 39,
  LOOKUP_VALUE = 40,
  LOOKUP_OUTPUT = 41,
  LOOKUP_HITS = 42,
  C1HWNCoC0 = 43,
  MD = 44,
  FRACTAL_ZZ = 45,
  DHWCN = 46,
  NDC1HWC0 = 47,
  FRACTAL_Z_3D = 48,
  CN = 49,
  DHWNC = 50,
  FRACTAL_Z_3D_TRANSPOSE = 51,
  FRACTAL_ZN_LSTM = 52,
  FRACTAL_Z_G = 53,
  ND_RNN_BIAS = 54,
  FRACTAL_ZN_RNN = 55,
  NYUV = 56,
  NYUV_A = 57,
  NCL = 58,
  NUM_OF_FORMAT = 59,
};

// Names of the formats from 0 on, each at the place of its number.
inline const std::vector<std::string>& GetFormatNames() {
  static const std::vector<std::string> names = {"NCHW",
                                                 "NHWC",
                                                 "NHWC4",
                                                 "HWKC",
                                                 "HWCK",
                                                 "KCHW",
                                                 "CKHW",
                                                 "KHWC",
                                                 "CHWK",
                                                 "HW",
                                                 "HW4",
                                                 "NC",
                                                 "NC4",
                                                 "NC4HW4",
                                                 "NCDHW",
                                                 "NWC",
                                                 "NCW",
                                                 "NDHWC",
                                                 "NC8HW8",
                                                 "FRACTAL_NZ",
                                                 "ND",
                                                 "NC1HWC0",
                                                 "FRACTAL_Z",
                                                 "NC1C0HWPAD",
                                                 "NHWC1C0",
                                                 "FSR_NCHW",
                                                 "FRACTAL_DECONV",
                                                 "C1HWNC0",
                                                 "FRACTAL_DECONV_TRANSPOSE",
                                                 "FRACTAL_DECONV_SP_STRIDE_TRANS",
                                                 "NC1HWC0_C04",
                                                 "FRACTAL_Z_C04",
                                                 "CHWN",
                                                 "FRACTAL_DECONV_SP_STRIDE8_TRANS",
                                                 "HWCN",
                                                 "NC1KHKWHWC0",
                                                 "BN_WEIGHT",
                                                 "FILTER_HWCK",
                                                 "LOOKUP_LOOKUPS",
                                                 "LOOKUP_KEYS",
                                                 "LOOKUP_VALUE",
                                                 "LOOKUP_OUTPUT",
                                                 "LOOKUP_HITS",
                                                 "C1HWNCoC0",
                                                 "MD",
                                                 "FRACTAL_ZZ",
                                                 "DHWCN",
                                                 "NDC1HWC0",
                                                 "FRACTAL_Z_3D",
                                                 "CN",
                                                 "DHWNC",
                                                 "FRACTAL_Z_3D_TRANSPOSE",
                                                 "FRACTAL_ZN_LSTM",
                                                 "FRACTAL_Z_G",
                                                 "ND_RNN_BIAS",
                                                 "FRACTAL_ZN_RNN",
                                                 "NYUV",
                                                 "NYUV_A",
                                                 "NCL"};
  return names;
}

// "DefaultFormat" for DEFAULT_FORMAT, nothing for a number that is no format.
inline std::string FormatEnumToString(Format format) {
  if (format == DEFAULT_FORMAT) return "DefaultFormat";
  const auto place = static_cast<size_t>(format);
  return place < GetFormatNames().size() ? GetFormatNames()[place] : std::string();
}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_MINDAPI_BASE_FORMAT_H_
