# SPDX-License-Identifier: Apache-2.0
"""Invented transcripts in the agents' own formats, for tests."""
import json
import os
import uuid


def stamp(seconds):
    from datetime import datetime, timezone
    return datetime.fromtimestamp(seconds, timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%S.000Z")


def uid(*parts):
    """A UUID that is the same for the same parts."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, parts))))


class Claude:
    """A Claude Code session that is written record by record."""

    def __init__(self, session, folder="/home/dana/projects/billing",
                 start=1772442000):
        self.session = session
        self.folder = folder
        self.time = start
        self.records = []

    def add(self, kind, content, seconds=10, **extra):
        self.time += seconds
        parent = next((r["uuid"] for r in reversed(self.records)
                       if "uuid" in r), None)
        self.records.append(dict({
            "type": kind, "uuid": uid(self.session, len(self.records)),
            "parentUuid": parent, "sessionId": self.session,
            "cwd": self.folder, "version": "9.9.9", "gitBranch": "main",
            "isSidechain": False, "userType": "external",
            "timestamp": stamp(self.time),
            "message": {"role": kind, "content": content}}, **extra))
        return self

    def user(self, text, seconds=10, **extra):
        return self.add("user", text, seconds, **extra)

    def agent(self, text, seconds=10):
        return self.add("assistant", [{"type": "text", "text": text}], seconds)

    def tool(self, name, arguments, output, failed=False):
        call = f"toolu_{len(self.records)}"
        self.add("assistant", [{"type": "tool_use", "id": call, "name": name,
                                "input": arguments}], 1)
        return self.add("user", [{"type": "tool_result", "tool_use_id": call,
                                  "content": output, "is_error": failed}], 1)

    def fork(self, session):
        """What --fork-session writes: copies under another session id."""
        copy = Claude(session, self.folder, self.time)
        copy.records = [dict(r, sessionId=session) for r in self.records]
        return copy

    def write(self, folder, name=None):
        """Into <folder>/<name or session>.jsonl; returns the path."""
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, (name or self.session) + ".jsonl")
        with open(path, "w", encoding="utf-8") as out:
            for record in self.records:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
        return path


class Codex:
    """A Codex rollout with plain response items."""

    def __init__(self, session, start=1772442000,
                 folder="/home/dana/projects/billing", **meta):
        self.session = session
        self.time = start
        self.start = start
        self.folder = folder
        self.records = []
        self.put("session_meta", dict({
            "id": session, "timestamp": stamp(start), "cwd": folder,
            "cli_version": "0.99.0"}, **meta), 0)

    def put(self, kind, payload, seconds=5):
        self.time += seconds
        self.records.append({"timestamp": stamp(self.time), "type": kind,
                             "payload": payload})
        return self

    def message(self, role, text, seconds=5):
        kind = "output_text" if role == "assistant" else "input_text"
        return self.put("response_item", {
            "type": "message", "role": role,
            "content": [{"type": kind, "text": text}]}, seconds)

    def replay(self, parent):
        """The parent's header and messages, as a fork copies them."""
        for record in parent.records:
            self.records.append(dict(record, timestamp=stamp(self.start)))
        return self

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(
            folder, "rollout-%s-%s.jsonl" % (
                stamp(self.start)[:19].replace(":", "-"), self.session))
        with open(path, "w", encoding="utf-8") as out:
            for record in self.records:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
        return path
