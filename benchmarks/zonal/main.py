"""Statistics of areas with Plumb, exactextract and rasterstats, on the same files."""

import argparse
import math
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio
import shapely
from exactextract import exact_extract
from rasterstats import zonal_stats

ROOT = Path(__file__).resolve().parents[2]
PLUMB = ROOT / '.build/release/plumb'
SIDE = 6000
# Plumb's name and exactextract's.
MOMENTS = ['mean', 'count', 'sum', 'min', 'max', 'stdev']


def write_raster(path):
    values = np.cumsum(np.random.default_rng(1).normal(0, 3, (SIDE, SIDE)), axis=1)
    with rasterio.open(
            path, 'w', driver='GTiff', height=SIDE, width=SIDE, count=1, dtype='float32',
            crs='EPSG:32734', transform=rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000),
            nodata=-9999, tiled=True, blockxsize=256, blockysize=256, compress='deflate') as file:
        file.write(values.astype('float32'), 1)


def write_areas(path, count, cells, seed):
    """Star-shaped polygons of some 6 to 20 vertices."""
    random = np.random.default_rng(seed)
    radius = math.sqrt(cells * 100 / math.pi / 0.45)
    shapes = []
    for _ in range(count):
        corners = int(random.integers(6, 20))
        angles = np.sort(random.uniform(0, 2 * math.pi, corners))
        reach = radius * random.uniform(0.4, 1, corners)
        centre = random.uniform([301_000, 6_181_000], [359_000, 6_239_000])
        shapes.append(shapely.Polygon(
            np.column_stack((np.cos(angles), np.sin(angles))) * reach[:, None] + centre))
    frame = gpd.GeoDataFrame({'id': range(count)}, geometry=shapes, crs='EPSG:32734')
    frame[frame.is_valid].to_file(path, driver='GPKG')


def timed(body):
    begin = time.perf_counter()
    result = body()
    return time.perf_counter() - begin, result


def plumb(raster, areas, names, folder):
    output = folder / 'out.csv'
    subprocess.run(
        [PLUMB, 'zonal', f'r={raster}', '--areas', areas, '--stat', ','.join(names), '-o', output,
         '--overwrite', '-q'], check=True)
    return output


def exact(raster, areas, names, strategy):
    return exact_extract(
        str(raster), gpd.read_file(areas), names, output='pandas', strategy=strategy)


def differ(output, wanted, names):
    """Raises an error unless the values are equal within exactextract's precision."""
    found = pd.read_csv(output)
    for name in names:
        ours, theirs = found[f'r_{name}'].to_numpy(), wanted[name].to_numpy()
        wrong = np.abs(ours - theirs) > 1e-4 * np.maximum(1, np.abs(theirs))
        assert len(ours) == len(theirs) and not wrong.any(), (name, ours[wrong], theirs[wrong])


def measure(raster, areas, names, folder, rounds, sampled):
    """Returns the seconds of each contender: the median of the rounds."""
    times = {}
    count = len(gpd.read_file(areas))
    for turn in range(rounds):
        seconds, output = timed(lambda: plumb(raster, areas, names, folder))
        times.setdefault('plumb', []).append(seconds)
        for strategy in ('feature-sequential', 'raster-sequential'):
            seconds, wanted = timed(lambda: exact(raster, areas, names, strategy))
            times.setdefault(f'exactextract {strategy}', []).append(seconds)
            if turn == 0:
                differ(output, wanted, names)
    if sampled:
        part = gpd.read_file(areas, rows=sampled)
        words = ['std' if name == 'stdev' else name for name in names]
        seconds, _ = timed(lambda: zonal_stats(part, str(raster), stats=words))
        times['rasterstats, by its rate on a part'] = [seconds * count / len(part)]
    return count, {name: statistics.median(list) for name, list in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--size', type=float, default=1)
    arguments = parser.parse_args()
    lines = [
        '# Statistics of areas', '',
        f'Written by `benchmarks/zonal/run`, {arguments.rounds} rounds, {os.cpu_count()} processors. '
        'All contenders read the', 'areas from the same GeoPackage. The values are compared before '
        'the times are printed. Times are medians.', '',
        '| work | contender | seconds | times of Plumb\'s |', '|---|---|--:|--:|']
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raster = folder / 'r.tif'
        write_raster(raster)
        for count, cells, names, sampled in (
                (100_000, 50, MOMENTS, 1000), (20_000, 1200, [*MOMENTS, 'median'], 200),
                (20_000, 1200, ['mean'], 0)):
            areas = folder / f'{cells}.gpkg'
            if not areas.exists():
                write_areas(areas, int(count * arguments.size), cells, cells)
            real, times = measure(raster, areas, names, folder, arguments.rounds, sampled)
            for contender, seconds in times.items():
                lines.append(
                    f'| {real:,} areas of about {cells} cells: {", ".join(names)} | {contender} '
                    f'| {seconds:.2f} | {seconds / times["plumb"]:.1f} |')
            print('\n'.join(lines[-len(times):]), flush=True)
    (ROOT / 'benchmarks/ZONAL.md').write_text('\n'.join(lines) + '\n')


main()
