"""Attacks on pictures, identify, samples, buffers, traces and the data queries of OGC API."""

import json

import shapes
from harness import MB
from registry import attack

IDENTIFY = {'tolerance': '3', 'layers': 'all', 'mapExtent': '18,-35,19,-33',
            'imageDisplay': '800,800,96'}
WHOLE = '18,-34.5,19,-33.5'


# MARK: Pictures

@attack('pictures of huge sizes')
def export_huge_sizes(t):
    for size in ('4096,4096', '4097,4097', '1e6,1e6', '1e300,1', '99999999999,1', '-1,-1', '0,0',
                 'NaN,NaN', '1,4096', '4096,1', '1' * 1000, ',' * 10_000):
        for service in ('attack/MapServer/export', 'attack_3/ImageServer/exportImage',
                        'cape/MapServer/export'):
            t.rest(service, {'f': 'image', 'bbox': WHOLE, 'size': size})
    t.together(8, lambda number: t.rest('cape/MapServer/export', {
        'f': 'image', 'bbox': '18.3,-34.3,19.1,-33.6', 'size': '4096,4096'}))


@attack('pictures of odd boxes')
def export_odd_boxes(t):
    for bbox in ('0,0,0,0', '19,-33,18,-34', '1e308,1e308,-1e308,-1e308', 'NaN,NaN,NaN,NaN',
                 '-1e308,-1e308,1e308,1e308', '18,-34,18.00000000000001,-33.99999999999999',
                 '-180,-90,180,90', '-36000,-9000,36000,9000', '18,-34', '1,2,3,4,5', '{"xmin":18}',
                 '170,-90,-170,90', '1e-320,1e-320,2e-320,2e-320'):
        for reference in ('4326', '3857', '32661', '54030', '999999', ''):
            t.rest('cape/MapServer/export', {
                'f': 'image', 'bbox': bbox, 'size': '300,300', 'bboxSR': reference,
                'imageSR': '3857'})
            if t.is_quick and reference == '3857':
                break


@attack('pictures with odd resolutions, formats and layers')
def export_odd_options(t):
    for more in ({'dpi': '10000'}, {'dpi': '1'}, {'dpi': '1e308'}, {'dpi': 'NaN'},
                 {'format': 'a' * 10_000}, {'format': 'jpg'}, {'layers': 'show:' + '0,' * 100_000},
                 {'layers': 'exclude:-1'}, {'layerDefs': json.dumps({'0': '(' * 10_000})},
                 {'layerDefs': json.dumps({str(n): '1=1' for n in range(50_000)})},
                 {'layerDefs': '0:' + "NAME LIKE '%a%a%a%b'"}, {'transparent': 'perhaps'},
                 {'dpi': '10000', 'format': 'svg', 'layers': 'show:2'}):
        t.rest('attack/MapServer/export', {'f': 'image', 'bbox': WHOLE, 'size': '500,500', **more})
    for service in ('attack/MapServer/legend', 'attack/MapServer/layers', 'cape/MapServer/legend'):
        t.together(8, lambda number: t.rest(service, {}))


@attack('pictures from many addresses, as fast as possible')
def export_flood(t):
    t.repeat(t.scale(10, 3), 32, lambda number: t.rest('cape/MapServer/export', {
        'f': 'image', 'size': '512,512',
        'bbox': f'{18.3 + number % 50 / 100},-34.3,{18.8 + number % 50 / 100},-33.8'},
        source=f'127.13.0.{number % 32 + 1}'))


@attack('pictures of a raster in CRSs that warp it')
def export_image_references(t):
    for reference in ('3857', '32634', '32661', '54030', '2193', '27700', '102100'):
        t.rest('attack_3/ImageServer/exportImage', {
            'f': 'image', 'bbox': WHOLE, 'bboxSR': '4326', 'imageSR': reference,
            'size': '2000,2000'})


# MARK: Identify and samples

@attack('identify with a huge tolerance')
def identify_huge_tolerance(t):
    for tolerance in ('100', '101', '1e308', '-1', 'NaN'):
        for extent in (IDENTIFY['mapExtent'], '-180,-90,180,90', '-1e308,-1e308,1e308,1e308',
                       '18,-34,18,-34'):
            for display in ('800,800,96', '1,1,96', '999999,1,1e300', '0,0,0'):
                t.rest('attack/MapServer/identify', {
                    **IDENTIFY, 'geometry': '18.5,-34', 'tolerance': tolerance,
                    'mapExtent': extent, 'imageDisplay': display})
    for tolerance in ('1e300km', '20000km', '1e9px', '-1km', 'km', '0'):
        for most in (1, 1_000_000, 'all'):
            t.ask('/api/identify', body={'map': 'attack', 'at': [[18.5, -34]], 'scale': 5e8,
                                         'tolerance': tolerance, 'max-results': most})


@attack('identify on the whole map by a polygon, many at once')
def identify_flood(t):
    ring = shapes.comb(500)
    t.repeat(t.scale(10, 3), 16, lambda number: t.rest('attack/MapServer/identify', {
        **IDENTIFY, 'geometry': shapes.polygon(ring), 'geometryType': 'esriGeometryPolygon'}))


@attack('identify at many points that are near everything')
def identify_many_points(t):
    for count in (1000, t.scale(1_000_000, 200_000), 1_000_001):
        body = b'{"map":"attack","tolerance":"50km","at":[' + b'[18.5,-34],' * (count - 1) \
            + b'[18.5,-34]]}'
        answer = t.ask('/api/identify', body=body, kind='application/json')
        t.note(f'{count} points: {answer.word}, {answer.size / MB:.0f} MB in '
               f'{answer.seconds:.1f} s')
        t.expect(answer.seconds < t.timeout + 3, f'{count} points: {answer.seconds:.1f} s')
        if not t.server.is_alive:
            return
    body = (b'{"map":"attack","tolerance":"50km","max-results":"all","at":['
            + b'[18.5,-34],' * 199 + b'[18.5,-34]]}')
    answer = t.ask('/api/identify', body=body, kind='application/json')
    t.note(f'200 points, all results: {answer.word}, {answer.size / MB:.0f} MB')


@attack('getSamples of as many points as the limit')
def get_samples(t):
    count = t.scale(1_000_000, 300_000)
    points = {'points': [[18.5, -34]] * count}
    for service in ('attack_3', 'cape_18', 'cape_20'):
        answer = t.rest(f'{service}/ImageServer/getSamples', {
            'geometry': points, 'geometryType': 'esriGeometryMultipoint'})
        t.note(f'{service}: {answer.word}, {answer.size / MB:.0f} MB in {answer.seconds:.1f} s')
    line = {'paths': [shapes.spiral(100_000)]}
    for samples in ('1000', '100000', '1e9', '-1'):
        answer = t.rest('attack_3/ImageServer/getSamples', {
            'geometry': line, 'geometryType': 'esriGeometryPolyline', 'sampleCount': samples})
        t.expect(answer.seconds < t.timeout + 2, f'{samples}: {answer.seconds:.1f} s')
    for ring in (shapes.zigzag(5000), shapes.star(3001)):
        answer = t.rest('attack_3/ImageServer/getSamples', {
            'geometry': shapes.polygon(ring), 'geometryType': 'esriGeometryPolygon',
            'sampleCount': '100000'})
        t.expect(answer.seconds < t.timeout + 2, f'a ring: {answer.seconds:.1f} s')


@attack('getSamples from many addresses at once', slow=True)
def get_samples_flood(t):
    body = {'f': 'json', 'geometryType': 'esriGeometryMultipoint', 'geometry': {
        'points': [[18 + n % 997 / 997, -34.5 + n % 991 / 991] for n in range(t.scale(300_000, 100_000))]}}
    t.together(t.scale(16, 8), lambda number: t.rest(
        'attack_3/ImageServer/getSamples', body, method='POST', source=f'127.14.0.{number + 1}'))


# MARK: Buffers

@attack('/api/buffer with enormous distances and many points')
def buffer_enormous(t):
    many = [[18 + n % 317 / 317, -34.5 + n % 311 / 311] for n in range(t.scale(100_000, 20_000))]
    for points in ([[18.5, -34]], [[0, 90]], [[180, 0]], [[1e308, 1e308]], [[18.5, -95]], many):
        for distance in (1e3, 1e7, 2e7, 1e300, -5, 0, 1e-300):
            for union in (True, False):
                answer = t.ask('/api/buffer', body={
                    'at': points, 'distance': distance, 'unit': 'm', 'geodesic': True,
                    'union': union})
                t.expect(answer.seconds < t.timeout + 3,
                         f'{len(points)} points by {distance}: {answer.seconds:.1f} s')
                if not t.server.is_alive:
                    return
            if t.is_quick and points is many and distance == 1e7:
                break


@attack('/api/buffer with a tiny deviation: circles of millions of vertices')
def buffer_fine(t):
    for deviation in (1, 1e-3, 1e-6, 1e-12, 1e-300):
        for points in ([[18.5, -34]], [[18.5, -34]] * 1000):
            answer = t.ask('/api/buffer', body={
                'at': points, 'distance': 5e6, 'unit': 'm', 'geodesic': True,
                'max-deviation': deviation})
            t.expect(answer.seconds < t.timeout + 3,
                     f'{deviation} m, {len(points)} points: {answer.seconds:.1f} s')
            if not t.server.is_alive:
                return


@attack('/api/buffer of features: long, crossing, wrong')
def buffer_features(t):
    def features(*geometries):
        return {'type': 'FeatureCollection', 'features': [
            {'type': 'Feature', 'properties': {}, 'geometry': geometry} for geometry in geometries]}

    inputs = [features({'type': 'Polygon', 'coordinates': [shapes.zigzag(t.scale(20_000, 3000))]}),
              features({'type': 'LineString', 'coordinates': shapes.spiral(t.scale(100_000, 20_000))}),
              features({'type': 'Polygon', 'coordinates': shapes.nested(2000)}),
              features(*[{'type': 'Point', 'coordinates': [18.5, -34]}] * t.scale(100_000, 10_000)),
              features(*[{'type': 'Point', 'coordinates': [18.5 + index * 1e-13, -34]}
                         for index in range(t.scale(20_000, 2000))]),
              # The first of every 16 features is larger.
              features(*[{'type': 'LineString', 'coordinates': [[18.3, -34], [18.7, -34]]}
                         if index % 16 == 0 else
                         {'type': 'Point', 'coordinates': [18.5 + index * 1e-9, -34]}
                         for index in range(t.scale(5000, 1000))]),
              features({'type': 'MultiLineString', 'coordinates': shapes.lattice(1500)}),
              features(*[{'type': 'LineString', 'coordinates': line}
                         for line in shapes.lattice(1500)]),
              features({'type': 'Point', 'coordinates': []}), features({'type': 'Polygon'}),
              features(None, {}), {'type': 'FeatureCollection'}, [], 'x']
    for value in inputs:
        for geodesic in (True, False):
            answer = t.ask('/api/buffer', body={
                'features': value, 'distance': 20_000 if geodesic else 0.3, 'geodesic': geodesic,
                'union': True})
            t.expect(answer.seconds < t.timeout + 3, f'{json.dumps(value)[60:110]}: '
                     f'{answer.seconds:.1f} s')
            if not t.server.is_alive:
                return


# MARK: Areas

@attack('/api/zonal of areas: huge, crossing, many, wrong')
def zonal_areas(t):
    def features(*geometries):
        return {'type': 'FeatureCollection', 'features': [
            {'type': 'Feature', 'properties': {}, 'geometry': geometry} for geometry in geometries]}

    box = [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]
    inputs = [features({'type': 'Polygon', 'coordinates': [box]}),
              features(*[{'type': 'Polygon', 'coordinates': [box]}] * t.scale(2000, 200)),
              features({'type': 'Polygon', 'coordinates': [shapes.zigzag(t.scale(20_000, 3000))]}),
              features({'type': 'LineString', 'coordinates': shapes.spiral(t.scale(100_000, 20_000))}),
              features({'type': 'Polygon', 'coordinates': shapes.nested(2000)}),
              features(*[{'type': 'Point', 'coordinates': [18.5, -34]}] * t.scale(100_000, 10_000)),
              features({'type': 'Polygon', 'coordinates': [[[18, -34], [1e308, 1], [18, 1e308]]]}),
              features({'type': 'Point', 'coordinates': []}), features({'type': 'Polygon'}),
              features(None, {}), {'type': 'FeatureCollection'}, [], 'x']
    options = [{'stat': 'mean,median,variety,values,coverages'}, {'classes': True},
               {'classes': True, 'wide': True}, {'long': True}, {'cells': 'all-touched'},
               {'weights': 'area', 'stat': 'weighted_mean'}, {'stat': 'mean,' * 10_000},
               {'radius': '2000km'}, {'radius': '1mm'}, {'rasters': ['attack_3'] * 1000},
               {'by': 'nothing'}, {'coverage': '/tmp/x'}, {'approximate': True}]
    for index, value in enumerate(inputs):
        for more in options[index % 4::4] if t.is_quick else options:
            answer = t.ask('/api/zonal', body={
                'rasters': ['attack_3'], 'crs': 'EPSG:4326', 'features': value, **more})
            t.expect(answer.seconds < t.timeout + 3, f'{json.dumps(value)[60:110]} {more}: '
                     f'{answer.seconds:.1f} s')
            if not t.server.is_alive:
                return


# MARK: Traces

@attack('traces of the whole network with costly conditions')
def trace_conditions(t):
    long = ' OR '.join(f'ASSETTYPE = {number}' for number in range(20_000))
    kinds = ('connected', 'subnetwork', 'upstream', 'downstream', 'loops', 'shortestPath',
             'isolation', 'nothing')
    for kind in kinds:
        for more in ({}, {'condition': long}, {'condition': '(' * 10_000},
                     {'filter': "GLOBALID LIKE '%a%a%a%b'"}, {'start': ['M0054:Load'] * 10_000},
                     {'barrier': [f'V{number:04}' for number in range(20_000)]},
                     {'cost': 'x' * 10_000}, {'start': ['nothing']}, {'start': []}):
            t.ask('/api/trace', body={'network': 'gas', 'type': kind, 'start': ['M0054:Load'],
                                      **more})


@attack('traces with very many starts and barriers, in Esri form')
def trace_configurations(t):
    start = {'traceLocationType': 'startingPoint', 'globalId': 'M0054', 'terminalId': 1}
    deep = {'traversability': {}}
    for _ in range(400):
        deep = {'conditionBarriers': [deep]}
    for locations in ([start] * 50_000, [{}] * 50_000, [start, {'traceLocationType': 'barrier'}],
                      [{**start, 'percentAlong': 1e308}], [{**start, 'terminalId': 1 << 70}]):
        for configuration in ({}, deep, {'conditionBarriers': [{
                'name': 'ASSETTYPE', 'type': 'networkAttribute', 'operator': 'includesAny',
                'value': '1,' * 20_000, 'combineUsingOr': True}] * 200}):
            t.rest('gas/UtilityNetworkServer/trace', {
                'traceType': 'connected', 'traceLocations': locations,
                'traceConfiguration': configuration})
    for elements in ('[]', '[' * 10_000, json.dumps([{'networkSourceId': 1, 'globalId': 'a'}] * 20_000)):
        t.rest('gas/UtilityNetworkServer/associations/query', {'elements': elements})


@attack('traces as fast as possible')
def trace_flood(t):
    t.repeat(t.scale(8, 3), 24, lambda number: t.ask('/api/trace', body={
        'network': 'gas', 'type': ('isolation', 'connected')[number % 2], 'start': ['M0054:Load'],
        **({'filter-category': 'Isolating'} if number % 2 == 0 else {})}))


# MARK: OGC

@attack('EDR area, radius and trajectory over everything')
def edr_large(t):
    world = 'POLYGON((-180 -90,180 -90,180 90,-180 90,-180 -90))'
    for form in ('CoverageJSON', 'CSV', 'GeoJSON'):
        for collection in ('attack.noise', 'cape.dem'):
            for kind, more in (
                    ('area', {'coords': world}), ('area', {'coords': shapes.wkt(shapes.box())}),
                    ('area', {'coords': shapes.wkt(shapes.box(18.1, -34.4, 18.6, -33.9))}),
                    ('radius', {'coords': 'POINT(18.5 -34)', 'within': '20000'}),
                    ('radius', {'coords': 'POINT(18.5 -34)', 'within': '20', 'within-units': 'km'}),
                    ('radius', {'coords': 'POINT(0 90)', 'within': '1e300', 'within-units': 'mi'}),
                    ('trajectory', {'coords': 'LINESTRING(-1e7 -1e7,1e7 1e7)'}),
                    ('trajectory', {'coords': 'LINESTRING(' + ','.join(
                        f'{x:.4f} {y:.4f}' for x, y in shapes.zigzag(2000)) + ')'})):
                answer = t.ask(f'/ogc/collections/{collection}/{kind}',
                               parameters={'f': form, **more})
                t.expect(answer.seconds < t.timeout * 2 + 3,
                         f'{collection} {kind}: {answer.seconds:.1f} s')
        if t.is_quick:
            break


@attack('EDR areas from many addresses at once')
def edr_flood(t):
    coords = shapes.wkt(shapes.box(18.1, -34.4, 18.5, -34.0))
    t.together(t.scale(60, 24), lambda number: t.ask(
        '/ogc/collections/attack.noise/area', parameters={'f': 'CoverageJSON', 'coords': coords},
        source=f'127.15.0.{number + 1}'))


@attack('OGC items: odd boxes, limits, times, filters, properties')
def ogc_items(t):
    path = '/ogc/collections/attack.points/items'
    for more in ({'bbox': '-180,-90,180,90', 'limit': '10000'}, {'bbox': '1e308,1e308,-1e308,1'},
                 {'bbox': ','.join(['1'] * 100_000)}, {'bbox': '170,-90,-170,90'}, {'bbox': '1,2'},
                 {'bbox': 'NaN,NaN,NaN,NaN'}, {'bbox-crs': 'a' * 10_000}, {'crs': 'http://x/'},
                 {'datetime': '../..'}, {'datetime': '9' * 10_000}, {'limit': '1e9'},
                 {'NAME': '%' * 10_000}, {'NUM': '9' * 5000}, {'KIND': "' OR 1=1"},
                 {'filter': "NAME LIKE '" + '%a' * 500 + "%'", 'filter-lang': 'cql2-text'},
                 {'filter': '(' * 10_000}, {'offset': '9' * 40}, {'nothing': '1'}):
        t.ask(path, parameters={'f': 'json', **more})
    for number in ('0', '-1', '200001', '9' * 50, 'x', '%00', '1/2'):
        t.ask(f'{path}/{number}')
    t.ask(path + '?' + 'bbox=18,-34,19,-33&' * 2000)


@attack('OGC items of the largest page, as fast as possible')
def ogc_items_flood(t):
    t.repeat(t.scale(10, 3), 24, lambda number: t.ask(
        '/ogc/collections/attack.points/items', parameters={
            'f': 'html' if number % 3 == 0 else 'json', 'limit': '10000',
            'offset': str(number * 7919 % 190_000)}, source=f'127.16.0.{number % 24 + 1}'))


@attack('descriptions as pages and JSON, as fast as possible')
def description_flood(t):
    paths = ['/ogc/api?f=json', '/ogc/collections?f=html', '/arcgis/rest/services?f=html',
             '/arcgis/rest/services/cape/MapServer/layers?f=pjson', '/', '/api/page', '/metrics',
             '/api/reference?crs=EPSG:32038', '/ogc/conformance',
             '/arcgis/rest/services/gas/FeatureServer/queryDataElements?f=json']
    t.repeat(t.scale(8, 3), 24, lambda number: t.ask(
        paths[number % len(paths)], headers=['Accept-Encoding: gzip']))


@attack('CRS names that are long, or name files')
def odd_references(t):
    for text in ('EPSG:' + '9' * 1000, '+proj=pipeline ' + '+step ' * 5000, '@/etc/passwd',
                 '/etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:1/x', 'urn:ogc:def:crs:' * 500,
                 'GEOGCS["a",' * 2000, '+proj=merc +nadgrids=/etc/passwd', '+init=/etc/passwd:1',
                 '{"type":"GeographicCRS",' + '"a":[' * 1000, '\0', 'x' * 100_000):
        for path, name in (('/api/reference', 'crs'),
                           ('/arcgis/rest/services/attack/FeatureServer/0/query', 'outSR')):
            answer = t.ask(path, parameters={name: text, **(
                {'f': 'json', 'where': '1=1'} if name == 'outSR' else {})})
            t.expect(b'root:' not in answer.body, 'a file was read')
