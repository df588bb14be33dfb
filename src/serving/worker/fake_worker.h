// SPDX-License-Identifier: Apache-2.0
// A worker process for tests: this very program, told to be one. What it does depends on the name
// of the servable it is to load.
#pragma once

#include <string>
#include <vector>

namespace mycel::serving {

// The command that starts it.
inline std::vector<std::string> fake_worker() {
  return {"/proc/self/exe", "--gtest_filter=FakeWorker.DISABLED_Serves",
          "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
}

// A servable with one model of one method, "sum": y = a + b, all float32 of two elements, batches
// of two. Its name says how the worker behaves:
//   add       as it should
//   refuses   cannot load, and says why
//   dies      is killed before it is ready
//   hangs     is ready, and answers nothing
//   mad       is ready, and answers what is no frame
//   leaves    ends in good order instead of the first answer
//   once      answers once, then is killed; later ones end before they are ready
inline std::string fake_servable(const std::string& name) {
  return R"({"name":")" + name + R"(","folder":"/tmp","models":[{"files":["add.mindir"],)" +
         R"("format":"MindIR","with_batch_dim":true,"without_batch_dim_inputs":[]}],)" +
         R"("functions":[],"methods":[{"name":"sum","inputs":["a","b"],"outputs":["y"],)" +
         R"("stages":[{"model":0,"subgraph":0,"inputs":[[0,0],[0,1]],"outputs":1,"tag":"model"}],)" +
         R"("results":[[1,0]]}]})";
}

}  // namespace mycel::serving
