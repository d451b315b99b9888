// Draws many values on a canvas over the map, each as a few pixels in the colour of its value.

const anchors = [
  [68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37],
];

/** The colour of the ramp at a share from 0 to 1, as bytes. */
export function rampColour(share) {
  const at = Math.max(0, Math.min(1, share)) * (anchors.length - 1);
  const low = Math.min(anchors.length - 2, Math.floor(at));
  return anchors[low].map((own, k) => Math.round(own + (anchors[low + 1][k] - own) * (at - low)));
}

// The colours of the ramp in the memory order of canvas pixels, with red first.
const ramp = Uint32Array.from({ length: 256 }, (_, index) => {
  const [red, green, blue] = rampColour(index / 255);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
});
const noValue = 0xff9e9e9e;
const partLimit = 200_000;

export const ValuesLayer = L.Layer.extend({
  /** The coordinates are longitudes and latitudes, or are in EPSG:3857. */
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

  /** Shows other values; rows without a value are grey. */
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

  /** Draws in chunks, so that a million points do not block a frame for long. */
  _draw() {
    if (!this.values) return;
    const map = this._map;
    const { x: width, y: height } = map.getSize();
    const view = {
      width, height, origin: map.getPixelBounds().min, world: 256 * 2 ** map.getZoom(),
      corner: map.containerPointToLayerPoint([0, 0]), picture: new ImageData(width, height),
      side: this.count < 3000 ? 7 : this.count < 30_000 ? 4 : this.count < 300_000 ? 2 : 1,
    };
    view.pixels = new Uint32Array(view.picture.data.buffer);
    this._drawing = (this._drawing ?? 0) + 1;
    // Rows with a value are drawn above rows without a value.
    this._drawPart(view, false, 0, this._drawing);
  },

  _drawPart(view, hasValue, from, drawing) {
    if (!this._map || drawing !== this._drawing) return;
    const { width, height, origin, world, side, pixels } = view;
    const half = side >> 1;
    const share = this.high > this.low ? 255 / (this.high - this.low) : 0;
    const end = Math.min(this.count, from + partLimit);
    for (let at = from; at < end; at += 1) {
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
    if (end < this.count || !hasValue) {
      const [next, start] = end < this.count ? [hasValue, end] : [true, 0];
      const isShort = this.count <= partLimit;
      if (isShort) this._drawPart(view, next, start, drawing);
      else setTimeout(() => this._drawPart(view, next, start, drawing));
      return;
    }
    const canvas = this._canvas;
    canvas.width = width;
    canvas.height = height;
    L.DomUtil.setPosition(canvas, view.corner);
    canvas.getContext('2d').putImageData(view.picture, 0, 0);
  },
});
