# SPDX-License-Identifier: Apache-2.0
"""`python -m mindspore_serving serve|describe|version`: what a script with start_servables does, from the
shell."""

import argparse
import json
import os
import sys

from mindspore_serving.version import __version__


def _count_from(least):
    """Reads an argument that is a whole number, and at least so many."""

    def count(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, at least {least}, but got '{text}'")
        return int(text)

    return count


def _parser():
    parser = argparse.ArgumentParser(prog="python -m mindspore_serving", description="Serves trained models.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve the servables of a folder until SIGTERM or SIGINT")
    serve.add_argument("directory", help="folder that has a folder per servable")
    serve.add_argument(
        "--servable", action="append", metavar="NAME", help="serve this one (may be repeated; all)"
    )
    serve.add_argument("--rest", metavar="IP:PORT", help="address of the REST port")
    serve.add_argument("--grpc", metavar="IP:PORT|unix:PATH", help="address of the gRPC port")
    serve.add_argument(
        "--workers", type=_count_from(1), default=1, help="processes that run models, of each servable (1)"
    )
    serve.add_argument(
        "--stage-workers",
        type=_count_from(0),
        default=1,
        help="processes that run Python stages, at most 64 (1)",
    )
    serve.add_argument(
        "--max-batch-delay-us",
        type=_count_from(0),
        default=0,
        help="how long an instance waits for others (0)",
    )
    serve.add_argument(
        "--max-requests",
        type=_count_from(1),
        default=10000,
        help="requests at a time; more are refused (10000)",
    )
    serve.add_argument("--http-status-codes", action="store_true", help="statuses other than 200 for errors")
    serve.add_argument(
        "--print-config", action="store_true", help="print what the server would be told, and end"
    )
    describe = commands.add_parser("describe", help="print what a servable_config.py declares, as JSON")
    describe.add_argument("folder", help="folder of the servable")
    commands.add_parser("version", help="print the version")
    return parser


def _servables_in(directory):
    if not os.path.isdir(directory):
        raise RuntimeError(f"there is no folder '{directory}'")
    names = sorted(
        entry.name
        for entry in os.scandir(directory)
        if os.path.isfile(os.path.join(entry.path, "servable_config.py"))
    )
    if not names:
        raise RuntimeError(f"no folder in '{directory}' has a servable_config.py")
    return names


def _config(options):
    from mindspore_serving.server._servable_local import ServableStartConfig
    from mindspore_serving.server._server import plans_for

    directory = os.path.abspath(options.directory)
    devices = tuple(range(options.workers))
    plans = plans_for(
        [
            ServableStartConfig(
                directory,
                name,
                devices,
                num_parallel_workers=options.stage_workers,
                max_batch_delay_us=options.max_batch_delay_us,
            )
            for name in options.servable or _servables_in(directory)
        ]
    )
    for plan in plans:
        plan["follow_newest"] = bool(plan["servable"]["models"])
    config = {"servables": plans, "max_enqueued_requests": options.max_requests}
    if options.rest:
        config["rest"] = {"address": options.rest, "http_status_codes": options.http_status_codes}
    if options.grpc:
        config["grpc"] = {"address": options.grpc}
    if not options.rest and not options.grpc:
        raise RuntimeError("nothing to listen at: give --rest or --grpc")
    return config


def _serve(options):
    """Becomes the native server: no Python stays, but for stages that are Python functions."""
    from mindspore_serving.server._programs import native_program

    text = json.dumps(_config(options))
    if options.print_config:
        print(text)
        return
    # In memory: keys are in it. The descriptor stays open behind exec, and the path names it.
    descriptor = os.memfd_create("serving_config", 0)
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    program = native_program("serving_server")
    sys.stdout.flush()
    os.execv(program, [program, f"/proc/self/fd/{descriptor}"])


def _describe(options):
    from mindspore_serving.server._description import describe
    from mindspore_serving.server._folders import check_servable

    folder = os.path.abspath(options.folder)
    directory, name = os.path.split(folder)
    check_servable(directory, name)
    print(json.dumps(describe(directory, name), indent=2))


def main():
    options = _parser().parse_args()
    try:
        if options.command == "serve":
            _serve(options)
        elif options.command == "describe":
            _describe(options)
        else:
            print(__version__)
    except RuntimeError as error:
        print(f"mindspore_serving: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
