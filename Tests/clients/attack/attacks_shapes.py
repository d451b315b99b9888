"""Attacks with shapes: the geometry service, and shapes in queries."""

import json
import random

import client
import shapes
from harness import REST
from registry import attack

GEOMETRY = 'Utilities/Geometry/GeometryServer/'


def rings(*all):
    return {'geometryType': 'esriGeometryPolygon', 'geometries': [{'rings': [ring]} for ring in all]}


def costly(t):
    """Shapes for operations on areas."""
    return {
        'zigzag 900': rings(shapes.zigzag(900)),
        'zigzag 20000': rings(shapes.zigzag(20_000)),
        'star 801': rings(shapes.star(801)),
        'star 5001': rings(shapes.star(5001)),
        'scribble 900': rings(shapes.scribble(900)),
        '200 zigzags': rings(*[shapes.zigzag(80)] * 200),
        'comb': rings(shapes.comb(t.scale(100_000, 20_000))),
        'squares that overlap': rings(*shapes.squares(t.scale(10_000, 2500), overlap=8)),
        'one square often': rings(*[shapes.box()] * t.scale(20_000, 5000)),
        'nested rings': {'geometryType': 'esriGeometryPolygon',
                         'geometries': [{'rings': shapes.nested(t.scale(20_000, 3000))}]},
        'many rings': {'geometryType': 'esriGeometryPolygon',
                       'geometries': [{'rings': shapes.squares(t.scale(50_000, 10_000))}]},
        'many rings that cross': {'geometryType': 'esriGeometryPolygon', 'geometries': [
            {'rings': shapes.squares(900, overlap=20)}]},
    }


def each(t, operation, parameters, name='geometries', inputs=None):
    """The requests are sent one after the other, each within the time limit; then the slowest are
    sent concurrently.
    """
    slowest, longest = None, 0.0
    for what, value in (inputs or costly(t)).items():
        if not t.server.is_alive:
            return
        given = {name: value, 'sr': '4326', **parameters}
        answer = t.rest(GEOMETRY + operation, given)
        t.expect(answer.seconds < t.timeout + 2, f'{what} took {answer.seconds:.1f} s')
        if answer.seconds > longest:
            slowest, longest, known = given, answer.seconds, what
    t.note(f'the slowest: {known}, {longest:.1f} s')
    t.together(4, lambda number: t.rest(GEOMETRY + operation, slowest))


@attack('simplify of crossing shapes')
def geometry_simplify(t):
    each(t, 'simplify', {})


@attack('union of crossing shapes')
def geometry_union(t):
    each(t, 'union', {})


@attack('convex hulls of long shapes')
def geometry_convex_hull(t):
    each(t, 'convexHull', {})


@attack('label points of long shapes')
def geometry_label_points(t):
    values = {what: value['geometries'] for what, value in costly(t).items()}
    each(t, 'labelPoints', {}, 'polygons', values)


@attack('areas and lengths of long shapes')
def geometry_areas(t):
    values = {what: value['geometries'] for what, value in costly(t).items()}
    each(t, 'areasAndLengths', {'calculationType': 'geodesic'}, 'polygons', values)


@attack('intersections with crossing shapes')
def geometry_intersect(t):
    for other in (shapes.zigzag(800), shapes.comb(3000), shapes.star(501)):
        each(t, 'intersect', {'geometry': {
            'geometryType': 'esriGeometryPolygon', 'geometry': {'rings': [other]}}})


@attack('differences with crossing shapes')
def geometry_difference(t):
    each(t, 'difference', {'geometry': {'geometryType': 'esriGeometryPolygon', 'geometry': {
        'rings': shapes.squares(2500)}}})


@attack('buffers: enormous, tiny, many, joined, along the ellipsoid')
def geometry_buffer(t):
    spiral = {'geometryType': 'esriGeometryPolyline', 'geometries': [
        {'paths': [shapes.spiral(t.scale(50_000, 10_000))]}]}
    points = {'geometryType': 'esriGeometryPoint', 'geometries': [
        {'x': 18 + number % 317 / 317, 'y': -34 + number % 311 / 311}
        for number in range(t.scale(50_000, 5000))]}
    inputs = {**{name: value for name, value in costly(t).items()
                 if name in ('zigzag 900', 'comb', 'many rings', 'star 801')},
              'spiral': spiral, 'points': points}
    for distance in ('1e5', '1e7', '2e7', '1e300', '-1000', '1e-300', '0', 'NaN'):
        for join in ('true', 'false'):
            for what, value in inputs.items():
                if not t.server.is_alive or len(t.faults) > 3:
                    return
                if t.is_quick and (what in ('comb', 'many rings')) != (distance == '1e5'):
                    continue
                answer = t.rest(GEOMETRY + 'buffer', {
                    'geometries': value, 'inSR': '4326', 'distances': distance, 'unit': '9001',
                    'geodesic': 'true', 'unionResults': join})
                t.expect(answer.seconds < t.timeout + 2,
                         f'{what} by {distance}, joined {join}: {answer.seconds:.1f} s')


@attack('buffers in the plane with many segments')
def geometry_planar_buffer(t):
    each(t, 'buffer', {'inSR': '3857', 'distances': '5000', 'unionResults': 'true'}, inputs={
        name: value for name, value in costly(t).items()})


@attack('buffers whose clients leave at random times')
def abandoned_buffers(t):
    generator = random.Random(17)
    inputs = [value for name, value in costly(t).items()
              if name in ('star 801', 'scribble 900', 'zigzag 900', 'many rings that cross')]
    inputs.append({'geometryType': 'esriGeometryPolyline', 'geometries': [
        {'paths': [shapes.scribble(3000)]}]})
    for number in range(t.scale(60, 20)):
        if not t.server.is_alive:
            return
        parameters = {'f': 'json', 'geometries': json.dumps(inputs[number % len(inputs)]),
                      'inSR': '3857', 'distances': str(generator.choice([0.001, 0.01, 0.1])),
                      'unionResults': 'true'}
        client.ask(t.port, f'{REST}/{GEOMETRY}buffer', parameters=parameters, source=t.source,
                   timeout=generator.uniform(0.05, 1.5))
        t.count('left')


@attack('project: many vertices, odd CRSs, the poles')
def geometry_project(t):
    generator = random.Random(5)
    many = {'geometryType': 'esriGeometryMultipoint', 'geometries': [{'points': [
        [round(generator.uniform(-180, 180), 4), round(generator.uniform(-90, 90), 4)]
        for _ in range(t.scale(800_000, 100_000))]}]}
    world = rings(shapes.box(-180, -90, 180, 90), shapes.box(-1e308, -1e308, 1e308, 1e308))
    references = ['3857', '32634', '32661', '102100', '2193', '27700', '54030', '999999',
                  json.dumps({'wkt': 'PROJCS["a",' + 'GEOGCS["b",' * 500}), '+proj=pipeline',
                  json.dumps({'wkt': '+proj=hgridshift +grids=/etc/passwd'}),
                  json.dumps({'wkt': 'PROJ=' + 'x' * 100_000})]
    for out in references:
        for shape in (many, world):
            if t.is_quick and shape is many and out not in ('3857', '32661', '27700'):
                continue
            answer = t.rest(GEOMETRY + 'project', {'geometries': shape, 'inSR': '4326',
                                                   'outSR': out})
            t.expect(answer.seconds < t.timeout + 2, f'to {out[:30]}: {answer.seconds:.1f} s')
            t.expect(b'root:' not in answer.body, 'a file was read')


@attack('relations between a thousand shapes and a thousand others')
def geometry_relation(t):
    small = {'geometryType': 'esriGeometryPolygon',
             'geometries': [{'rings': [ring]} for ring in shapes.squares(1000, overlap=30)]}
    crossed = {'geometryType': 'esriGeometryPolygon',
               'geometries': [{'rings': [shapes.zigzag(40)]}] * 1000}
    one = {'geometryType': 'esriGeometryPolygon',
           'geometries': [{'rings': [shapes.zigzag(900)]}]}
    for first, second in ((small, small), (crossed, crossed), (one, small), (crossed, one)):
        for name in ('Intersection', 'Touch', 'Overlap'):
            answer = t.rest(GEOMETRY + 'relation', {
                'geometries1': first, 'geometries2': second, 'sr': '4326',
                'relation': 'esriGeometryRelation' + name})
            t.expect(answer.seconds < t.timeout + 2, f'{name}: {answer.seconds:.1f} s')
            if t.is_quick:
                break


@attack('distances between long shapes')
def geometry_distance(t):
    for first, second in ((shapes.comb(50_000), shapes.comb(50_000)),
                          (shapes.spiral(t.scale(200_000, 30_000)), shapes.comb(20_000))):
        for geodesic in ('true', 'false'):
            moved = [[x + 2, y] for x, y in second]
            answer = t.rest(GEOMETRY + 'distance', {
                'geometry1': {'geometryType': 'esriGeometryPolyline', 'geometry': {'paths': [first]}},
                'geometry2': {'geometryType': 'esriGeometryPolyline', 'geometry': {'paths': [moved]}},
                'sr': '4326', 'geodesic': geodesic})
            t.expect(answer.seconds < t.timeout + 2, f'{answer.seconds:.1f} s')


@attack('densify and generalize with tiny and huge lengths')
def geometry_densify(t):
    line = {'geometryType': 'esriGeometryPolyline', 'geometries': [
        {'paths': [[[-180, -80], [180, 80]]]}]}
    long = {'geometryType': 'esriGeometryPolyline', 'geometries': [
        {'paths': [shapes.spiral(t.scale(300_000, 50_000))]}]}
    for length in ('1e-300', '1e-9', '0.0005', '1e300', '-1', '0', 'NaN'):
        for geodesic in ('true', 'false'):
            for shape in (line, long):
                answer = t.rest(GEOMETRY + 'densify', {
                    'geometries': shape, 'sr': '4326', 'maxSegmentLength': length,
                    'geodesic': geodesic})
                t.expect(answer.seconds < t.timeout + 2, f'{length}: {answer.seconds:.1f} s')
            t.rest(GEOMETRY + 'generalize', {'geometries': long, 'sr': '4326',
                                             'maxDeviation': length})
            t.rest(GEOMETRY + 'lengths', {'polylines': long['geometries'], 'sr': '4326',
                                          'calculationType': 'geodesic'})


@attack('invalid geometries in Esri JSON')
def odd_geometries(t):
    for text in shapes.ODD:
        for service, name, more in (
                ('attack/FeatureServer/2/query', 'geometry', {'returnCountOnly': 'true'}),
                ('attack/MapServer/identify', 'geometry', {
                    'tolerance': '3', 'mapExtent': '18,-35,19,-33', 'imageDisplay': '800,800,96'}),
                ('attack_3/ImageServer/getSamples', 'geometry', {}),
                (GEOMETRY + 'simplify', 'geometries', {'sr': '4326'})):
            for kind in ('', 'esriGeometryPolygon', 'esriGeometryPoint')[:t.scale(3, 1)]:
                value = f'[{text}]' if name == 'geometries' else text
                t.rest(service, {name: value, **more, **({'geometryType': kind} if kind else {})})


@attack('invalid or far too long well-known text')
def odd_wkt(t):
    texts = ['MULTIPOINT(' + '(' * 100_000, 'GEOMETRYCOLLECTION(' * 10_000, 'POINT(1e999 1)',
             'POLYGON(' + '(0 0,1 1,' * 100_000, 'POINT(nan nan)', 'POINT(inf 0)', 'POINT EMPTY',
             'POLYGON((' + '18 -34,' * 300_000 + '18 -34))', 'POINT(' + '1' * 200_000 + ' 1)',
             'POLYGON((0 0,0 0,0 0,0 0))', 'POLYGON((1e308 1e308,-1e308 0,0 -1e308,1e308 1e308))',
             'CIRCULARSTRING(0 0,1 1,2 0)', 'SRID=4326;POINT(18 -34)', 'POINT(18 -34)\0x', '\0',
             'LINESTRING(' + ','.join(f'{18 + n % 2} {-34 + n / 1e5:.5f}' for n in range(100_000)) + ')',
             'MULTIPOLYGON(' + '((),' * 50_000, 'POLYGON' + 'Z' * 10_000, 'point zm(1 2 3 4)',
             shapes.wkt(shapes.zigzag(20_000)), shapes.wkt(shapes.star(2001)),
             shapes.wkt(shapes.comb(50_000))]
    for text in texts:
        for kind in ('position', 'area', 'trajectory', 'radius'):
            answer = t.ask(f'/ogc/collections/attack.noise/{kind}', parameters={
                'coords': text, 'f': 'CSV', **({'within': '5', 'within-units': 'km'}
                                               if kind == 'radius' else {})})
            t.expect(answer.seconds < t.timeout + 2, f'{kind} {text[:20]!r}: {answer.seconds:.1f} s')


@attack('query by shapes with many rings, holes and vertices')
def query_long_shapes(t):
    inputs = {'comb': shapes.polygon(shapes.comb(t.scale(100_000, 20_000))),
              'many rings': shapes.polygon(*shapes.squares(t.scale(40_000, 5000))),
              'rings that overlap': shapes.polygon(*shapes.squares(t.scale(2500, 900), overlap=12)),
              'nested rings': shapes.polygon(*shapes.nested(t.scale(5000, 1000))),
              'one ring often': shapes.polygon(*[shapes.box()] * t.scale(20_000, 3000)),
              'scribble': shapes.polygon(shapes.scribble(t.scale(1500, 500)))}
    for what, shape in inputs.items():
        for layer in (0, 2):
            answer = t.rest(f'attack/FeatureServer/{layer}/query', {
                'geometry': shape, 'geometryType': 'esriGeometryPolygon', 'returnCountOnly': 'true'})
            t.expect(answer.seconds < t.timeout + 2, f'{what}, layer {layer}: '
                     f'{answer.word} in {answer.seconds:.1f} s')
            if not t.server.is_alive:
                return


@attack('query with a distance around long and crossing shapes')
def query_distance(t):
    lines = {'spiral': {'paths': [shapes.spiral(t.scale(50_000, 8000))]},
             'zigzag': {'paths': [shapes.zigzag(t.scale(5000, 1500))]},
             'points': {'points': [[18 + n % 313 / 313, -34.5 + n % 311 / 311]
                                   for n in range(t.scale(20_000, 3000))]}}
    for what, shape in lines.items():
        for distance in ('1', '5000', '1000000', '20000000'):
            answer = t.rest('attack/FeatureServer/0/query', {
                'geometry': shape, 'geometryType': 'esriGeometryPolyline' if 'paths' in shape
                else 'esriGeometryMultipoint', 'distance': distance,
                'units': 'esriSRUnit_Meter', 'returnCountOnly': 'true'})
            t.expect(answer.seconds < t.timeout + 2, f'{what}, {distance} m: {answer.word} in '
                     f'{answer.seconds:.1f} s')
            if not t.server.is_alive:
                return


@attack('query by shapes across 180 degrees, and many times around')
def query_round_the_world(t):
    for west in (-180, 170, 350, 1e6, 1e15, -1e308):
        for width in (1, 360, 1e6, 1e300):
            ring = shapes.box(west, -90, west + width, 90)
            for kind in ('FeatureServer/0/query',):
                t.rest(f'attack/{kind}', {
                    'geometry': {'rings': [ring]}, 'geometryType': 'esriGeometryPolygon',
                    'returnCountOnly': 'true'})
            t.rest('attack/FeatureServer/0/query', {
                'geometry': f'{west},-90,{west + width},90', 'returnCountOnly': 'true',
                'geometryType': 'esriGeometryEnvelope'})


@attack('queries by crossing shapes on all connections of an address')
def query_shape_flood(t):
    body = {'f': 'json', 'geometry': shapes.polygon(shapes.zigzag(300)),
            'geometryType': 'esriGeometryPolygon', 'returnCountOnly': 'true'}
    t.repeat(t.scale(10, 4), 40, lambda number: t.ask(
        f'{REST}/attack/FeatureServer/1/query', parameters=body))
