// Fences on the map, with their buffers and names.

import { h } from './dom.js';
import { ink } from './mapview.js';

const labelLimit = 200;

/** The centroid of a shape's first ring; null if the shape has no ring. */
function middleOf(shape) {
  const ring = { Polygon: (own) => own[0], MultiPolygon: (own) => own[0]?.[0] }[shape?.type]?.(
    shape.coordinates);
  if (!ring?.length) return null;
  const [x0, y0] = ring[0];
  let [area, x, y] = [0, 0, 0];
  for (let at = 1; at < ring.length; at += 1) {
    const [ax, ay, bx, by] = [
      ring[at - 1][0] - x0, ring[at - 1][1] - y0, ring[at][0] - x0, ring[at][1] - y0];
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  }
  return area ? L.latLng(y0 + y / area / 3, x0 + x / area / 3) : L.latLng(y0, x0);
}

/**
 * Draws a monitor's fences.
 *
 * @param number the index of the monitor, which determines colours and label positions.
 * @returns the bounds of the fences; null if there are no fences.
 */
export function drawFences(layer, buffered, given, number) {
  const color = ink(`fence-${number % 3}`);
  // The names of the first monitor's fences are centred on the fences; other names are above
  // theirs.
  const side = number ? { direction: 'top', offset: [0, -2] } : { direction: 'center' };
  const shape = (collection, style) => L.geoJSON(collection, {
    interactive: false, style: { color, interactive: false, smoothFactor: 0, ...style },
    pointToLayer: (_, latlng) => L.circleMarker(latlng, {
      radius: 3, color, fillOpacity: 1, interactive: false,
    }),
  });
  layer.addLayer(shape(buffered, { weight: 2, fillOpacity: 0.12 }));
  layer.addLayer(shape(given, { weight: 1, dashArray: '3 3', fill: false }));
  for (const feature of buffered.features.slice(0, labelLimit)) {
    const name = feature.properties?.name ?? feature.properties?.id ?? feature.id;
    const middle = middleOf(feature.geometry);
    if (name === undefined || !middle) continue;
    // Names are text nodes, so that they are not parsed as HTML.
    layer.addLayer(L.tooltip({
      permanent: true, ...side, className: 'fence-name', interactive: false,
    }).setLatLng(middle).setContent(h('span', { text: String(name).slice(0, 60) })));
  }
  const bounds = L.geoJSON(buffered).getBounds();
  return bounds.isValid() ? bounds : null;
}

/** Hides names that would overlap other names. */
export function clearNames(map) {
  const kept = [];
  for (const own of map.getPane('tooltipPane').querySelectorAll('.fence-name')) {
    const box = own.getBoundingClientRect();
    const isFree = kept.every((other) => box.right < other.left || box.left > other.right
      || box.bottom < other.top || box.top > other.bottom);
    own.classList.toggle('covered', !isFree);
    if (isFree) kept.push(box);
  }
}
