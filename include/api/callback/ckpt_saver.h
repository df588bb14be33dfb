// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_CALLBACK_CKPT_SAVER_H_
#define MINDSPORE_INCLUDE_API_CALLBACK_CKPT_SAVER_H_

#include <string>
#include <vector>

#include "include/api/callback/callback.h"
#include "include/api/dual_abi_helper.h"

namespace mindspore {

class MS_API CkptSaver : public TrainCallBack {
 public:
  inline CkptSaver(int save_every_n, const std::string& filename_prefix);
  virtual ~CkptSaver();

 private:
  CkptSaver(int save_every_n, const std::vector<char>& filename_prefix);
};

CkptSaver::CkptSaver(int save_every_n, const std::string& filename_prefix)
    : CkptSaver(save_every_n, StringToChar(filename_prefix)) {}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_CALLBACK_CKPT_SAVER_H_
