// SPDX-License-Identifier: Apache-2.0
// What the libraries export. A program may define MS_API before it includes any of these headers.
#ifndef MINDSPORE_INCLUDE_API_VISIBLE_H_
#define MINDSPORE_INCLUDE_API_VISIBLE_H_

#ifndef MS_API
#ifdef _WIN32
#ifdef BUILDING_DLL
#define MS_API __declspec(dllexport)
#else
#define MS_API __declspec(dllimport)
#endif
#else
#define MS_API __attribute__((visibility("default")))
#endif
#endif  // MS_API

#ifndef DATASET_API
#ifdef _WIN32
#ifdef BUILDING_DATASET_DLL
#define DATASET_API __declspec(dllexport)
#else
#define DATASET_API __declspec(dllimport)
#endif
#else
#define DATASET_API __attribute__((visibility("default")))
#endif
#endif  // DATASET_API

#endif  // MINDSPORE_INCLUDE_API_VISIBLE_H_
