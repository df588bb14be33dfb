# SPDX-License-Identifier: Apache-2.0
"""New versions of servables that were started with version_number=0: loaded when they appear, and served
instead of the one before."""

import json
import os

from mindspore_serving import log as logger
from mindspore_serving.server._folders import versions_in
from mindspore_serving.server._servable_local import with_version


def _content(folder):
    """What a folder has, so that copying into it is noticed."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.stat(os.path.join(place, name))
            except OSError:  # moved meanwhile
                continue
            found.append((place, name, status.st_size, status.st_mtime_ns))
    return sorted(found)


class _Watched:
    """A servable, and which of its versions is served as the newest."""

    def __init__(self, config, is_asked_for):
        self.config = config
        self.version = config.version_number
        self.stays = is_asked_for  # by its number, whichever is the newest
        self.seen = None  # version and content at the last look
        self.tried = None  # that could not be loaded


class Watcher:
    """Looks at the folders of servables; one thread calls it."""

    def __init__(self, server, plan):
        self._server = server
        self._plan = plan  # from a config to what the server is told
        self._watched = []

    def add(self, config, is_asked_for):
        self._watched.append(_Watched(config, is_asked_for))

    def look(self):
        """Loads what is new and has not changed since the last look."""
        for watched in self._watched:
            try:
                self._look_at(watched)
            except (OSError, RuntimeError) as error:
                logger.warning("servable '%s': %s", watched.config.servable_name, error)

    def _look_at(self, watched):
        folder = watched.config.folder
        newest = max(versions_in(folder), default=0)
        if newest == watched.version or newest == 0:
            return
        content = (newest, _content(os.path.join(folder, str(newest))))
        is_settled, watched.seen = content == watched.seen, content
        if not content[1] or not is_settled or content == watched.tried:
            return
        watched.tried = content
        name, old = watched.config.servable_name, watched.version
        self._server.load(json.dumps(self._plan(with_version(watched.config, newest))))
        logger.info("servable '%s' version %d is served, before it was %d", name, newest, old)
        watched.version = newest
        if not watched.stays:
            self._server.unload(name, old)
        watched.stays = False
