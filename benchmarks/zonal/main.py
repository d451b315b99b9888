"""Statistics of areas with Plumb, exactextract, extractrs and rasterstats, on the same files."""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import extractrs
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
DATES = 92
DATE_SIDE = 1200
MOMENTS = ['mean', 'count', 'sum', 'min', 'max', 'stdev']
STRATEGIES = ['feature-sequential', 'raster-sequential']
# A contender that takes longer runs once.
LONG = 60


def write_raster(path, side=SIDE, dtype='float32', seed=1):
    random = np.random.default_rng(seed)
    if dtype == 'uint8':
        values = random.integers(1, 9, (side // 20, side // 20)).repeat(20, 0).repeat(20, 1)
    else:
        values = np.cumsum(random.normal(0, 3, (side, side)), axis=1)
    with rasterio.open(
            path, 'w', driver='GTiff', height=side, width=side, count=1, dtype=dtype,
            crs='EPSG:32734', transform=rasterio.Affine(10, 0, 300_000, 0, -10, 6_240_000),
            nodata=-9999 if dtype == 'float32' else 0, tiled=True, blockxsize=256, blockysize=256,
            compress='deflate') as file:
        file.write(values.astype(dtype), 1)


def write_areas(path, count, cells, seed, side=SIDE):
    """Star-shaped polygons of some 6 to 20 vertices."""
    random = np.random.default_rng(seed)
    radius = math.sqrt(cells * 100 / math.pi / 0.45)
    margin = radius + 100
    shapes = []
    for _ in range(count):
        corners = int(random.integers(6, 20))
        angles = np.sort(random.uniform(0, 2 * math.pi, corners))
        reach = radius * random.uniform(0.4, 1, corners)
        centre = random.uniform(margin, side * 10 - margin, 2) * [1, -1] + [300_000, 6_240_000]
        shapes.append(shapely.Polygon(
            np.column_stack((np.cos(angles), np.sin(angles))) * reach[:, None] + centre))
    frame = gpd.GeoDataFrame({'id': range(count)}, geometry=shapes, crs='EPSG:32734')
    frame[frame.is_valid].to_file(path, driver='GPKG')


def write_points(path, count, seed):
    random = np.random.default_rng(seed)
    x, y = random.uniform(301_000, 359_000, count), random.uniform(6_181_000, 6_239_000, count)
    pd.DataFrame({'id': range(count), 'x': x.round(2), 'y': y.round(2)}).to_csv(path, index=False)


def timed(body):
    begin = time.perf_counter()
    result = body()
    return time.perf_counter() - begin, result


def plumb(folder, *arguments):
    output = folder / 'out.csv'
    subprocess.run(
        [PLUMB, 'zonal', *map(str, arguments), '-o', output, '--overwrite', '-q'], check=True)
    return output


def race(contenders, rounds, check):
    """The median seconds of each contender, in interleaved rounds; `check` compares the results of the first."""
    times = {name: [] for name in contenders}
    for turn in range(rounds):
        results = {}
        for name, body in contenders.items():
            if times[name] and times[name][0] > LONG:
                continue
            seconds, results[name] = timed(body)
            times[name].append(seconds)
        if turn == 0:
            check(results)
    return {name: statistics.median(list) for name, list in times.items()}


def compare(ours, theirs, name, tolerance=1e-4):
    """Raises an error unless the values are equal within the rival's precision."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    wrong = np.abs(ours - theirs) > tolerance * np.maximum(1, np.abs(theirs))
    assert len(ours) == len(theirs) and not wrong.any(), (name, ours[wrong], theirs[wrong])


def exact(raster, areas, names, strategy):
    return exact_extract(
        str(raster), gpd.read_file(areas), names, output='pandas', strategy=strategy)


def decoded(raster):
    """Reads all tiles with rasterio on all processors, for the lower bound."""
    with rasterio.Env(GDAL_NUM_THREADS='ALL_CPUS'), rasterio.open(raster) as file:
        return file.read(1)


def one_raster(folder, raster, count, cells, names, rounds, sampled, has_limit=False):
    areas = folder / f'{cells}.gpkg'
    if not areas.exists():
        write_areas(areas, count, cells, cells)
    contenders = {'plumb': lambda: plumb(
        folder, f'r={raster}', '--areas', areas, '--stat', ','.join(names))}
    for strategy in STRATEGIES:
        contenders[f'exactextract {strategy}'] = (
            lambda strategy=strategy: exact(raster, areas, names, strategy))
    if has_limit:
        contenders['rasterio, only reading'] = lambda: decoded(raster)

    def check(results):
        found = pd.read_csv(results['plumb'])
        for strategy in STRATEGIES:
            for name in names:
                compare(found[f'r_{name}'], results[f'exactextract {strategy}'][name], name)

    times = race(contenders, rounds, check)
    real = len(gpd.read_file(areas))
    if sampled:
        part = gpd.read_file(areas, rows=sampled)
        words = ['std' if name == 'stdev' else name for name in names]
        seconds, _ = timed(lambda: zonal_stats(part, str(raster), stats=words))
        times['rasterstats, extrapolated from a part'] = seconds * real / len(part)
    return f'{real:,} areas of about {cells:,} cells: {", ".join(names)}', times


def dates(folder, count, rounds):
    rasters = [folder / f'd{date:02}.tif' for date in range(DATES)]
    for date, path in enumerate(rasters):
        write_raster(path, DATE_SIDE, seed=date)
    areas = folder / 'dates.gpkg'
    write_areas(areas, count, 200, 5, DATE_SIDE)
    stored = folder / 'dates.cov'
    common = [*rasters, '--areas', areas, '--stat', 'mean']
    plumb(folder, *common, '--coverage', stored)

    def with_extractrs():
        frame = gpd.read_file(areas)
        values = np.stack([rasterio.open(path).read(1) for path in rasters]).astype(float)
        top, left, step = 6_240_000, 300_000, DATE_SIDE * 10
        cache = extractrs.build_cache(
            list(shapely.to_wkb(frame.geometry.values)), list(range(len(frame))), left, top - step,
            left + step, top, 10.0, 10.0)
        return extractrs.apply_stat_batch(cache, values, -9999.0, 'mean')

    contenders = {
        'plumb': lambda: plumb(folder, *common),
        'plumb --coverage': lambda: plumb(folder, *common, '--coverage', stored),
        'extractrs': with_extractrs,
        'rasterio, only reading': lambda: [decoded(path) for path in rasters],
    }

    def check(results):
        found = pd.read_csv(results['plumb'])
        for date, values in enumerate(results['extractrs']):
            compare(found[f'd{date:02}_mean'], values, f'date {date}')
        assert results['plumb'].read_bytes() == results['plumb --coverage'].read_bytes()

    times = race(contenders, rounds, check)
    seconds, _ = timed(lambda: exact(rasters[0], areas, ['mean'], STRATEGIES[0]))
    times['exactextract, extrapolated from one date'] = seconds * DATES
    return f'{count:,} areas of about 200 cells x {DATES} dates: mean', times


def classes(folder, count, rounds):
    cover, areas = folder / 'cover.tif', folder / 'wards.gpkg'
    write_raster(cover, dtype='uint8')
    write_areas(areas, count, 20_000, 7)

    def with_exactextract():
        return exact_extract(
            str(cover), gpd.read_file(areas), ['unique', 'frac', 'count'], output='pandas')

    contenders = {
        'plumb, m2 on the ellipsoid': lambda: plumb(
            folder, f'c={cover}', '--areas', areas, '--classes'),
        'exactextract frac, cells': with_exactextract,
    }

    def check(results):
        found = pd.read_csv(results['plumb, m2 on the ellipsoid']).groupby('id')
        for (_, rows), wanted in zip(found, results['exactextract frac, cells'].itertuples()):
            order = np.argsort(wanted.unique)
            compare(rows['share'], np.asarray(wanted.frac)[order], 'share', 1e-5)

    return f'classes: {count:,} areas of about 20,000 cells of 10 m', race(
        contenders, rounds, check)


def discs(folder, raster, count, rounds):
    points = folder / 'points.csv'
    write_points(points, count, 3)
    sampled = min(count, 20_000)
    frame = pd.read_csv(points, nrows=sampled)
    shapes = gpd.GeoDataFrame(
        frame, geometry=gpd.points_from_xy(frame.x, frame.y), crs='EPSG:32734')

    def with_exactextract():
        drawn = shapes.copy()
        drawn.geometry = shapes.buffer(50)
        return exact_extract(str(raster), drawn, ['mean'], output='pandas')

    contenders = {'plumb': lambda: plumb(
        folder, f'r={raster}', '--points', points, '--crs', 'EPSG:32734', '--radius', '50m',
        '--stat', 'mean')}
    times = race(contenders, rounds, lambda results: None)
    seconds, wanted = timed(with_exactextract)
    found = pd.read_csv(folder / 'out.csv', nrows=sampled)
    # Planar discs of 64 vertices, and discs on the ellipsoid.
    compare(found.r_mean, wanted['mean'], 'mean', 0.2)
    times['exactextract on planar buffers, extrapolated from a part'] = seconds * count / sampled
    return f'{count:,} points, radius 50 m: mean', times


def in_python(folder, raster, rounds):
    import plumb_gis as library

    frame = gpd.read_file(folder / '50.gpkg')
    contenders = {
        'plumb.zonal': lambda: library.zonal(frame, {'r': str(raster)}, MOMENTS),
        **{f'exact_extract {strategy}': lambda strategy=strategy: exact_extract(
            str(raster), frame, MOMENTS, output='pandas', strategy=strategy)
           for strategy in STRATEGIES},
    }

    def check(results):
        for name in MOMENTS:
            compare(
                results['plumb.zonal'][f'r_{name}'],
                results[f'exact_extract {STRATEGIES[0]}'][name], name)

    return f'{len(frame):,} areas of about 50 cells in a GeoDataFrame: {", ".join(MOMENTS)}', race(
        contenders, rounds, check)


def growth(folder, raster, most, rounds):
    """The cost per area for a growing number of areas, and a plot of it."""
    seconds = {}
    for power in range(4, 8):
        count = 10 ** power
        if count > most:
            break
        random = np.random.default_rng(power)
        areas = folder / f'boxes{power}.gpkg'
        for start in range(0, count, 10 ** 6):
            size = min(count - start, 10 ** 6)
            x, y = random.uniform(300_100, 359_800, size), random.uniform(6_180_100, 6_239_800, size)
            frame = gpd.GeoDataFrame(
                {'id': np.arange(start, start + size)},
                geometry=shapely.box(x, y, x + 71, y + 71), crs='EPSG:32734')
            frame.to_file(areas, driver='GPKG', mode='a' if start else 'w')
        name = f'plumb, {count:,} areas'
        times = race({name: lambda areas=areas: plumb(
            folder, f'r={raster}', '--areas', areas, '--stat', 'mean')}, rounds, lambda results: None)
        seconds[count] = times[name]
        areas.unlink()
    draw_growth(ROOT / 'benchmarks/zonal/growth.svg', seconds)
    return 'areas of about 50 cells on one raster, [cost of an added area](zonal/growth.svg): mean', {
        f'plumb, {count:,} areas': time for count, time in seconds.items()}


def draw_growth(path, seconds):
    """The microseconds per area that is added; the raster is decoded once for any number of areas."""
    counts = list(seconds)
    costs = {
        f'{first:,} to {second:,}': (seconds[second] - seconds[first]) / (second - first) * 10 ** 6
        for first, second in zip(counts, counts[1:])}
    top = 1.2 * max(costs.values())
    points = [(110 + 200 * index, 260 - 220 * cost / top) for index, cost in enumerate(costs.values())]
    marks = ''.join(
        f'<circle cx="{x}" cy="{y:.1f}" r="4"/><text x="{x}" y="{y - 10:.1f}">{cost:.1f}</text>'
        f'<text x="{x}" y="280">{step}</text>'
        for (x, y), (step, cost) in zip(points, costs.items()))
    line = ' '.join(f'{x},{y:.1f}' for x, y in points)
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="620" height="310" font-family="sans-serif" '
        'font-size="13" text-anchor="middle"><rect width="620" height="310" fill="white"/>'
        f'<path d="M40 260H590M40 20V260" stroke="gray"/><polyline points="{line}" fill="none" '
        f'stroke="black"/>{marks}<text x="310" y="302">areas</text>'
        '<text x="130" y="18">microseconds per added area</text></svg>\n')


def rows(folder, rounds, size, only, most):
    raster = folder / 'r.tif'
    write_raster(raster)

    def scaled(count):
        return max(10, int(count * size))

    work = {
        'small': lambda: one_raster(folder, raster, scaled(100_000), 50, MOMENTS, rounds, 1000),
        'median': lambda: one_raster(
            folder, raster, scaled(20_000), 1200, [*MOMENTS, 'median'], rounds, 200),
        'mean': lambda: one_raster(folder, raster, scaled(20_000), 1200, ['mean'], rounds, 0),
        'large': lambda: one_raster(
            folder, raster, scaled(1000), 1_000_000, ['mean', 'count'], rounds, 0, True),
        'dates': lambda: dates(folder, scaled(20_000), rounds),
        'classes': lambda: classes(folder, scaled(1000), rounds),
        'discs': lambda: discs(folder, raster, scaled(1_000_000), rounds),
        'python': lambda: in_python(folder, raster, rounds),
        'growth': lambda: growth(folder, raster, most, rounds),
    }
    for name, body in work.items():
        if not only or name in only:
            yield body()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--size', type=float, default=1)
    parser.add_argument('--most', type=int, default=10 ** 7)
    parser.add_argument('--only', type=lambda text: text.split(','), default=[])
    arguments = parser.parse_args()
    lines = [
        '# Statistics of areas', '',
        f'Written by `benchmarks/zonal/run{"".join(" " + text for text in sys.argv[1:])}`, '
        f'{arguments.rounds} rounds, {os.cpu_count()} processors. All contenders read the', 'areas '
        'from the same file. The values are compared before the times are printed. Times are '
        'medians.', '', '| work | contender | seconds | relative to Plumb |', '|---|---|--:|--:|']
    with tempfile.TemporaryDirectory() as name:
        for title, times in rows(
                Path(name), arguments.rounds, arguments.size, arguments.only, arguments.most):
            first = next(iter(times.values()))
            part = [
                f'| {title} | {contender} | {seconds:.2f} | {seconds / first:.2f} |'
                for contender, seconds in times.items()]
            print('\n'.join(part), flush=True)
            lines += part
    (ROOT / 'benchmarks/ZONAL.md').write_text('\n'.join(lines) + '\n')


main()
