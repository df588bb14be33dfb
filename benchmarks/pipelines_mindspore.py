# SPDX-License-Identifier: Apache-2.0
"""The side of the mindspore wheel: the same script as ours."""

from pipelines_ours import main

if __name__ == "__main__":
    main()
