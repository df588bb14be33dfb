# SPDX-License-Identifier: Apache-2.0
"""The log: `info`, `warning`, ... under the environment variables of MindSpore (GLOG_v and its kin)."""

import logging
import os
import sys
from logging.handlers import RotatingFileHandler

__all__ = ["get_level", "get_log_config"]

_LEVELS = {
    "0": logging.DEBUG,
    "1": logging.INFO,
    "2": logging.WARNING,
    "3": logging.ERROR,
    "4": logging.CRITICAL,
}
_USUAL_LEVEL = "2"
_MOST_FILE_BYTES = "52428800"
_BACKUP_COUNT = "30"
_FORMAT = (
    "[%(levelname)s] SERVING(%(process)d:%(thread)d,%(processName)s):%(asctime)s "
    "[%(filename)s:%(lineno)d] %(message)s"
)


def _environment(name, usual):
    return os.environ.get(name, "").strip() or usual


def _handler():
    folder = _environment("GLOG_log_dir", "")
    if _environment("GLOG_logtostderr", "1") == "1" or not folder:
        return logging.StreamHandler(sys.stderr)
    folder = os.path.join(os.path.realpath(folder), f"rank_{os.environ.get('RANK_ID', '0')}", "logs")
    os.makedirs(folder, exist_ok=True)
    return RotatingFileHandler(
        os.path.join(folder, "mindspore_serving.log"),
        maxBytes=int(_environment("logger_maxBytes", _MOST_FILE_BYTES)),
        backupCount=int(_environment("logger_backupCount", _BACKUP_COUNT)),
    )


def _make_logger():
    level = _environment("GLOG_v", _USUAL_LEVEL)
    if level not in _LEVELS:
        raise ValueError(
            f"Incorrect log level:{level}, Please check the configuration of GLOG_v, desired log level :"
            "{'4': 'CRITICAL', '3': 'ERROR', '2': 'WARNING', '1': 'INFO', '0': 'DEBUG'}"
        )
    logger = logging.getLogger("mindspore_serving")
    logger.propagate = False
    logger.setLevel(_LEVELS[level])
    handler = _handler()
    handler.setFormatter(logging.Formatter(_FORMAT))
    logger.handlers = [handler]
    return logger


_logger = _make_logger()

debug = _logger.debug
info = _logger.info
warning = _logger.warning
error = _logger.error
critical = _logger.critical
is_enabled_for = _logger.isEnabledFor


def get_level():
    """The level in force as GLOG_v says it: '0' to '4'."""
    return next(name for name, level in _LEVELS.items() if level == _logger.level)


def get_log_config():
    """What the log was made from, as a dict."""
    config = {"GLOG_v": get_level(), "GLOG_logtostderr": _environment("GLOG_logtostderr", "1")}
    if config["GLOG_logtostderr"] == "0":
        config["GLOG_log_dir"] = _environment("GLOG_log_dir", "")
        config["logger_maxBytes"] = int(_environment("logger_maxBytes", _MOST_FILE_BYTES))
        config["logger_backupCount"] = int(_environment("logger_backupCount", _BACKUP_COUNT))
    return config
