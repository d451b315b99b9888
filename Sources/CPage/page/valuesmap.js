// Many values on the map: a canvas over the view, each point a few pixels by the value's colour.

const anchors = [
  [68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37],
];

/** A colour of the ramp, from 0 to 1, as bytes. */
export function rampColour(share) {
  const at = Math.max(0, Math.min(1, share)) * (anchors.length - 1);
  const low = Math.min(anchors.length - 2, Math.floor(at));
  return anchors[low].map((own, k) => Math.round(own + (anchors[low + 1][k] - own) * (at - low)));
}

// As the pixels of a canvas are stored: red first in memory.
const ramp = Uint32Array.from({ length: 256 }, (_, index) => {
  const [red, green, blue] = rampColour(index / 255);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
});
const noValue = 0xff9e9e9e;

export const ValuesLayer = L.Layer.extend({
  /** Longitudes and latitudes, or coordinates in EPSG:3857. */
  initialize({ x, y, isMercator }) {
    this.count = x.length;
    this.across = new Float64Array(this.count);
    this.down = new Float64Array(this.count);
    const world = 2 * Math.PI * 6_378_137;
    for (let at = 0; at < this.count; at += 1) {
      if (isMercator) {
        this.across[at] = x[at] / world + 0.5;
        this.down[at] = 0.5 - y[at] / world;
      } else {
        const sine = Math.sin(y[at] * Math.PI / 180);
        this.across[at] = x[at] / 360 + 0.5;
        this.down[at] = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
      }
    }
  },

  /** Shows other values; rows without one are grey. */
  setValues(values, low, high) {
    Object.assign(this, { values, low, high });
    if (this._map) this._draw();
    return this;
  },

  get bounds() {
    let [west, south, east, north] = [1, 0, 0, 1];
    for (let at = 0; at < this.count; at += 1) {
      const [x, y] = [this.across[at], this.down[at]];
      if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) continue;
      west = Math.min(west, x);
      east = Math.max(east, x);
      north = Math.min(north, y);
      south = Math.max(south, y);
    }
    if (west > east) return null;
    const corner = (x, y) => L.CRS.EPSG3857.pointToLatLng(L.point(x * 256, y * 256), 0);
    return L.latLngBounds(corner(west, south), corner(east, north));
  },

  onAdd(map) {
    this._canvas = L.DomUtil.create('canvas', 'leaflet-zoom-hide values');
    map.getPanes().overlayPane.append(this._canvas);
    map.on('moveend resize', this._draw, this);
    this._draw();
  },

  onRemove(map) {
    map.off('moveend resize', this._draw, this);
    this._canvas.remove();
  },

  _draw() {
    if (!this.values) return;
    const map = this._map;
    const { x: width, y: height } = map.getSize();
    const canvas = this._canvas;
    canvas.width = width;
    canvas.height = height;
    L.DomUtil.setPosition(canvas, map.containerPointToLayerPoint([0, 0]));
    const origin = map.getPixelBounds().min;
    const world = 256 * 2 ** map.getZoom();
    const context = canvas.getContext('2d');
    const picture = context.createImageData(width, height);
    const pixels = new Uint32Array(picture.data.buffer);
    const side = this.count < 3000 ? 7 : this.count < 30_000 ? 4 : this.count < 300_000 ? 2 : 1;
    const half = side >> 1;
    const share = this.high > this.low ? 255 / (this.high - this.low) : 0;
    // Rows with a value lie above those without.
    for (const hasValue of [false, true]) {
      for (let at = 0; at < this.count; at += 1) {
        const value = this.values[at];
        if ((value === value) !== hasValue) continue;
        const left = Math.floor(this.across[at] * world - origin.x) - half;
        const top = Math.floor(this.down[at] * world - origin.y) - half;
        if (!(left > -side && top > -side && left < width && top < height)) continue;
        const colour = hasValue
          ? ramp[Math.max(0, Math.min(255, ((value - this.low) * share) | 0))] : noValue;
        for (let y = Math.max(0, top); y < Math.min(height, top + side); y += 1) {
          for (let x = Math.max(0, left); x < Math.min(width, left + side); x += 1) {
            pixels[y * width + x] = colour;
          }
        }
      }
    }
    context.putImageData(picture, 0, 0);
  },
});
