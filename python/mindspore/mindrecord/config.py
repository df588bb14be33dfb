# SPDX-License-Identifier: Apache-2.0
"""Encryption and hash check of MindRecord files."""

import dataclasses
import os
import tempfile
from collections.abc import Callable

from mindspore import _c_data

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode", "set_hash_mode"]

_CIPHERS = ("AES-GCM", "AES-CBC", "SM4-CBC")
_HASHES = ("sha256", "sha384", "sha512", "sha3_256", "sha3_384", "sha3_512")
_PIECE = 64 << 20
_END = b"ENCRYPT"
_BY_USER = b"UDF-ENC"


@dataclasses.dataclass
class _Settings:
    key: str | None = None
    enc_mode: str | Callable = "AES-GCM"
    dec_mode: str | Callable | None = None
    hash_mode: str | Callable | None = None


_settings = _Settings()


def _check_mode(mode, name, known):
    if not callable(mode) and mode not in known:
        raise ValueError(f"The input {name} is invalid, it should be one of {list(known)} or a function.")


def set_enc_key(enc_key):
    """Sets the key that files are encrypted and decrypted with.

    Args:
        enc_key (str): 16, 24 or 32 characters; ``None`` : files are not encrypted.

    Raises:
        ValueError: `enc_key` is no string of such a length.

    Examples:
        >>> from mindspore.mindrecord import set_enc_key
        >>> set_enc_key("0123456789012345")
        >>> set_enc_key(None)
    """
    if enc_key is not None:
        if not isinstance(enc_key, str):
            raise ValueError("The input enc_key is not str.")
        if len(enc_key) not in (16, 24, 32):
            raise ValueError(f"The length of input enc_key is not 16, 24, 32, but got {len(enc_key)}.")
    _settings.key = enc_key


def set_enc_mode(enc_mode="AES-GCM"):
    """Sets how files are encrypted.

    Args:
        enc_mode (Union[str, function], optional): ``"AES-GCM"`` , ``"AES-CBC"`` , ``"SM4-CBC"`` , or a
            function `(in_file, size, out_file, key)` that writes the encrypted form of one open file to
            another. Default: ``"AES-GCM"`` .

    Raises:
        ValueError: `enc_mode` is something else.

    Examples:
        >>> from mindspore.mindrecord import set_enc_mode
        >>> set_enc_mode("AES-CBC")
        >>> set_enc_mode()
    """
    _check_mode(enc_mode, "enc_mode", _CIPHERS)
    _settings.enc_mode = enc_mode


def set_dec_mode(dec_mode="AES-GCM"):
    """Sets how files are decrypted.

    Args:
        dec_mode (Union[str, function], optional): As for :func:`set_enc_mode` ; ``None`` : as they are
            encrypted. Default: ``"AES-GCM"`` .

    Raises:
        ValueError: `dec_mode` is something else.

    Examples:
        >>> from mindspore.mindrecord import set_dec_mode
        >>> set_dec_mode("AES-CBC")
        >>> set_dec_mode(None)
    """
    if dec_mode is not None:
        _check_mode(dec_mode, "dec_mode", _CIPHERS)
    _settings.dec_mode = dec_mode


def set_hash_mode(hash_mode):
    """Sets the hash that is stored with files and compared when they are read.

    Args:
        hash_mode (Union[str, function]): ``"sha256"`` , ``"sha384"`` , ``"sha512"`` , ``"sha3_256"`` ,
            ``"sha3_384"`` , ``"sha3_512"`` , a function `(data, previous) -> bytes` that is called for
            every piece of the file, or ``None`` : no hash.

    Raises:
        ValueError: `hash_mode` is something else.

    Examples:
        >>> from mindspore.mindrecord import set_hash_mode
        >>> set_hash_mode("sha256")
        >>> set_hash_mode(None)
    """
    if hash_mode is not None:
        _check_mode(hash_mode, "hash_mode", _HASHES)
    _settings.hash_mode = hash_mode


def is_protected():
    """Whether files that are written now get a hash or are encrypted."""
    return _settings.key is not None or _settings.hash_mode is not None


def _fold_hash(function, pieces):
    value = b""
    for piece in pieces:
        value = function(piece, value)
        if not isinstance(value, bytes):
            raise RuntimeError(f"The hash function must return bytes, but got {type(value).__name__}.")
    return value


def _pieces_of(file):
    while piece := file.read(_PIECE):
        yield piece


def _append_user_hash(path):
    with open(path, "rb+") as file:
        value = _fold_hash(_settings.hash_mode, _pieces_of(file))
        file.seek(0, os.SEEK_END)
        file.write(value + len(value).to_bytes(4, "big") + b"HASH")


def _encrypt_by_user(path):
    coded = path + ".encrypt"
    with open(path, "rb") as source, open(os.open(coded, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as target:
        _settings.enc_mode(source, os.path.getsize(path), target, _settings.key)
        target.write(bytes(4) + _BY_USER + _END)
        target.flush()
        os.fsync(target.fileno())
    os.replace(coded, path)


def finish_writer(writer):
    """Completes the files of a native writer as the settings say, and puts them in place."""
    by_user = callable(_settings.hash_mode)
    writer.finish("" if by_user or _settings.hash_mode is None else _settings.hash_mode)
    if by_user:
        for path, _ in writer.unpublished():
            _append_user_hash(path)
    if _settings.key is not None:
        if callable(_settings.enc_mode):
            for path, _ in writer.unpublished():
                _encrypt_by_user(path)
        else:
            writer.encrypt(_settings.key, _settings.enc_mode)
    writer.publish()


def _decrypt_by_user(path):
    """The plain content in a file without a name."""
    with open(path, "rb") as source:
        size = os.path.getsize(path)
        source.seek(max(size - 14, 0))
        end = source.read()
        if not end.endswith(_END):
            raise RuntimeError(
                "The mindrecord file is not encrypted. You can set "
                f"'mindspore.mindrecord.config.set_enc_key(None)' to disable the decryption. File: {path}"
            )
        if end[:7] != _BY_USER:
            raise RuntimeError(
                "Failed to decrypt data, please check if enc_key and enc_mode / dec_mode is valid. "
                f"File: {path}"
            )
        source.seek(0)
        plain = tempfile.TemporaryFile(dir=os.path.dirname(path) or ".")  # noqa: SIM115
        _settings.dec_mode(source, size, plain, _settings.key)
        plain.flush()
        return plain


class ReadProtection:
    """The arguments of a native reader that the settings ask for. Decrypted content lives as long as this."""

    def __init__(self, files):
        decode = _settings.enc_mode if _settings.dec_mode is None else _settings.dec_mode
        if _settings.key is not None and callable(_settings.enc_mode) and not callable(decode):
            raise RuntimeError(
                "When a user defined encrypt function is set by 'set_enc_mode', a decrypt function must be "
                "set by 'set_dec_mode' as well."
            )
        self._plain = []
        self.arguments = {}
        if _settings.key is not None:
            if callable(decode):
                if _settings.dec_mode is None:
                    raise RuntimeError(
                        "The user defined encrypt function needs a decrypt function: please set it by "
                        "'set_dec_mode'. Both are needed."
                    )
                self._plain = [_decrypt_by_user(file) for file in files]
                self.arguments["plain"] = [f"/proc/self/fd/{file.fileno()}" for file in self._plain]
            else:
                self.arguments |= {"enc_key": _settings.key, "dec_mode": decode}
        if _settings.hash_mode is not None:
            by_user = callable(_settings.hash_mode)
            self.arguments["hash_mode"] = "checked" if by_user else _settings.hash_mode

    def open_reader(self, files, columns=None):
        """A native reader of a file's whole set, or of the files of a list."""
        listed = files if isinstance(files, list) else [files]
        arguments = {"files": listed, "with_siblings": not isinstance(files, list)} | self.arguments
        if columns:
            arguments["columns"] = columns
        reader = _c_data.RecordReader(arguments)
        if callable(_settings.hash_mode):
            _check_user_hash(reader, listed)
        return reader

    def check_user_hash(self, files):
        """Compares the hashes of files that a function of the user's made, if there is one."""
        if callable(_settings.hash_mode):
            self.open_reader(files)

    def append_writer(self, file):
        """A native writer that continues the set of a file."""
        get = self.arguments.get
        self.check_user_hash(file)
        plain = get("plain", [""])[0]
        return _c_data.RecordWriter.append_to(
            file, get("enc_key", ""), get("dec_mode", ""), get("hash_mode", ""), plain
        )


def _check_user_hash(reader, files):
    for number, file in enumerate(files):

        def pieces(number=number):
            begin = 0
            while piece := reader.content(number, begin, _PIECE):
                yield piece
                begin += len(piece)

        if _fold_hash(_settings.hash_mode, pieces()) != reader.digest(number):
            raise RuntimeError(
                f"The mindrecord file: {file} hash check fail. The file may have been changed."
            )
