"""What lies at a path: the config, and the files beside it that say more about the checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from derive.architecture.json_file import LARGEST_INDEX, Source, read_json, refuse
from derive.errors import Place, printable
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.gguf import Held

CONFIGS = ("config.json", "params.json")
QUANTIZATION = "hf_quant_config.json"
GGUF = ".gguf"
INDEX = "model.safetensors.index.json"


@dataclass(frozen=True)
class Opened:
    """A config with its companions, and the names that may carry a size."""

    config: Source
    quantization: Source | None = None
    index: Source | None = None
    names: tuple[str, ...] = ()
    held: Held | None = None  # the tensors, where the file lists them


def open_path(path: str | Path) -> Opened:
    """Open a config, a GGUF file or a folder with a config; DeriveError where there is none."""
    place = Path(path)
    if place.suffix.lower() == GGUF and not place.is_dir():
        from derive.architecture.gguf import open_gguf  # nobody else pays for it

        config, held, names = open_gguf(place)
        return Opened(config, names=names, held=held)
    if not place.is_dir():
        alone = place.name not in CONFIGS
        config = read_json(place)
        name = place.name.removesuffix(".json") if alone else place.resolve().parent.name
        beside = None if alone else place.parent
    else:
        found = next((place / n for n in CONFIGS if (place / n).is_file()), None)
        if found is None:
            what = tr("{path} holds no config.json", path=printable(str(path), 120))
            refuse("M101", what, Place(str(path)))
        config, beside, name = read_json(found), place, place.resolve().name
    quantization = index = None
    recipe = recipe_beside(place, beside)
    if recipe is not None:
        quantization = read_json(recipe)
    if beside is not None and (beside / INDEX).is_file():
        index = read_json(beside / INDEX, LARGEST_INDEX)
    said = config.data.get("_name_or_path")
    names = (name, *([said] if isinstance(said, str) else []))
    return Opened(config, quantization, index, names)


def recipe_beside(place: Path, folder: Path | None) -> Path | None:
    """The recipe in the folder, or beside X_config.json the file X_hf_quant_config.json."""
    if folder is not None:
        found = folder / QUANTIZATION
    elif place.name.endswith("config.json"):
        found = place.with_name(place.name.removesuffix("config.json") + QUANTIZATION)
    else:
        return None
    return found if found.is_file() else None
