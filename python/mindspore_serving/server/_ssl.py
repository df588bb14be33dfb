# SPDX-License-Identifier: Apache-2.0
"""TLS of the server's ports."""

from mindspore_serving._arguments import check_bool, check_str


class SSLConfig:
    """What a server needs for TLS: names of PEM files.

    Args:
        certificate (str): The server's certificate.
        private_key (str): Its key.
        custom_ca (str, optional): Whose certificates of clients are trusted. Default: ``None``.
        verify_client (bool, optional): Clients have to have a certificate; needs `custom_ca`. Default:
            ``False``.
    """

    def __init__(self, certificate, private_key, custom_ca=None, verify_client=False):
        check_str("certificate", certificate)
        check_str("private_key", private_key)
        check_bool("verify_client", verify_client)
        if custom_ca is not None:
            check_str("custom_ca", custom_ca)
        elif verify_client:
            raise RuntimeError("Parameter 'custom_ca' should be given when 'verify_client' is True")
        self.certificate = certificate
        self.private_key = private_key
        self.custom_ca = custom_ca
        self.verify_client = verify_client

    def description(self):
        return {
            "certificate": self.certificate,
            "private_key": self.private_key,
            "custom_ca": self.custom_ca or "",
            "verify_client": self.verify_client,
        }
