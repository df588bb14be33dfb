// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/tls.h"

#include <openssl/ssl.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using platform::ErrorKind;
using platform::require;

// Forward secrecy and authenticated encryption only.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

}  // namespace

std::shared_ptr<ssl::context> make_tls(const TlsOptions& options, std::string_view beginning) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                       ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 |
                       ssl::context::single_dh_use);
  SSL_CTX_set_cipher_list(context->native_handle(), kCiphers);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  error_code error;
  context->use_certificate_chain_file(options.certificate, error);
  require(!error, ErrorKind::Runtime, beginning, "load certificate from ", options.certificate,
          " failed: ", error.message());
  context->use_private_key_file(options.private_key, ssl::context::pem, error);
  require(!error, ErrorKind::Runtime, beginning, "load private_key from ", options.private_key,
          " failed: ", error.message());
  require(SSL_CTX_check_private_key(context->native_handle()) == 1, ErrorKind::Runtime, beginning,
          "private_key ", options.private_key, " is not consistent with certificate ",
          options.certificate);
  if (!options.custom_ca.empty()) {
    context->load_verify_file(options.custom_ca, error);
    require(!error, ErrorKind::Runtime, beginning, "load custom_ca from ", options.custom_ca,
            " failed: ", error.message());
  }
  if (options.verify_client)
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

}  // namespace mycel::serving
