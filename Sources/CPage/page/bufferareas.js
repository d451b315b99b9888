// Requests the areas around points, along the ellipsoid and in a plane.

import { units } from './pointlist.js';
import { geometryOf } from './rings.js';

/** GeoJSON of the areas within distances along the ground. */
export async function geodesicAreas(server, { points, unit, union }) {
  const { value } = await server.post('api/buffer', {
    at: points.map((own) => [own.lng, own.lat]), distance: points.map((own) => own.radius),
    unit, geodesic: true, union, crs: 'EPSG:4326', 'out-crs': 'EPSG:4326',
  });
  return value;
}

/** GeoJSON of the areas within distances in the plane of a projected CRS. */
export async function planarAreas(server, { points, unit, union, plane }) {
  const reply = await server.json(
    'arcgis/rest/services/Utilities/Geometry/GeometryServer/buffer', {
      query: {}, type: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({
        geometries: points.flatMap((point) => [point.lng, point.lat]).join(','), inSR: 4326,
        bufferSR: plane.crs.replace(/^EPSG:/i, ''), outSR: 4326, unit: units[unit].code,
        distances: points.map((point) => point.radius).join(','), unionResults: union,
        geodesic: false, f: 'json',
      }).toString(),
    });
  const features = reply.geometries.filter((shape) => shape?.rings).map((shape) => ({
    type: 'Feature', properties: { method: 'planar', reference: plane.crs },
    geometry: geometryOf(shape.rings),
  }));
  return { type: 'FeatureCollection', features };
}
