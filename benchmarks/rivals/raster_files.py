"""The rasters on disk: written by Plumb's generator or, if it is not built, by a stand-in with the
same shape.
"""

import json
import os
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

from raster_spec import RasterSpec

TRANSLATE = {
    "cog": ("-of", "COG", "-co", "COMPRESS=DEFLATE", "-co", "BLOCKSIZE=256"),
    "jp2": ("-of", "JP2OpenJPEG", "-co", "REVERSIBLE=YES", "-co",
            "QUALITY=100", "-co", "BLOCKXSIZE=1024", "-co",
            "BLOCKYSIZE=1024"),
}
"""The options of gdal_translate, by form."""


class NotMade(Exception):
    """A raster that cannot be written here, with a reason."""


def raster(spec: RasterSpec, folder: Path, maker: Path | None) -> Path:
    """The raster, which is created if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / spec.file_name
    note = folder / f"{spec.name}.json"
    origin = json.dumps({**asdict(spec), "stand-in": maker is None})
    if path.exists() and note.exists() and note.read_text() == origin:
        return path
    note.unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    if spec.of:
        first = replace(spec, name=spec.of, of=None)
        os.link(raster(first, folder, maker), path)
    elif spec.form == "tiff" and spec.has_nodata:
        _generate(spec, path, maker)
    else:
        _translate(spec, path, maker)
    note.write_text(origin)
    return path


def translate(source: Path, target: Path, *options: str) -> None:
    """One call of gdal_translate, without side files."""
    _run(["gdal_translate", "-q", "--config", "GDAL_PAM_ENABLED", "NO",
          *options, str(source), str(target)], target.name)


def layout(spec: RasterSpec) -> tuple[str, ...]:
    """The creation options of a GeoTIFF, for gdal_translate."""
    tiles = ("TILED=YES", f"BLOCKXSIZE={spec.tile}", f"BLOCKYSIZE={spec.tile}")
    options = (f"COMPRESS={spec.compression.upper()}",
               *[f"PREDICTOR={spec.predictor}"] * (spec.predictor > 1),
               *tiles * (spec.tile > 0))
    return tuple(word for option in options for word in ("-co", option))


def _translate(spec, path, maker):
    """Converts a temporary raster of the same cells."""
    whole = replace(spec, name=f"{spec.name}-source", form="tiff",
                    has_nodata=True)
    source = raster(whole, path.parent, maker)
    options = TRANSLATE.get(spec.form) or layout(spec)
    if not spec.has_nodata:
        options = ("-a_nodata", "none", *options)
    translate(source, path, *options)
    source.unlink()
    (path.parent / f"{whole.name}.json").unlink()


def _generate(spec, path, maker):
    if maker is None:
        import standin  # Needs libraries.
        standin.write(path, spec)
    else:
        _run([str(maker), "large", "--output", str(path.parent), "--name",
              path.name, "--compression", spec.compression,
              "--size", str(spec.side), "--tile", str(spec.tile),
              "--type", spec.type, "--predictor", str(spec.predictor),
              "--bands", str(spec.bands), "--interleave", "pixel",
              "--seed", str(spec.seed), "--reference", spec.reference],
             path.name)


def _run(command, name):
    try:
        outcome = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise NotMade(f"{Path(command[0]).name} is not installed") from None
    if outcome.returncode != 0:
        words = outcome.stderr.strip().splitlines() or ["no message"]
        raise NotMade(f"{Path(command[0]).name} cannot write {name}: "
                      f"{words[-1]}")
