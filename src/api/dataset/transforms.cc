// SPDX-License-Identifier: Apache-2.0
// The classes of include/dataset in terms of the transforms that Python has.
#include "include/dataset/transforms.h"

#include "api/dataset/tensor_operation.h"
#include "api/element_type.h"
#include "include/dataset/vision.h"
#include "include/dataset/vision_ascend.h"

namespace mindspore {
namespace dataset {

namespace {

using mycel::data::Integers;
using mycel::data::Reals;
using Operation = std::shared_ptr<TensorOperation>;

constexpr std::int64_t kSwapRedAndBlue = 4;  // numbers of ConvertMode
constexpr std::int64_t kRedGreenBlueToGray = 7;

template <class T>
Integers integers(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

Reals reals(const std::vector<float>& values) { return {values.begin(), values.end()}; }

// Python numbers the ways to interpolate otherwise.
std::int64_t number_of(InterpolationMode mode) {
  switch (mode) {
    case InterpolationMode::kNearestNeighbour: return 0;
    case InterpolationMode::kLinear: return 2;
    case InterpolationMode::kCubic: return 3;
    case InterpolationMode::kArea: return 4;
    case InterpolationMode::kCubicPil: return 5;
  }
  return -1;
}

// One value for all channels, or one each.
Integers fill_of(const std::vector<uint8_t>& values) {
  return values.size() == 1 ? Integers(3, values.front()) : integers(values);
}

// {all}, {horizontal, vertical} or {left, top, right, bottom}
Integers padding_of(const std::vector<int32_t>& padding) {
  if (padding.size() == 1) return Integers(4, padding.front());
  if (padding.size() == 2) return {padding[0], padding[1], padding[0], padding[1]};
  return integers(padding);
}

Integers size_of(const std::vector<int32_t>& size) {
  return size.size() == 1 ? Integers(2, size.front()) : integers(size);
}

// {both ways} or {horizontal, vertical}
template <class List>
List pair_of(const List& values) {
  return values.size() == 1 ? List(2, values.front()) : values;
}

template <class Transforms, class Address>
Operation composed(const Transforms& transforms, const Address& address) {
  std::vector<Operation> operations;
  for (const auto& transform : transforms)
    operations.push_back(TensorOperation::of(address(transform)));
  return TensorOperation::composed(operations);
}

Operation cast_to(DataType type) {
  const auto dtype = mycel::api::element_type(type);
  if (!dtype)
    return std::make_shared<TensorOperation>(
        Status(kMDSyntaxError, "TypeCast: there are no arrays of this type"));
  const std::string name(mycel::tensor::python_name(*dtype));
  return TensorOperation::make("TypeCast", {{"data_type", name == "bool_" ? "bool" : name}});
}

Operation of_ascend(const std::string& name) {
  return TensorOperation::missing(name, "it belongs to Ascend devices, of which there is none");
}

}  // namespace

namespace transforms {

Compose::Compose(const std::vector<TensorTransform*>& transforms)
    : TensorTransform(composed(transforms, [](TensorTransform* one) { return one; })) {}
Compose::Compose(const std::vector<std::shared_ptr<TensorTransform>>& transforms)
    : TensorTransform(composed(transforms, [](const auto& one) { return one.get(); })) {}
Compose::Compose(const std::vector<std::reference_wrapper<TensorTransform>>& transforms)
    : TensorTransform(composed(transforms, [](const auto& one) { return &one.get(); })) {}
Duplicate::Duplicate() : TensorTransform(TensorOperation::make("Duplicate")) {}
OneHot::OneHot(int32_t num_classes, double smoothing_rate)
    : TensorTransform(TensorOperation::make("OneHot", {{"num_classes", std::int64_t{num_classes}},
                                                       {"smoothing_rate", smoothing_rate}})) {}
TypeCast::TypeCast(mindspore::DataType data_type) : TensorTransform(cast_to(data_type)) {}

}  // namespace transforms

namespace vision {

Affine::Affine(float degrees, const std::vector<float>& translation, float scale,
               const std::vector<float>& shear, InterpolationMode interpolation,
               const std::vector<uint8_t>& fill_value)
    : TensorTransform(TensorOperation::make("Affine", {{"degrees", double{degrees}},
                                                       {"translate", reals(translation)},
                                                       {"scale", double{scale}},
                                                       {"shear", pair_of(reals(shear))},
                                                       {"resample", number_of(interpolation)},
                                                       {"fill_value", fill_of(fill_value)}})) {}
CenterCrop::CenterCrop(const std::vector<int32_t>& size)
    : TensorTransform(TensorOperation::make("CenterCrop", {{"size", size_of(size)}})) {}
Crop::Crop(const std::vector<int32_t>& coordinates, const std::vector<int32_t>& size)
    : TensorTransform(TensorOperation::make(
          "Crop", {{"coordinates", integers(coordinates)}, {"size", size_of(size)}})) {}
Decode::Decode(bool rgb)
    : TensorTransform(
          rgb ? TensorOperation::make("Decode")
              : TensorOperation::composed(
                    {TensorOperation::make("Decode"),
                     TensorOperation::make("ConvertColor", {{"convert_mode", kSwapRedAndBlue}})})) {
}
GaussianBlur::GaussianBlur(const std::vector<int32_t>& kernel_size, const std::vector<float>& sigma)
    : TensorTransform(TensorOperation::make(
          "GaussianBlur",
          {{"kernel_size", pair_of(integers(kernel_size))}, {"sigma", pair_of(reals(sigma))}})) {}
HWC2CHW::HWC2CHW() : TensorTransform(TensorOperation::make("HWC2CHW")) {}
Normalize::Normalize(const std::vector<float>& mean, const std::vector<float>& std, bool is_hwc)
    : TensorTransform(TensorOperation::make(
          "Normalize", {{"mean", reals(mean)}, {"std", reals(std)}, {"is_hwc", is_hwc}})) {}
Pad::Pad(const std::vector<int32_t>& padding, const std::vector<uint8_t>& fill_value,
         BorderType padding_mode)
    : TensorTransform(TensorOperation::make(
          "Pad", {{"padding", padding_of(padding)},
                  {"fill_value", fill_of(fill_value)},
                  {"padding_mode", static_cast<std::int64_t>(padding_mode)}})) {}
Rescale::Rescale(float rescale, float shift)
    : TensorTransform(TensorOperation::make(
          "Rescale", {{"rescale", double{rescale}}, {"shift", double{shift}}})) {}
Resize::Resize(const std::vector<int32_t>& size, InterpolationMode interpolation)
    : TensorTransform(TensorOperation::make(
          "Resize", {{"size", integers(size)}, {"interpolation", number_of(interpolation)}})) {}
RGB2BGR::RGB2BGR()
    : TensorTransform(TensorOperation::make("ConvertColor", {{"convert_mode", kSwapRedAndBlue}})) {}
RGB2GRAY::RGB2GRAY()
    : TensorTransform(
          TensorOperation::make("ConvertColor", {{"convert_mode", kRedGreenBlueToGray}})) {}
Rotate::Rotate(FixRotationAngle /*angle_id*/)
    : TensorTransform(TensorOperation::missing(
          "Rotate", "turning as a camera was held is not there; give an angle in degrees")) {}
Rotate::Rotate(float degrees, InterpolationMode resample, bool expand,
               const std::vector<float>& center, const std::vector<uint8_t>& fill_value)
    : TensorTransform(TensorOperation::make(
          "Rotate", {{"degrees", double{degrees}},
                     {"resample", number_of(resample)},
                     {"expand", expand},
                     {"center", center.empty() ? mycel::data::Parameters::Value() : reals(center)},
                     {"fill_value", fill_of(fill_value)}})) {}
SwapRedBlue::SwapRedBlue()
    : TensorTransform(TensorOperation::make("ConvertColor", {{"convert_mode", kSwapRedAndBlue}})) {}

Equalize::Equalize() : TensorTransform(TensorOperation::make("Equalize")) {}
HorizontalFlip::HorizontalFlip() : TensorTransform(TensorOperation::make("HorizontalFlip")) {}
Invert::Invert() : TensorTransform(TensorOperation::make("Invert")) {}
VerticalFlip::VerticalFlip() : TensorTransform(TensorOperation::make("VerticalFlip")) {}

DvppDecodeResizeJpeg::DvppDecodeResizeJpeg(const std::vector<uint32_t>& /*resize*/)
    : TensorTransform(of_ascend("DvppDecodeResizeJpeg")) {}
DvppDecodeResizeCropJpeg::DvppDecodeResizeCropJpeg(const std::vector<uint32_t>& /*crop*/,
                                                   const std::vector<uint32_t>& /*resize*/)
    : TensorTransform(of_ascend("DvppDecodeResizeCropJpeg")) {}
DvppDecodeVideo::DvppDecodeVideo(const std::vector<uint32_t>& /*size*/, VdecStreamFormat /*type*/,
                                 VdecOutputFormat /*out_format*/,
                                 const std::vector<char>& /*output*/)
    : TensorTransform(of_ascend("DvppDecodeVideo")) {}
DvppDecodePng::DvppDecodePng() : TensorTransform(of_ascend("DvppDecodePng")) {}

}  // namespace vision
}  // namespace dataset
}  // namespace mindspore
