// Requests statistics and histograms of the cells of an image service under an area.

import { ringsOf } from './rings.js';
import { Server, ServerError } from './server.js';

const statistics = 'count,mean,min,max,stdev,median,sum,area';

/** The bands of an image service: name, unit, scale, offset, and whether cells are integers. */
export async function bandsOf(server, service, signal) {
  const reply = await server.json(Server.service(service, 'ImageServer'), { signal });
  const described = reply.bandDescriptions ?? [];
  return Array.from({ length: reply.bandCount ?? 1 }, (_, at) => {
    const { name = '', pixelType = '', scale = 1, offset = 0, unit = '' } = described[at] ?? {};
    return {
      number: at + 1, name: name || `Band ${at + 1}`, scale, offset, unit,
      isWhole: /^u?int/.test(pixelType), isScaled: scale !== 1 || offset !== 0,
    };
  });
}

/**
 * The statistics of one area.
 *
 * @returns the `values` by their names, the reply as GeoJSON, and the warnings.
 */
export async function valuesOf(server, { service, band, isScaled, feature, signal }) {
  const { value, warnings } = await server.post('api/zonal', {
    rasters: [service], band: [band.number], scaled: isScaled, stat: statistics, crs: 'EPSG:4326',
    features: { type: 'FeatureCollection', features: [feature] },
  }, signal);
  const [{ properties }] = value.features;
  // Column names begin with the raster's name and, if it has several bands, the band's name.
  const [, prefix] = Object.keys(properties).map((name) => /^(.*_)valid_fraction$/.exec(name))
    .find(Boolean) ?? [null, ''];
  const names = [...statistics.split(','), 'status', 'valid_fraction'];
  const values = Object.fromEntries(names.map((name) => [name, properties[prefix + name] ?? null]));
  return { values, collection: value, warnings };
}

/** The histogram of one area: `counts` of `size` bins from `min` to `max`, in stored values. */
export async function histogramOf(server, { service, band, feature, signal }) {
  const reply = await server.json(
    Server.service(service, 'ImageServer', '/computeHistograms'), {
      signal, type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({
        geometry: JSON.stringify({
          rings: ringsOf(feature.geometry), spatialReference: { wkid: 4326 },
        }),
        geometryType: 'esriGeometryPolygon', bandIds: band.number - 1,
      }).toString(),
    });
  return reply.histograms[0];
}

/** The area within a ground distance of features, as one GeoJSON geometry. */
export async function surroundings(server, features, metres, signal) {
  const { value } = await server.post('api/buffer', {
    features: {
      type: 'FeatureCollection',
      features: features.map(({ geometry }) => ({ type: 'Feature', properties: {}, geometry })),
    },
    distance: metres, unit: 'm', geodesic: true, union: true, crs: 'EPSG:4326',
    'out-crs': 'EPSG:4326',
  }, signal);
  const [area] = value.features;
  if (!area?.geometry) throw new ServerError('the features have no shape that can be buffered');
  return area.geometry;
}
