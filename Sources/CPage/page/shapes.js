// Draws small feature layers at the top of the map as vectors, which need no new map image after
// panning.

import { Server } from './server.js';
import { rendererStyle, Sign } from './symbols.js';

const featureLimit = 2000;

export class Shapes {
  /** The ids of the layers drawn here, which the map images omit. */
  ids = new Set();
  #groups = new Map();
  #generation = 0;
  #isDrawn = false;

  constructor(app) {
    this.app = app;
    const pane = app.view.map.createPane('shapes');
    pane.style.zIndex = 350;
    pane.style.pointerEvents = 'none';
    this.renderer = L.canvas({ pane: 'shapes', padding: 0.3 });
    app.view.map.on('zoomend', () => { if (this.#isDrawn) this.draw(); });
  }

  clear() {
    this.#generation += 1;
    for (const { group } of this.#groups.values()) group.remove();
    this.#groups.clear();
    this.ids = new Set();
    this.#isDrawn = false;
  }

  /** Loads the layers that can be drawn; until `draw` is called, the map shows only images. */
  async take(name, layers) {
    const own = this.#generation;
    const candidates = this.#candidates(layers);
    if (!candidates.length) return;
    const [described, counts] = await Promise.all([
      this.#ask(name, '/layers'),
      Promise.all(candidates.map((node) => this.#ask(
        name, `/${node.id}/query`, { where: '1=1', returnCountOnly: true }))),
    ]);
    const chosen = [];
    let total = 0;
    // Takes consecutive layers from the top, because the map image is below all of them.
    for (const [at, node] of candidates.entries()) {
      const drawing = described.layers.find((layer) => layer.id === node.id)?.drawingInfo;
      const style = rendererStyle(drawing?.renderer);
      total += counts[at].count;
      if (!style || total > featureLimit) break;
      chosen.push({ node, style, opacity: 1 - (drawing.transparency ?? 0) / 100 });
    }
    const replies = await Promise.all(chosen.map(({ node, style }) => this.#ask(
      name, `/${node.id}/query`, {
        where: '1=1', outFields: style.fields.join(','), outSR: 4326, geometryPrecision: 7,
      })));
    if (own !== this.#generation) return;
    chosen.forEach((layer, at) => this.#groups.set(
      layer.node.id, { node: layer.node, group: this.#group(layer, replies[at]) }));
    this.ids = new Set(this.#groups.keys());
  }

  #ask(name, rest, query) {
    return this.app.server.json(Server.service(name, 'MapServer', rest), { query });
  }

  #candidates(layers) {
    const found = [];
    for (const node of layers.ordered) {
      if (node.children.length) continue;
      if (!layers.isShown(node) || !layers.isInScale(node, this.app.view.scale)) break;
      if (!/^esriGeometry(Point|Multipoint|Polyline|Polygon)$/.test(node.geometryType ?? '')) break;
      if (found.length === 12) break;
      found.push(node);
    }
    return found;
  }

  #group({ style, opacity }, reply) {
    const group = L.layerGroup();
    const latLng = ([x, y]) => [y, x];
    for (const { attributes, geometry } of reply.features ?? []) {
      const look = style.style(attributes);
      if (!look || !geometry) continue;
      const options = {
        ...look, renderer: this.renderer, interactive: false,
        opacity: (look.opacity ?? 1) * opacity, fillOpacity: (look.fillOpacity ?? 1) * opacity,
      };
      if (geometry.rings) {
        group.addLayer(L.polygon(geometry.rings.map((ring) => ring.map(latLng)), options));
      } else if (geometry.paths) {
        group.addLayer(L.polyline(geometry.paths.map((path) => path.map(latLng)), options));
      } else {
        for (const point of geometry.points ?? [[geometry.x, geometry.y]]) {
          if (Number.isFinite(point[0])) group.addLayer(new Sign(latLng(point), options));
        }
      }
    }
    return group;
  }

  /** Draws the layers that are on and in scale, the topmost last. */
  draw() {
    const { layers, view } = this.app;
    if (!layers) return;
    this.#isDrawn = true;
    for (const { node, group } of [...this.#groups.values()].reverse()) {
      const isShown = layers.isShown(node) && layers.isInScale(node, view.scale);
      const { map } = view;
      if (isShown === map.hasLayer(group)) continue;
      if (isShown) group.addTo(map);
      else group.remove();
    }
    // Restores the order after a layer was switched on.
    for (const { group } of [...this.#groups.values()].reverse()) {
      group.eachLayer((shape) => { if (shape._map) shape.bringToFront(); });
    }
  }
}
