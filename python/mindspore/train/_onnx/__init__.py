# SPDX-License-Identifier: Apache-2.0
"""ONNX files: networks are written to them and read from them."""
