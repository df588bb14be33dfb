// SPDX-License-Identifier: Apache-2.0
#include "data/image/pass.h"

namespace mycel::data {

namespace {

class Decode : public PassStep {
 public:
  std::string name() const override { return "Decode"; }
  bool join(PassPlan& plan) const override {
    if (!plan.empty()) return false;
    plan.decodes = true;
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      require(item.shape().size() <= 1, ErrorKind::Type,
              "The number of array dimensions of the encoded image should be 1, but got ",
              item.shape().size(), ".");
      item = decode_image(encoded_bytes(item, name()), context);
    }
  }
};

MYCEL_TRANSFORM(Decode)
    .in("vision")
    .doc(
        "Decodes a compressed picture (JPEG, PNG, BMP, TIFF, WebP, the first frame of a GIF) to "
        "height x width x 3 bytes in the order red, green, blue. Transparency is dropped, sixteen "
        "bits become eight, the orientation noted by a camera is not applied.")
    .input(InputLayout::Encoded)
    .make([](const Parameters&) -> TransformPtr { return std::make_shared<Decode>(); });

}  // namespace

}  // namespace mycel::data
