// The map view in Web Mercator: taps, the crosshair, the scale, and server coordinates.

import { h } from './dom.js';
import { lonLat, scaleText } from './format.js';

const earthSide = 2 * Math.PI * 6_378_137;
const mercator = L.Projection.SphericalMercator;

/** Coordinates in EPSG:3857, whole centimetres. */
export function toMercator(latlng) {
  const point = mercator.project(L.latLng(latlng));
  return [Math.round(point.x * 100) / 100, Math.round(point.y * 100) / 100];
}

/** A Leaflet point from coordinates in EPSG:3857. */
export function fromMercator([x, y]) {
  return mercator.unproject(L.point(x, y));
}

/** A colour of the style sheet. */
export function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export class MapView {
  /** The handler of taps, set by the open tool. */
  onTap = () => {};

  constructor(element, readout) {
    this.element = element;
    this.readout = readout;
    const map = L.map(element, {
      attributionControl: false, zoomControl: false, preferCanvas: true,
      minZoom: 1, maxZoom: 22, zoomSnap: 0.25,
      worldCopyJump: true, zoomAnimation: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    });
    this.map = map;
    L.control.zoom({ position: 'topright' }).addTo(map);
    L.control.scale({ position: 'bottomright', imperial: false }).addTo(map);
    this.crosshair = h('div', { class: 'crosshair', 'aria-hidden': 'true' });
    element.append(this.crosshair);
    map.on('click', (event) => this.onTap(this.#ownWorld(event.latlng), event.originalEvent));
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.target !== element) return;
      event.preventDefault();
      this.onTap(this.#ownWorld(map.getCenter()), event);
    });
    // Leaflet focuses the map when it is pressed, but the crosshair is only for keyboard use.
    const keys = (isOn) => () => element.classList.toggle('keys', isOn);
    window.addEventListener('keydown', keys(true), true);
    window.addEventListener('pointerdown', keys(false), true);
    map.on('mousemove', (event) => this.#read(event.latlng.wrap()));
    map.on('move zoomend', () => this.#read(map.getCenter().wrap()));
    new ResizeObserver(() => map.invalidateSize({ pan: false })).observe(element);
  }

  /** Wraps a location to within 180 degrees, and moves the view to the same copy of the world. */
  #ownWorld(latlng) {
    const own = latlng.wrap();
    const shift = Math.round((own.lng - latlng.lng) / 360) * 360;
    const { lat, lng } = this.map.getCenter();
    if (shift) this.map.setView([lat, lng + shift], this.map.getZoom(), { animate: false });
    return own;
  }

  #read(latlng) {
    this.readout.textContent = `${lonLat(latlng)}  ${scaleText(this.scale)}`;
  }

  /** The size of a pixel in metres of the projection. */
  get resolution() {
    return earthSide / (256 * 2 ** this.map.getZoom());
  }

  /** The scale denominator, for pixels of 1/96 inch as on the server. */
  get scale() {
    return this.resolution * 96 / 0.0254;
  }

  /** The ground distance of a number of pixels at a point, in metres. */
  metres(pixels, latlng) {
    return pixels * this.resolution * Math.cos(latlng.lat * Math.PI / 180);
  }

  /** The corners of the view in EPSG:3857, enlarged by a share of its sides. */
  box(share = 0) {
    const bounds = this.map.getPixelBounds();
    const pad = bounds.getSize().multiplyBy(share).floor();
    const low = bounds.min.subtract(pad);
    const high = bounds.max.add(pad);
    const zoom = this.map.getZoom();
    const corner = (point) => L.CRS.EPSG3857.project(this.map.unproject(point, zoom));
    const [a, b] = [corner(L.point(low.x, high.y)), corner(L.point(high.x, low.y))];
    return {
      bbox: [a.x, a.y, b.x, b.y], width: Math.round(high.x - low.x),
      height: Math.round(high.y - low.y),
      bounds: L.latLngBounds(
        this.map.unproject(L.point(low.x, high.y), zoom),
        this.map.unproject(L.point(high.x, low.y), zoom)),
    };
  }

  /** Shows an extent in degrees: west, south, east, north. */
  fit(extent, options = {}) {
    if (!extent || !extent.every(Number.isFinite)) {
      this.map.setView([0, 0], 2);
      return;
    }
    const clip = (lat) => Math.max(-85, Math.min(85, lat));
    this.map.fitBounds(
      [[clip(extent[1]), extent[0]],
        [clip(extent[3]), extent[2] + (extent[2] < extent[0] ? 360 : 0)]],
      { animate: false, maxZoom: 18, ...options });
  }

  /** A pin with a short label, optionally draggable. */
  pin(latlng, { label = '', kind = '', drag, end } = {}) {
    const text = h('span', { text: label });
    const marker = L.marker(latlng, {
      keyboard: false, draggable: Boolean(drag || end), autoPanOnDrag: false,
      icon: L.divIcon({ className: `pin ${kind}`, html: text, iconSize: [22, 22] }),
    }).addTo(this.map);
    if (drag) marker.on('drag', () => drag(marker.getLatLng().wrap()));
    marker.on('dragend', () => {
      marker.setLatLng(this.#ownWorld(marker.getLatLng()));
      end?.(marker.getLatLng());
    });
    return marker;
  }
}
