"""Costly or invalid shapes."""

import math
import random

WEST, SOUTH, EAST, NORTH = 18.0, -34.5, 19.0, -33.5


def box(x0=WEST, y0=SOUTH, x1=EAST, y1=NORTH):
    return [[x0, y0], [x0, y1], [x1, y1], [x1, y0], [x0, y0]]


def zigzag(count, x0=WEST, y0=SOUTH, x1=EAST, y1=NORTH):
    """A ring that zigzags and whose closing edge crosses all of it: `count` crossings."""
    ring = [[x1 if index % 2 else x0, y0 + (y1 - y0) * index / count] for index in range(count)]
    return ring + [ring[0]]


def star(count, step=None, x=18.5, y=-34.0, radius=0.5):
    """A ring in which each edge crosses nearly all others."""
    step = step or count // 2
    points = [[x + radius * math.cos(2 * math.pi * index * step / count),
               y + radius * math.sin(2 * math.pi * index * step / count)]
              for index in range(count)]
    return points + [points[0]]


def scribble(count, seed=1):
    """A ring of random vertices."""
    generator = random.Random(seed)
    points = [[round(WEST + generator.random(), 5), round(SOUTH + generator.random(), 5)]
              for _ in range(count)]
    return points + [points[0]]


def comb(count):
    """A ring of narrow teeth that do not cross: long, and valid."""
    points = [[WEST, SOUTH]]
    for index in range(count):
        x = WEST + index / count
        points += [[x, NORTH], [x + 0.4 / count, NORTH],
                   [x + 0.4 / count, SOUTH + 0.01], [x + 0.8 / count, SOUTH + 0.01]]
    points += [[EAST, SOUTH], [WEST, SOUTH]]
    return points


def lattice(count):
    """Two lines that go back and forth: `count` × `count` crossings."""
    def teeth(place):
        return [place(index / count, (index + end) % 2) for index in range(count) for end in (0, 1)]

    return [teeth(lambda a, b: [WEST + a * (EAST - WEST), SOUTH + b * (NORTH - SOUTH)]),
            teeth(lambda a, b: [WEST + b * (EAST - WEST), SOUTH + a * (NORTH - SOUTH)])]


def squares(count, *, overlap=1.0):
    """Small rings in a grid; with a size over 1 they overlap."""
    side = max(1, math.isqrt(count))
    step = 1 / side
    rings = []
    for index in range(count):
        x, y = WEST + (index % side) * step, SOUTH + (index // side) * step
        rings.append(box(x, y, x + step * overlap * 0.9, y + step * overlap * 0.9))
    return rings


def nested(count):
    """Nested rings: holes within holes."""
    return [box(WEST + i * 0.49 / count, SOUTH + i * 0.49 / count,
                EAST - i * 0.49 / count, NORTH - i * 0.49 / count)[::1 if i % 2 else -1]
            for i in range(count)]


def spiral(count):
    return [[18.5 + 0.5 * i / count * math.cos(i / 20), -34 + 0.5 * i / count * math.sin(i / 20)]
            for i in range(count)]


def polygon(*rings):
    return {'rings': list(rings)}


def wkt(ring):
    return 'POLYGON((' + ','.join(f'{x:.6g} {y:.6g}' for x, y in ring) + '))'


# Geometries that are invalid or meaningless in Esri's JSON.
ODD = [
    '{"x":NaN,"y":NaN}', '{"x":"NaN","y":1}', '{"x":1e308,"y":-1e308}', '{"x":1e999,"y":0}',
    '{"x":Infinity,"y":0}', '{"x":null,"y":null}', '{}', '[]', '{"rings":[]}', '{"rings":[[]]}',
    '{"rings":[[[1,2]]]}', '{"rings":[[[0,0],[0,0],[0,0],[0,0]]]}', '{"rings":[[["a","b"]]]}',
    '{"rings":[[[0,0],[1e308,1e308],[-1e308,1e308],[0,0]]]}', '{"rings":{"a":1}}',
    '{"rings":[[[1e-320,1e-320],[2e-320,0],[0,2e-320],[1e-320,1e-320]]]}',
    '{"rings":[[[18,-34],[18.0000000000001,-34],[18,-34.0000000000001],[18,-34]]]}',
    '{"paths":[[[0,0]]]}', '{"paths":[[[1e308,0],[-1e308,0]]]}', '{"points":[[1e300,1e300]]}',
    '{"points":[]}', '{"curveRings":[[[0,0],{"c":[[3,3],[1,4]]}]]}',
    '{"xmin":1e308,"ymin":1e308,"xmax":-1e308,"ymax":-1e308}',
    '{"xmin":-1e308,"ymin":-1e308,"xmax":1e308,"ymax":1e308}',
    '{"xmin":"NaN","ymin":0,"xmax":1,"ymax":1}', '{"xmin":19,"ymin":-34,"xmax":18,"ymax":-33}',
    '{"x":18,"y":-34,"spatialReference":{"wkid":999999}}',
    '{"x":18,"y":-34,"spatialReference":{"wkt":"' + 'GEOGCS[' * 2000 + '"}}',
    '{"x":18,"y":-34,"spatialReference":{"wkid":4326,"latestWkid":-1}}',
    '{"hasZ":true,"hasM":true,"rings":[[[0,0],[1,1],[1,0],[0,0]]]}',
    '1,2,3,4,5,6,7', '1e308,1e308', ',,,', '"', '{', '{"x":' + '9' * 5000 + ',"y":1}', '\0',
    '{"x":1,"x":2,"y":1}', '{x:1,y:2', "{'x':1}", '[[[[[[[[1]]]]]]]]', 'null', 'true',
]
