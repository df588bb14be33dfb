# SPDX-License-Identifier: Apache-2.0
"""Numbers and names that the error codes of MindRecord are made of."""

MIN_SHARD_COUNT = 1
MAX_SHARD_COUNT = 1000
MIN_CONSUMER_COUNT = 1
MAX_CONSUMER_COUNT = 128
MIN_HEADER_SIZE = 1 << 14
MAX_HEADER_SIZE = 1 << 27
MIN_PAGE_SIZE = 1 << 15
MAX_PAGE_SIZE = 1 << 28

# Types of a field: those of a single value, and those an array may be made of.
VALUE_TYPES = ("int32", "int64", "float32", "float64", "string", "bytes")
ARRAY_TYPES = ("int32", "int64", "float32", "float64")
