// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include <boost/asio/ssl/context.hpp>

#include "serving/gateway/server.h"

namespace mycel::serving {

// TLS 1.2 or newer with the files of the options. RuntimeError that names the file that is no
// certificate or key, or says that the two do not belong together; its text starts with
// `beginning`.
std::shared_ptr<boost::asio::ssl::context> make_tls(const TlsOptions& options,
                                                    std::string_view beginning = "Serving Error: ");

}  // namespace mycel::serving
