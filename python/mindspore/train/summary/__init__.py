# SPDX-License-Identifier: Apache-2.0
"""Summaries: values of a training, recorded in files."""

from mindspore.train.summary.summary_record import SummaryRecord

__all__ = ["SummaryRecord"]
