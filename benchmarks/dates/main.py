"""Dates matched to observations, and series, with Plumb, pandas, polars, rasterio and xarray, on the same files."""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import netCDF4
import numpy as np
import pandas as pd
import plumb_gis
import polars as pl
import rasterio
import xarray as xr
import zarr
from dask import array as da
from numcodecs import Zstd
from rasterio.warp import transform_bounds
from scenes import COUNT, Scenes

ROOT = Path(__file__).resolve().parents[2]
PLUMB = ROOT / '.build/release/plumb'
SIDE = 1200
DATES = pd.date_range('2022-01-01', periods=92, freq='16D')
TRANSFORM = rasterio.Affine(250, 0, 300_000, 0, -250, 6_240_000)
NODATA = -3000
# Like a user of rasterio: as many threads as there are processors.
THREADS = os.cpu_count()


def write_stacks(folder, side=SIDE):
    random = np.random.default_rng(1)
    base = np.cumsum(random.normal(0, 20, (side, side)), axis=1) + 4000
    for index, date in enumerate(DATES):
        values = (base + 2000 * np.sin(index / 23 * 2 * np.pi) + random.normal(0, 50, base.shape))
        values = values.clip(-2000, 9000).astype('int16')
        values[random.uniform(0, 1, values.shape) < 0.02] = NODATA
        # Clouds in blocks of 20 cells.
        clouds = random.integers(0, 4, (side // 20, side // 20)).repeat(20, 0).repeat(20, 1)
        for name, grid, nodata in (('evi', values, NODATA), ('qa', clouds.astype('uint8'), None)):
            (folder / name).mkdir(exist_ok=True)
            with rasterio.open(
                    folder / name / f'{name}_{date:%Y%j}.tif', 'w', driver='GTiff', height=side,
                    width=side, count=1, dtype=grid.dtype, crs='EPSG:32734', transform=TRANSFORM,
                    nodata=nodata, tiled=True, blockxsize=256, blockysize=256,
                    compress='deflate') as file:
                file.write(grid, 1)


def write_points(path, count, seed):
    random = np.random.default_rng(seed)
    days = (DATES[-1] - DATES[0]).days
    pd.DataFrame({
        'id': range(count),
        'x': (300_000 + random.uniform(0, SIDE * 250, count)).round(2),
        'y': (6_240_000 - random.uniform(0, SIDE * 250, count)).round(2),
        'when': (DATES[0] + pd.to_timedelta(random.integers(-20, days + 20, count), 'D'))
        .strftime('%Y-%m-%d'),
    }).to_csv(path, index=False)


def plumb(*arguments):
    done = subprocess.run([PLUMB, 'identify', *map(str, arguments), '--overwrite', '-q'], check=True)
    return done


def cells(frame):
    """The row and the column of each point."""
    x, y = frame['x'].to_numpy(), frame['y'].to_numpy()
    return ((6_240_000 - y) / 250).astype('int64'), ((x - 300_000) / 250).astype('int64')


def grid(path):
    with rasterio.open(path) as file:
        return file.read(1)


def nearest_with_pandas(folder, points, output):
    """Each image is read once and completely, on threads; rows are matched to the dates in their
    window.
    """
    frame = pd.read_csv(points, parse_dates=['when'])
    rows, columns = cells(frame)
    times = frame['when'].to_numpy().astype('datetime64[D]')
    order = np.argsort(times, kind='stable')
    sorted_times = times[order]
    axis = DATES.to_numpy().astype('datetime64[D]')
    best = np.full(len(frame), 10**6)
    value = np.zeros(len(frame), 'int16')
    found = np.full(len(frame), -1)

    def read(index):
        name = f'{DATES[index]:%Y%j}.tif'
        return grid(folder / 'evi' / f'evi_{name}'), grid(folder / 'qa' / f'qa_{name}')

    with ThreadPoolExecutor(THREADS) as pool:
        for index, (evi, qa) in enumerate(pool.map(read, range(len(axis)))):
            first = np.searchsorted(sorted_times, axis[index] - 16, 'left')
            last = np.searchsorted(sorted_times, axis[index] + 16, 'right')
            near = order[first:last]
            r, c = rows[near], columns[near]
            distance = np.abs((axis[index] - times[near]).astype('int64'))
            cell = evi[r, c]
            good = ((qa[r, c] & 3) == 0) & (cell != NODATA) & (distance < best[near])
            chosen = near[good]
            best[chosen], value[chosen], found[chosen] = distance[good], cell[good], index
    frame['evi'] = pd.Series(value).where(found >= 0).astype('Int16')
    frame['evi_date'] = np.where(found >= 0, DATES.strftime('%Y-%m-%d').to_numpy()[found], '')
    frame['evi_days'] = pd.Series((axis[found] - times).astype('int64')).where(found >= 0)
    frame.to_csv(output, index=False, date_format='%Y-%m-%d')


def series_with_polars(folder, points, output):
    """Each image is read once and completely, on threads; the long table is written by polars."""
    frame = pl.read_csv(points)
    rows, columns = cells(frame)

    def read(index):
        return grid(folder / 'evi' / f'evi_{DATES[index]:%Y%j}.tif')[rows, columns]

    with ThreadPoolExecutor(THREADS) as pool:
        values = np.stack(list(pool.map(read, range(len(DATES)))), axis=1)
    count = len(frame)
    index = pl.Series(np.repeat(np.arange(count), len(DATES)))
    flat = pl.Series('value', values.ravel())
    long = frame[index].with_columns(
        pl.lit('evi').alias('stack'), pl.lit(1).alias('band'),
        pl.Series('date', list(DATES.strftime('%Y-%m-%d')) * count),
        pl.when(flat == NODATA).then(None).otherwise(flat).alias('value'),
        pl.when(flat == NODATA).then(pl.lit('nodata')).otherwise(pl.lit('ok')).alias('status'))
    long.write_csv(output)


def decoded(folder, names):
    """Reads all images with rasterio on threads, for the lower bound."""
    paths = [path for name in names for path in sorted((folder / name).glob('*.tif'))]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(grid, paths):
            pass


def race(contenders, rounds, check):
    """The median seconds of each contender, in interleaved rounds; `check` compares the results of the first."""
    times = {name: [] for name in contenders}
    for turn in range(rounds):
        for name, body in contenders.items():
            begin = time.perf_counter()
            body()
            times[name].append(time.perf_counter() - begin)
        if turn == 0:
            check()
    return {name: statistics.median(list) for name, list in times.items()}


def tiles(folder, points):
    """The tiles that `--explain` reports as touched and decoded."""
    done = subprocess.run(
        [PLUMB, 'identify', *arguments(folder, points), '-o', '/dev/null', '--overwrite', '--explain'],
        check=True, capture_output=True, text=True)
    match = re.search(r'(\d+) tiles touched, (\d+) tiles decoded', done.stderr)
    return match and tuple(map(int, match.groups()))


def arguments(folder, points):
    return [f'evi={folder}/evi/*.tif', f'qa={folder}/qa/*.tif', '--dates', '*_%Y%j', '--points', points,
            '--when', 'when', '--within', '16d', '--valid', '(qa & 3) == 0', '--crs', 'EPSG:32734']


def nearest(folder, count, rounds):
    points = folder / 'observations.csv'
    write_points(points, count, 2)
    ours, theirs = folder / 'ours.csv', folder / 'theirs.csv'

    def check():
        a, b = pd.read_csv(ours), pd.read_csv(theirs)
        assert (a['id'] == b['id']).all()
        for name in ('evi', 'evi_date', 'evi_days'):
            same = (a[name] == b[name]) | a[name].isna() & b[name].isna()
            assert same.all(), (name, a[~same], b[~same])
        assert a['evi'].notna().sum() > count / 3

    times = race({
        'plumb': lambda: plumb(*arguments(folder, points), '-o', ours),
        'pandas and rasterio': lambda: nearest_with_pandas(folder, points, theirs),
        'rasterio, only reading': lambda: decoded(folder, ['evi', 'qa']),
    }, rounds, check)
    found = tiles(folder, points)
    return f'{count:,} observations x 92 dates, nearest within 16 days, quality mask' + (
        f' ({found[1]:,} of {found[0]:,} touched tiles decoded)' if found else ''), times


def series(folder, count, rounds):
    points = folder / 'points.csv'
    write_points(points, count, 3)
    ours, theirs = folder / 'ours.csv', folder / 'theirs.csv'

    def check():
        a, b = pl.read_csv(ours), pl.read_csv(theirs)
        assert a.equals(b), (a, b)

    return f'{count:,} points x 92 dates, long CSV', race({
        'plumb': lambda: plumb(
            f'evi={folder}/evi/*.tif', '--dates', 'evi_%Y%j', '--points', points, '--series', '--long',
            '--crs', 'EPSG:32734', '-o', ours),
        'polars and rasterio': lambda: series_with_polars(folder, points, theirs),
        'rasterio, only reading': lambda: decoded(folder, ['evi']),
    }, rounds, check)


HOURS = 910
LATITUDES, LONGITUDES = 90 - 0.25 * np.arange(721), 0.25 * np.arange(1440)


def write_netcdf(path, chunks):
    """Hourly temperatures on the grid of ERA5, packed in 16 bits."""
    random = np.random.default_rng(4)
    base = (280 + 30 * np.cos(np.radians(LATITUDES))[:, None]
            + random.normal(0, 2, (721, 1440))).astype('f4')
    steps = 91
    with netCDF4.Dataset(path, 'w') as file:
        for name, axis, units in (('time', np.arange(HOURS), 'hours since 2024-01-01'),
                                  ('latitude', LATITUDES, 'degrees_north'),
                                  ('longitude', LONGITUDES, 'degrees_east')):
            file.createDimension(name, len(axis))
            variable = file.createVariable(name, 'f8', (name,))
            variable.units = units
            variable[:] = axis
        variable = file.createVariable(
            't2m', 'i2', ('time', 'latitude', 'longitude'), zlib=True, complevel=1,
            chunksizes=chunks, fill_value=-32767)
        variable.scale_factor, variable.add_offset = 0.01, 280.0
        for start in range(0, HOURS, steps):
            hours = np.arange(start, min(start + steps, HOURS), dtype='f4')
            variable[start:start + steps] = base + 5 * np.sin(hours / 24 * 2 * np.pi)[:, None, None]


def series_with_xarray(path, points, output):
    """Each block of hours is read once and completely: the vectorised sel of xarray takes more than
    a hundred times as long.
    """
    frame = pl.read_csv(points)
    with xr.open_dataset(path, mask_and_scale=False) as data:
        hours = data['time'].dt.strftime('%Y-%m-%dT%H:%M:%SZ').values
        rows = np.rint((90 - frame['lat'].to_numpy()) / 0.25).astype('int64')
        columns = np.rint(frame['lon'].to_numpy() % 360 / 0.25).astype('int64') % 1440
        values = np.empty((len(frame), len(hours)), 'int16')
        for start in range(0, len(hours), 91):
            block = data['t2m'][start:start + 91].values
            values[:, start:start + 91] = block[:, rows, columns].T
    count = len(frame)
    flat = pl.Series('value', values.ravel())
    index = pl.Series(np.repeat(np.arange(count), len(hours)))
    long = frame[index].with_columns(
        pl.lit('t2m').alias('stack'), pl.lit(1).alias('band'), pl.Series('date', list(hours) * count),
        flat.alias('value'), pl.lit('ok').alias('status'))
    long.write_csv(output)


def netcdf(chunks):
    def race_with(folder, count, rounds):
        path, points = folder / 'era5.nc', folder / 'stations.csv'
        write_netcdf(path, chunks)
        random = np.random.default_rng(5)
        # No point is on the edge between two cells, where the choice of the cell is arbitrary.
        pd.DataFrame({
            'id': range(count),
            'lon': LONGITUDES[random.integers(0, 1440, count)] + random.uniform(-0.12, 0.12, count).round(4),
            'lat': LATITUDES[random.integers(1, 720, count)] + random.uniform(-0.12, 0.12, count).round(4),
        }).to_csv(points, index=False)
        ours, theirs = folder / 'ours.csv', folder / 'theirs.csv'

        def check():
            a, b = pl.read_csv(ours), pl.read_csv(theirs)
            assert a.equals(b), (a, b)

        shape = ' x '.join(map(str, chunks))
        return f'{count:,} stations x {HOURS} hours of NetCDF, chunks {shape}, long CSV', race({
            'plumb': lambda: plumb(
                f't2m={path}#t2m', '--points', points, '--series', '--long', '-o', ours),
            'xarray and polars': lambda: series_with_xarray(path, points, theirs),
        }, rounds, check)
    return race_with


def write_store(stack, path):
    shutil.rmtree(path, ignore_errors=True)
    subprocess.run([PLUMB, 'stack', stack, '--dates', 'evi_%Y%j', '-o', path, '-q'], check=True)


def store(folder, count, rounds):
    """Writes the images to a Zarr store with all dates of a block of cells in each chunk."""
    side = 2 * SIDE
    folder = folder / 'large'
    folder.mkdir()
    write_stacks(folder, side)
    ours, theirs = folder / 'ours.zarr', folder / 'theirs.zarr'
    paths = sorted((folder / 'evi').glob('*.tif'))

    def write_ours():
        write_store(f'evi={folder}/evi/*.tif', ours)

    def write_theirs():
        shutil.rmtree(theirs, ignore_errors=True)
        read = dask.delayed(grid)
        images = [da.from_delayed(read(path), (side, side), 'int16') for path in paths]
        block = zarr.open(str(ours / 'evi'), mode='r').chunks[1]
        stacked = da.stack(images).rechunk((len(paths), block, block))
        data = xr.Dataset({'evi': (('time', 'y', 'x'), stacked)}, {'time': DATES})
        with dask.config.set(scheduler='threads', num_workers=THREADS):
            data.to_zarr(
                theirs, zarr_format=2, encoding={'evi': {'compressors': Zstd(1), '_FillValue': NODATA}})

    def check():
        a, b = (zarr.open(str(path / 'evi'), mode='r')[...] for path in (ours, theirs))
        assert (a == b).all()

    size = sum(path.stat().st_size for path in (folder / 'evi').glob('*.tif'))
    times = race({'plumb': write_ours, 'xarray and dask': write_theirs}, rounds, check)
    stored = sum(path.stat().st_size for path in ours.rglob('*') if path.is_file())
    return f'store of 92 x {side}² int16 ({size >> 20} MB of GeoTIFF, {stored >> 20} MB of Zarr)', times


def series_of_store(path, points, output):
    """The vectorised sel of xarray on a store; the long table is written by polars."""
    frame = pl.read_csv(points)
    with xr.open_zarr(path, chunks=None, mask_and_scale=False) as data:
        values = data['evi'].sel(
            x=xr.DataArray(frame['x'].to_numpy(), dims='point'), y=xr.DataArray(frame['y'].to_numpy(), dims='point'),
            method='nearest').transpose('point', 'time').values
        dates = list(data['time'].dt.strftime('%Y-%m-%d').values)
    flat = pl.Series('value', values.ravel())
    index = pl.Series(np.repeat(np.arange(len(frame)), len(dates)))
    long = frame[index].with_columns(
        pl.lit('evi').alias('stack'), pl.lit(1).alias('band'), pl.Series('date', dates * len(frame)),
        pl.when(flat == NODATA).then(None).otherwise(flat).alias('value'),
        pl.when(flat == NODATA).then(pl.lit('nodata')).otherwise(pl.lit('ok')).alias('status'))
    long.write_csv(output)


def stored_series(folder, years, count):
    """Points, and the images repeated for a number of years, as files and as a store."""
    points, images, path = folder / f'points{years}.csv', folder / f'years{years}', folder / f'years{years}.zarr'
    stack = f'evi={images}/*.tif'
    dates = pd.date_range(DATES[0], periods=years * len(DATES), freq='4D')
    if not path.exists():
        write_points(points, count, 8)
        # No point is on the edge between two cells, where the choice of the cell is arbitrary.
        frame = pd.read_csv(points)
        rows, columns = cells(frame)
        random = np.random.default_rng(9)
        frame['x'] = (300_000 + columns * 250 + random.uniform(1, 249, count)).round(2)
        frame['y'] = (6_240_000 - rows * 250 - random.uniform(1, 249, count)).round(2)
        frame.to_csv(points, index=False)
        images.mkdir()
        sources = sorted((folder / 'evi').glob('*.tif'))
        for index, date in enumerate(dates):
            os.link(sources[index % len(sources)], images / f'evi_{date:%Y%j}.tif')
        write_store(stack, path)
    return points, stack, path, f'{count:,} points x {len(dates):,} dates from a store'


def stored(years):
    """Series from a store as a long CSV."""
    def race_with(folder, count, rounds):
        points, stack, path, title = stored_series(folder, years, count)
        outputs = [folder / f'{name}.csv' for name in ('ours', 'files', 'theirs')]

        def check():
            first, *others = (pl.read_csv(output) for output in outputs)
            assert all(first.equals(other) for other in others), (first, others)

        options = ['--points', points, '--series', '--long', '--crs', 'EPSG:32734', '-o']
        return f'{title}, long CSV', race({
            'plumb': lambda: plumb(f'evi={path}', *options, outputs[0]),
            'plumb, from GeoTIFF': lambda: plumb(stack, '--dates', 'evi_%Y%j', *options, outputs[1]),
            'xarray and polars': lambda: series_of_store(path, points, outputs[2]),
        }, rounds, check)
    return race_with


def in_memory(years):
    """Series from a store as an xarray.Dataset in Python. Each contender opens the store and reads all values."""
    def race_with(folder, count, rounds):
        points, stack, path, title = stored_series(folder, years, count)
        frame = pd.read_csv(points)
        x, y = frame['x'].to_numpy(), frame['y'].to_numpy()
        results = {}

        def ours(name, rasters, **options):
            with plumb_gis.Stack(rasters, **options) as stack:
                results[name] = plumb_gis.series(stack, x, y, crs='EPSG:32734', out='xarray')['evi'].values

        def theirs():
            with xr.open_zarr(path, chunks=None, mask_and_scale=False) as data:
                results['theirs'] = data['evi'].sel(
                    x=xr.DataArray(x, dims='point'), y=xr.DataArray(y, dims='point'),
                    method='nearest').transpose('point', 'time').values

        def check():
            wanted = np.where(results['theirs'] == NODATA, np.nan, results['theirs'])
            for name in ('store', 'files'):
                assert np.array_equal(results[name], wanted, equal_nan=True), name

        return f'{title}, xarray.Dataset', race({
            'plumb': lambda: ours('store', {'evi': str(path)}),
            'plumb, from GeoTIFF': lambda: ours('files', {'evi': stack.removeprefix('evi=')}, dates='evi_%Y%j'),
            'xarray': theirs,
        }, rounds, check)
    return race_with


def remote(folder, count, rounds):
    """Scenes at URLs, with a latency of 30 ms for each request."""
    points = folder / 'visits.csv'
    write_points(points, count, 6)
    frame = pd.read_csv(points)
    random = np.random.default_rng(7)
    days = (DATES[COUNT - 1] - DATES[0]).days
    frame['when'] = (DATES[0] + pd.to_timedelta(random.integers(0, days, count), 'D')).strftime('%Y-%m-%d')
    frame.to_csv(points, index=False)
    extent = SIDE * 250
    scenes = Scenes(folder, DATES, transform_bounds(
        'EPSG:32734', 'EPSG:4326', 300_000, 6_240_000 - extent, 300_000 + extent, 6_240_000))
    ours, theirs = folder / 'ours.csv', folder / 'theirs.csv'
    requests = {}

    def counted(name, body):
        def run():
            scenes.begin()
            body()
            requests[name] = scenes.count()
        return run

    def check():
        a, b = pd.read_csv(ours), pd.read_csv(theirs)
        assert (a['id'] == b['id']).all() and (a['evi_date'].str[:10] == b['evi_date']).all()
        same = (a['evi'] == b['evi']) | a['evi'].isna() & b['evi'].isna()
        assert same.all(), (a[~same], b[~same])

    times = race({
        'plumb': counted('plumb', lambda: plumb(
            f'evi={scenes.items()}#EVI', '--points', points, '--when', 'when', '--within', '16d', '--crs',
            'EPSG:32734', '--allow-host', '127.0.0.1', '--connections', 32, '-o', ours)),
        'rasterio, 8 threads': counted(
            'rasterio, 8 threads', lambda: scenes.sample(points, theirs, NODATA)),
    }, rounds, check)
    scenes.process.terminate()
    sent = ', '.join(f'{name}: {number:,} requests' for name, number in requests.items())
    return f'{count:,} points x {COUNT} scenes at URLs, 30 ms for each request ({sent})', times


NAMES = [
    'nearest', 'series', 'store', 'stored', 'stored-python', 'deep', 'deep-python', 'cubes', 'hours', 'remote']


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--size', type=float, default=1)
    parser.add_argument('--hours', type=int, default=HOURS)
    parser.add_argument('--only', default=','.join(NAMES))
    options = parser.parse_args()
    globals()['HOURS'] = options.hours
    command = ' '.join(['benchmarks/dates/run', *os.sys.argv[1:]])
    lines = [
        '# Rasters with dates', '',
        f'Written by `{command}`, {options.rounds} rounds, {os.cpu_count()} processors. All contenders read '
        'the same files and write the same outputs. The results are compared before the times are printed. Times are '
        'medians.', '',
        '| work | contender | seconds | relative to Plumb |', '|---|---|--:|--:|']
    work = {
        'nearest': (nearest, 1_000_000), 'series': (series, 100_000), 'store': (store, 1),
        'stored': (stored(1), 100_000), 'stored-python': (in_memory(1), 100_000),
        'deep': (stored(11), 1000), 'deep-python': (in_memory(11), 1000),
        'cubes': (netcdf((91, 180, 180)), 10_000), 'hours': (netcdf((1, 721, 1440)), 10_000),
        'remote': (remote, 1000)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if set(options.only.split(',')) - {'store', 'cubes', 'hours'}:
            write_stacks(folder)
        for key in options.only.split(','):
            body, count = work[key]
            title, times = body(folder, max(1, int(count * options.size)), options.rounds)
            for contender, seconds in times.items():
                lines.append(f'| {title} | {contender} | {seconds:.2f} | {seconds / times["plumb"]:.2f} |')
                print(lines[-1], flush=True)
    (ROOT / 'benchmarks/DATES.md').write_text('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
