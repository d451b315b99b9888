// Shows entities on the map as pins.

import { h } from './dom.js';

// The maximum number of pins; the lists contain all entities.
const pinLimit = 200;

export class Walkers {
  layer = L.layerGroup();
  #pins = new Map();

  constructor(view) {
    this.view = view;
  }

  move(entity, latlng) {
    const known = this.#pins.get(entity);
    if (known) {
      known.setLatLng(latlng);
      return;
    }
    if (this.#pins.size >= pinLimit) return;
    const pin = this.view.pin(latlng, { label: String(entity).slice(0, 1), kind: 'walker' });
    pin.remove();
    pin.bindTooltip(h('span', { text: entity }), { direction: 'right', offset: [12, 0] });
    this.#pins.set(entity, pin.addTo(this.layer));
  }

  /** Moves each entity to the location of its last row. */
  moveAll(rows) {
    const newest = new Map(rows.map((row) => [row.entity, row]));
    for (const [entity, row] of newest) {
      if (Number.isFinite(row.lat) && Number.isFinite(row.lng)) this.move(entity, row);
    }
  }

  clear() {
    this.layer.clearLayers();
    this.#pins.clear();
  }
}
