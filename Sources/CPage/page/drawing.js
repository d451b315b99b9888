// Draws an area: each tap, or Enter at the crosshair, adds a corner.

import { ink } from './mapview.js';

// The distance in pixels from the first or last corner within which a tap closes the area.
const reach = 9;
// The longest time between the clicks of a double click, in milliseconds.
const doubleClick = 500;

export class Drawing {
  layer = L.layerGroup();
  corners = [];
  isOn = false;
  /** Whether the double click that closed the area may still be in progress. */
  isEnding = false;
  #view;
  #changed;
  #finished;
  #pointer = null;

  /**
   * @param changed is called after each change, and when drawing starts and ends.
   * @param finished receives the ring of a finished area in degrees.
   */
  constructor(view, { changed, finished }) {
    this.#view = view;
    this.#changed = changed;
    this.#finished = finished;
  }

  get canFinish() {
    return this.corners.length > 2;
  }

  start() {
    this.corners = [];
    this.#turn(true);
  }

  cancel() {
    if (!this.isOn) return;
    this.corners = [];
    this.#turn(false);
  }

  undo() {
    this.corners = this.corners.slice(0, -1);
    this.#draw();
    this.#changed();
  }

  finish() {
    if (!this.canFinish) return;
    const ring = [...this.corners, this.corners[0]].map(({ lng, lat }) => [lng, lat]);
    this.corners = [];
    this.#turn(false);
    this.#finished(ring);
  }

  /** Adds a corner. A tap on the first or last corner closes the area; so does a double click. */
  tap(latlng, event) {
    if (event?.repeat) return;
    const [first, last] = [this.corners[0], this.corners.at(-1)];
    if (last) {
      // If the view has moved to another copy of the world, the corners move with it.
      const shift = Math.round((latlng.lng - last.lng) / 360) * 360;
      if (shift) this.corners = this.corners.map(({ lat, lng }) => L.latLng(lat, lng + shift));
      const isOnLast = this.#isNear(latlng, last);
      if (this.canFinish && (isOnLast || this.#isNear(latlng, first))) {
        this.finish();
        return;
      }
      if (isOnLast) return;
    }
    this.corners = [...this.corners, L.latLng(latlng)];
    this.#draw();
    this.#changed();
  }

  #isNear(a, b) {
    const { map } = this.#view;
    return map.latLngToContainerPoint(a).distanceTo(map.latLngToContainerPoint(b)) <= reach;
  }

  #turn(isOn) {
    this.isOn = isOn;
    this.#pointer = null;
    const { map } = this.#view;
    const change = isOn ? 'on' : 'off';
    map[change]('mousemove', this.#move);
    document[isOn ? 'addEventListener' : 'removeEventListener']('keydown', this.#press);
    this.isEnding = !isOn;
    if (isOn) map.doubleClickZoom.disable();
    else setTimeout(() => this.#end(), doubleClick);
    this.#draw();
    this.#changed();
  }

  #end() {
    this.isEnding = false;
    if (!this.isOn) this.#view.map.doubleClickZoom.enable();
  }

  #move = (event) => {
    this.#pointer = event.latlng;
    this.#draw();
  };

  #press = (event) => {
    if (event.key === 'Escape') this.cancel();
    else if (event.key === 'Backspace' && event.target === this.#view.element) this.undo();
    else return;
    event.preventDefault();
  };

  #draw() {
    this.layer.clearLayers();
    if (!this.corners.length) return;
    const color = ink('hit');
    const line = [...this.corners, this.#pointer ?? []].flat();
    this.layer.addLayer(L.polygon(line, {
      color, weight: 2, dashArray: '6 5', fillOpacity: 0.1, interactive: false, smoothFactor: 0,
    }));
    for (const corner of this.corners) {
      this.layer.addLayer(L.circleMarker(corner, {
        radius: 5, color, weight: 2, fillColor: '#ffffff', fillOpacity: 1, interactive: false,
      }));
    }
  }
}
