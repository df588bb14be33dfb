# SPDX-License-Identifier: Apache-2.0
"""The server of serving.py: FOLDER REST GRPC."""

import sys

from serving import MOST_WAITING

from mindspore_serving import server

folder, rest, grpc = sys.argv[1:]
server.start_servables([server.ServableStartConfig(folder, name, device_ids=0) for name in ("add", "work")])
server.set_max_enqueued_requests(MOST_WAITING)
server.start_restful_server(rest)
server.start_grpc_server(grpc)
print("ready", flush=True)
