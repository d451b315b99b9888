// Converts between polygons of GeoJSON and rings of ArcGIS.

/** Twice the area within a ring; positive if it runs anticlockwise. */
function turn(ring) {
  return ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length];
    return sum + (x - ring[0][0]) * (nextY - ring[0][1]) - (nextX - ring[0][0]) * (y - ring[0][1]);
  }, 0);
}

const directed = (ring, isClockwise) => (
  turn(ring) < 0 === isClockwise ? ring : [...ring].reverse());

/** Whether a ring surrounds a point. */
function surrounds(ring, [x, y]) {
  let isInside = false;
  for (let at = 0, last = ring.length - 1; at < ring.length; last = at, at += 1) {
    const [[ax, ay], [bx, by]] = [ring[at], ring[last]];
    if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside;
}

/** The outlines and holes of a Polygon or MultiPolygon: outlines run clockwise, holes
 * anticlockwise. */
export function ringsOf({ type, coordinates }) {
  const polygons = type === 'Polygon' ? [coordinates] : coordinates;
  return polygons.flatMap((rings) => rings.map((ring, at) => directed(ring, at === 0)));
}

/** The GeoJSON geometry of rings; each hole is in the smallest outline around it. */
export function geometryOf(rings) {
  const size = (ring) => Math.abs(turn(ring));
  const polygons = rings.filter((ring) => turn(ring) < 0).sort((a, b) => size(a) - size(b))
    .map((ring) => [directed(ring, false)]);
  for (const hole of rings.filter((ring) => turn(ring) > 0)) {
    const around = polygons.find(
      ([outline]) => size(outline) > size(hole) && surrounds(outline, hole[0]));
    around?.push(directed(hole, true));
  }
  return polygons.length === 1 ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}
