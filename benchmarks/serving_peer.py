# SPDX-License-Identifier: Apache-2.0
"""The same model behind FastAPI, for serving.py: ADDRESS."""

import contextlib
import json
import sys

import torch
import uvicorn
from fastapi import FastAPI, Request, Response


@contextlib.asynccontextmanager
async def lifespan(_app):
    print("ready", flush=True)
    yield


app = FastAPI(lifespan=lifespan)
torch.set_num_threads(1)


@app.post("/model/add:add_common")
async def add(request: Request):
    instances = (await request.json())["instances"]
    with torch.inference_mode():
        sums = [torch.tensor(one["x1"]) + torch.tensor(one["x2"]) for one in instances]
    reply = {"instances": [{"y": y.tolist()} for y in sums]}
    return Response(json.dumps(reply, separators=(",", ":")), media_type="application/json")


host, port = sys.argv[1].split(":")
uvicorn.run(app, host=host, port=int(port), log_level="warning", access_log=False)
