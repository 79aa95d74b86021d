"""A fake hub of models that supports the requests of huggingface_hub."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.local import Answer, Asked, LocalServer

# Files that the hub stores by hash, outside of git.
_LARGE = (".safetensors", ".bin", ".h5", ".msgpack")


@dataclass
class Model:
    """One model's files by revision; a revision is "main" or "refs/pr/N"."""

    files: dict[str, dict[str, bytes]]
    card: dict[str, Any] = field(default_factory=dict)
    gated: bool = False
    # Open pull requests: (number, author, title, base revision)
    offers: list[tuple[int, str, str, str]] = field(default_factory=list)

    def commit(self, revision: str) -> str:
        names = json.dumps([revision, sorted(self.files[revision])])
        return hashlib.sha1(names.encode()).hexdigest()

    def revision_of(self, name: str) -> str | None:
        return next((r for r in self.files if name in (r, self.commit(r))), None)


class HubServer(LocalServer):
    """Serve models; set `models["owner/name"] = Model({"main": {"config.json": b"{}"}})`."""

    def __init__(self) -> None:
        super().__init__()
        self.models: dict[str, Model] = {}
        self.private: dict[str, bool] = {}
        self.read_only = False
        self._objects: dict[str, bytes] = {}

    def respond(self, asked: Asked) -> Answer:
        parts = asked.path.strip("/").split("/")
        if asked.method in ("POST", "PUT"):
            return self._uploaded(asked, parts)
        if parts[:2] == ["api", "models"]:
            return self._described("/".join(parts[2:4]), parts[4:])
        if len(parts) > 3 and parts[2] == "resolve":
            return self._file("/".join(parts[:2]), "/".join(parts[3:]), asked)
        return _refused(404, "EntryNotFound", "no such page")

    def _described(self, name: str, rest: list[str]) -> Answer:
        model = self.models.get(name)
        if model is None:
            return _refused(401, "RepoNotFound", "Invalid username or password.")
        if rest[:1] == ["discussions"]:
            return _json(
                {
                    "discussions": [_offer(*offer) for offer in model.offers],
                    "count": len(model.offers),
                    "start": 0,
                }
            )
        if rest[:1] == ["commits"]:
            revision = "/".join(rest[1:]).replace("%2F", "/")
            made_of = [offer[3] for offer in model.offers if revision == f"refs/pr/{offer[0]}"]
            commits = [model.commit(revision), *made_of]
            return _json([_commit(number) for number in commits])
        wanted = "/".join(rest[1:]).replace("%2F", "/") if rest[:1] == ["revision"] else "main"
        revision = model.revision_of(wanted)
        if revision is None:
            return _refused(404, "RevisionNotFound", f"Invalid rev id: {wanted}")
        siblings = [_sibling(name, body) for name, body in model.files[revision].items()]
        return _json(
            {
                "id": name,
                "sha": model.commit(revision),
                "siblings": siblings,
                "cardData": model.card,
                "gated": "manual" if model.gated else False,
            }
        )

    def _uploaded(self, asked: Asked, parts: list[str]) -> Answer:
        """Create a repository, take large files by hash, or a commit."""
        if self.read_only:
            return _refused(403, "Forbidden", "You need a token with write access.")
        if parts[0] == "objects":
            self._objects[parts[1]] = asked.body
            return Answer(b"", "application/json", headers={"ETag": '"x"'})
        if asked.path == "/api/validate-yaml":
            return _json({"errors": [], "warnings": []})
        if asked.path == "/api/repos/create":
            body = json.loads(asked.body)
            name = f"{body.get('organization') or 'somebody'}/{body['name']}"
            if name in self.models:
                known = json.dumps({"error": "You already created it.", "url": f"{self.url}{name}"})
                return Answer(known.encode(), "application/json", 409)
            self.models[name] = Model({"main": {}})
            self.private[name] = body.get("visibility") == "private" or bool(body.get("private"))
            return _json({"url": f"{self.url}{name}", "id": name})
        if parts[-1] == "batch":
            objects = [self._object(item) for item in json.loads(asked.body)["objects"]]
            return _json({"transfer": "basic", "objects": objects})
        name, action = "/".join(parts[2:4]), parts[4]
        if name not in self.models:
            return _refused(404, "RepoNotFound", "Repository not found")
        if action == "preupload":
            files = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(_LARGE) else "regular",
                    "shouldIgnore": False,
                }
                for file in json.loads(asked.body)["files"]
            ]
            return _json({"files": files})
        main = self.models[name].files["main"]
        for line in asked.body.splitlines():
            operation = json.loads(line)
            value = operation["value"]
            if operation["key"] == "file":
                main[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                main[value["path"]] = self._objects[value["oid"]]
        number = self.models[name].commit("main")
        return _json({"commitUrl": f"{self.url}{name}/commit/{number}", "commitOid": number})

    def _object(self, item: dict[str, Any]) -> dict[str, Any]:
        """Describe where to send a large file; nowhere if it is here already."""
        if item["oid"] in self._objects:
            return item
        upload = {"upload": {"href": f"{self.url}objects/{item['oid']}", "header": {}}}
        return {**item, "actions": upload}

    def _file(self, name: str, rest: str, asked: Asked) -> Answer:
        model = self.models[name]
        if model.gated:
            return _refused(403, "GatedRepo", "Access to this model is restricted.")
        commit, _, file = rest.partition("/")
        revision = model.revision_of(commit)
        body = model.files[revision].get(file) if revision else None
        if revision is None or body is None:
            return _refused(404, "EntryNotFound", "Entry not found")
        digest = hashlib.sha256(body).hexdigest()
        headers = {
            "X-Repo-Commit": model.commit(revision),
            "ETag": f'"{digest}"',
            "Accept-Ranges": "bytes",
        }
        start = asked.headers.get("range", "bytes=0-").removeprefix("bytes=").partition("-")[0]
        status = 206 if "range" in asked.headers else 200
        if status == 206:
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        return Answer(body[int(start) :], "application/octet-stream", status, headers)


def _json(value: Any) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json")


def _refused(status: int, code: str, message: str) -> Answer:
    headers = {"X-Error-Code": code, "X-Error-Message": message}
    return Answer(json.dumps({"error": message}).encode(), "application/json", status, headers)


def _sibling(name: str, body: bytes) -> dict[str, Any]:
    described: dict[str, Any] = {"rfilename": name, "size": len(body), "blobId": "0" * 40}
    if name.endswith(_LARGE):
        digest = hashlib.sha256(body).hexdigest()
        described["lfs"] = {"sha256": digest, "size": len(body), "pointerSize": 134}
    return described


def _offer(number: int, author: str, title: str, _: str) -> dict[str, Any]:
    return {
        "num": number,
        "author": {"name": author},
        "title": title,
        "status": "open",
        "isPullRequest": True,
        "createdAt": "2024-01-01T00:00:00.000Z",
        "repo": {"name": "x", "type": "model"},
    }


def _commit(number: str) -> dict[str, Any]:
    return {
        "id": number,
        "title": "a change",
        "message": "",
        "date": "2024-01-01T00:00:00.000Z",
        "authors": [{"user": "somebody"}],
    }
