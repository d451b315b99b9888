"""Floods the server with the slowest requests of a short random search; one attack for each
operation.
"""

import random
import time

import shapes
from harness import REST
from registry import attack

BOX = {'mapExtent': '18,-35,19,-33', 'imageDisplay': '800,800,96'}


def ring(choose):
    kind = choose(('zigzag', 'star', 'scribble', 'comb', 'squares', 'nested', 'box'))
    count = choose((5, 20, 60, 150, 400, 1000, 3000))
    if kind == 'squares':
        return {'rings': shapes.squares(count, overlap=choose((1, 2, 8)))}
    if kind == 'nested':
        return {'rings': shapes.nested(count)}
    if kind == 'box':
        return {'rings': [shapes.box()]}
    return {'rings': [getattr(shapes, kind)(count)]}


def condition(choose):
    parts = ["NAME LIKE '%a%e%'", "UPPER(NAME) LIKE '%1%2%'", 'NUM > 5', "KIND IN ('dam','x')",
             'NUM BETWEEN 5 AND 100000', 'MOD(NUM, 7) = 3', "NAME || KIND LIKE '%9%d%'", '1=1']
    return choose((' OR ', ' AND ')).join(choose(parts) for _ in range(choose((1, 3, 30, 300))))


def query(choose):
    parameters = {'f': choose(('json', 'geojson')), 'where': condition(choose),
                  'outFields': choose(('*', 'NUM'))}
    if choose((True, False)):
        parameters.update(geometry=ring(choose), geometryType='esriGeometryPolygon',
                          spatialRel='esriSpatialRel' + choose(
                              ('Intersects', 'Contains', 'Within', 'Touches', 'Crosses')))
    if choose((True, False)):
        parameters['orderByFields'] = choose(('NAME DESC', 'KIND,NAME,NUM', 'NUM'))
    parameters.update(choose(({}, {'returnCountOnly': 'true'}, {'returnExtentOnly': 'true'},
                              {'returnDistinctValues': 'true', 'returnGeometry': 'false'},
                              {'outSR': '3857'}, {'maxAllowableOffset': '0.001'},
                              {'resultOffset': '150000'})))
    return dict(path=f'{REST}/attack/FeatureServer/{choose((0, 1, 2))}/query',
                parameters=parameters)


def identify(choose):
    geometry = choose(('18.5,-34', None))
    parameters = {'f': 'json', 'tolerance': choose(('0', '3', '100')),
                  'layers': choose(('all', 'top', 'all:0', 'visible')), **BOX}
    if geometry is None:
        parameters.update(geometry=ring(choose), geometryType='esriGeometryPolygon')
    else:
        parameters['geometry'] = geometry
    parameters['mapExtent'] = choose(('18,-35,19,-33', '-180,-90,180,90', '18.49,-34.01,18.51,-33.99'))
    return dict(path=f'{REST}/{choose(("attack", "cape"))}/MapServer/identify',
                parameters=parameters)


def export(choose):
    return dict(path=f'{REST}/{choose(("attack", "cape"))}/MapServer/export', parameters={
        'f': 'image', 'bbox': choose(('18,-34.5,19,-33.5', '-180,-90,180,90', '18.4,-34,18.6,-33.8')),
        'size': choose(('400,400', '4096,4096', '4096,50')), 'dpi': choose(('96', '10', '1000')),
        'format': choose(('png', 'png8', 'svg', 'pdf')),
        'imageSR': choose(('4326', '3857', '54030'))})


def geometry(choose):
    operation = choose(('simplify', 'union', 'buffer', 'convexHull', 'generalize', 'densify',
                        'project'))
    return dict(path=f'{REST}/Utilities/Geometry/GeometryServer/{operation}', parameters={
        'f': 'json', 'sr': '4326', 'inSR': '4326', 'outSR': choose(('3857', '32661')),
        'geometries': {'geometryType': 'esriGeometryPolygon', 'geometries':
                       [ring(choose) for _ in range(choose((1, 5, 30)))]},
        'distances': choose(('100', '100000', '5000000')), 'unit': '9001', 'geodesic': 'true',
        'unionResults': choose(('true', 'false')), 'maxDeviation': choose(('0.1', '0.00001')),
        'maxSegmentLength': choose(('100000', '1000'))})


def items(choose):
    return dict(path=f'/ogc/collections/{choose(("attack.points", "attack.cells", "cape.wards"))}/items',
                parameters={'limit': choose(('10', '10000')), 'offset': choose(('0', '9000')),
                            'f': choose(('json', 'html')),
                            'bbox': choose(('18,-34.5,19,-33.5', '18.5,-34,18.6,-33.9'))})


def coverage(choose):
    size = choose((0.01, 0.1, 0.4, 1))
    kind = choose(('area', 'radius', 'trajectory'))
    coords = {'area': choose((shapes.wkt(shapes.box(18, -34.5, 18 + size, -34.5 + size)),
                              shapes.wkt(shapes.zigzag(300)), shapes.wkt(shapes.comb(1000)))),
              'radius': 'POINT(18.5 -34)',
              'trajectory': f'LINESTRING(18 -34.5,{18 + size} {-34.5 + size})'}[kind]
    return dict(path=f'/ogc/collections/{choose(("attack.noise", "cape.dem", "cape.evi"))}/{kind}',
                parameters={'coords': coords, 'f': choose(('CoverageJSON', 'CSV', 'GeoJSON')),
                            **({'within': str(size * 50), 'within-units': 'km'}
                               if kind == 'radius' else {})})


def sample(choose):
    rows = choose((10, 1000, 30_000))
    body = b'lon,lat\n' + b''.join(b'%.3f,%.3f\n' % (18 + n % 97 / 97, -34.5 + n % 89 / 89)
                                   for n in range(rows))
    return dict(path=f'/api/sample?map={choose(("attack", "cape"))}'
                + choose(('', '&tolerance=10km', '&tolerance=1km&max-results=all'))
                + choose(('', '&format=jsonl', '&format=geojson')), body=body, kind='text/csv')


def trace(choose):
    return dict(path='/api/trace', body={
        'network': 'gas', 'type': choose(('connected', 'isolation', 'upstream', 'loops',
                                          'subnetwork')),
        'start': [choose(('M0054:Load', 'M0010:Load', 'V0031'))] * choose((1, 20)),
        **choose(({}, {'filter-category': 'Isolating'}, {'include-isolated': True},
                  {'format': 'geojson'}, {'condition': ' OR '.join(
                      f'ASSETTYPE = {n}' for n in range(200))}))})


def buffer(choose):
    return dict(path='/api/buffer', body={
        'at': [[18 + n % 31 / 31, -34.5 + n % 37 / 37] for n in range(choose((1, 50, 2000)))],
        'distance': choose((10, 5000, 1e6)), 'unit': 'm', 'geodesic': True,
        'union': choose((True, False)), **choose(({}, {'max-deviation': 0.001}))})


def _register(name, make, seed):
    def run(t):
        generator = random.Random(seed)
        best, longest = None, 0.0
        end = time.monotonic() + t.scale(25, 5)
        while time.monotonic() < end and t.server.is_alive:
            request = make(generator.choice)
            answer = t.ask(**request)
            t.expect(answer.seconds < 2 * t.timeout + 2,
                     f'{answer.seconds:.1f} s: {str(request)[:160]}')
            if answer.seconds > longest and not answer.error:
                best, longest = request, answer.seconds
            elif best is None:
                best = request
        text = str(best)
        t.note(f'the slowest takes {longest:.2f} s: {text[:300]}')
        t.repeat(t.scale(8, 2), 12, lambda number: t.ask(**best))

    run.__name__ = f'search_{name}'
    attack(f'the slowest request of {name} that a search finds, by the dozen')(run)


for _seed, (_name, _make) in enumerate((
        ('query', query), ('identify', identify), ('export', export), ('geometry', geometry),
        ('items', items), ('coverage', coverage), ('sample', sample), ('trace', trace),
        ('buffer', buffer))):
    _register(_name, _make, 100 + _seed)
