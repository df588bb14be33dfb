// SPDX-License-Identifier: Apache-2.0
// Colours of one picture of three channels; the target has the size and type of the source.
#pragma once

#include <opencv2/core.hpp>

namespace mycel::data {

void change_brightness(const cv::Mat& source, cv::Mat& target, double factor);
void change_contrast(const cv::Mat& source, cv::Mat& target, double factor);
void change_saturation(const cv::Mat& source, cv::Mat& target, double factor);
void change_hue(const cv::Mat& source, cv::Mat& target, double turn);
void change_sharpness(const cv::Mat& source, cv::Mat& target, double factor);

}  // namespace mycel::data
