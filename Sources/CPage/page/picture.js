// The picture of the map in the current view. It is requested after each move; the old picture is
// shown until the new picture is loaded.

import { Server } from './server.js';

// Pictures extend slightly beyond the view, so that a short move shows no edge.
const margin = 0.12;
const longestSide = 4096;
// Pictures have the display's resolution, but above this number of pixels the resolution is reduced,
// at most to one pixel per CSS pixel.
const pixelLimit = 4_000_000;

export class Picture {
  #overlay = null;
  #request = null;
  #timer = null;

  constructor(view, server, report) {
    this.view = view;
    this.server = server;
    this.report = report;
    this.name = null;
    this.layers = null;
    /** The date at which layers with dates are shown; null to show the last date of each layer. */
    this.date = null;
    this.busy = document.createElement('div');
    this.busy.className = 'busy';
    view.element.parentElement.append(this.busy);
    const pane = view.map.createPane('picture');
    pane.style.zIndex = 300;
    pane.style.pointerEvents = 'none';
    view.map.on('moveend resize', () => this.later());
  }

  /**
   * Shows a map with `layers`: null for the map's default, an empty string for no layers.
   *
   * @param shown is called when a picture of these layers is loaded.
   */
  show(name, layers, shown) {
    if (name !== this.name) this.clear();
    this.name = name;
    this.next(layers, shown);
    this.later(0);
  }

  /** Sets the layers for pictures from the next move on. */
  next(layers, shown = () => {}) {
    this.layers = layers;
    this.shown = shown;
  }

  clear() {
    this.#request?.abort();
    this.#drop(this.#overlay);
    this.#overlay = null;
  }

  later(wait = 40) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), wait);
  }

  #drop(overlay) {
    if (!overlay) return;
    overlay.remove();
    URL.revokeObjectURL(overlay.address);
  }

  async #ask() {
    if (!this.name) return;
    this.#request?.abort();
    const { shown } = this;
    if (this.layers === '') {
      this.clear();
      shown();
      this.report(null);
      return;
    }
    const request = new AbortController();
    this.#request = request;
    const { bbox, width, height, bounds } = this.view.box(margin);
    const ratio = Math.min(
      window.devicePixelRatio || 1, Math.max(1, Math.sqrt(pixelLimit / (width * height))),
      longestSide / Math.max(width, height));
    const side = (pixels) => Math.max(1, Math.floor(pixels * ratio));
    const query = {
      bbox: bbox.join(','), bboxSR: 3857, imageSR: 3857, format: 'png32', transparent: true,
      size: `${side(width)},${side(height)}`, dpi: 96 * ratio,
    };
    if (this.layers) query.layers = this.layers;
    if (this.date) query.date = this.date;
    const slow = setTimeout(() => this.busy.classList.add('on'), 250);
    try {
      const { blob, warnings } = await this.server.picture(
        Server.service(this.name, 'MapServer', '/export'), query, request.signal);
      if (request.signal.aborted) return;
      await this.#put(blob, bounds);
      shown();
      this.report(null, warnings);
    } catch (error) {
      if (error.name !== 'AbortError') this.report(error);
    } finally {
      clearTimeout(slow);
      if (this.#request === request) this.busy.classList.remove('on');
    }
  }

  #put(blob, bounds) {
    const address = URL.createObjectURL(blob);
    const overlay = L.imageOverlay(address, bounds, { className: 'picture', pane: 'picture' });
    overlay.address = address;
    return new Promise((resolve, reject) => {
      overlay.on('load', () => {
        this.#drop(this.#overlay);
        this.#overlay = overlay;
        performance.mark('picture');
        resolve();
      });
      overlay.on('error', () => {
        this.#drop(overlay);
        reject(new Error('the picture of the map cannot be shown'));
      });
      overlay.addTo(this.view.map);
    });
  }
}
