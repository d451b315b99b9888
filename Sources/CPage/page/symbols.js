// Converts renderers of map services to Leaflet styles.

const pixelsPerPoint = 96 / 72;

const css = (color) => (color ? `rgb(${color[0]} ${color[1]} ${color[2]})` : 'transparent');
const alpha = (color) => (color ? color[3] / 255 : 0);

function stroke(line) {
  if (!line || /Null$/.test(line.style ?? '')) return { stroke: false };
  return {
    stroke: true, color: css(line.color), opacity: alpha(line.color),
    weight: line.width * pixelsPerPoint, lineCap: 'butt',
  };
}

// The corners of marker shapes relative to their half size; a circle has no corners.
const signs = {
  circle: [], square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  diamond: [[0, -1], [1, 0], [0, 1], [-1, 0]],
};

/** A point drawn as a marker symbol. */
export const Sign = L.CircleMarker.extend({
  _updatePath() {
    const corners = signs[this.options.sign] ?? [];
    if (!corners.length) {
      L.CircleMarker.prototype._updatePath.call(this);
      return;
    }
    const { _drawing: isDrawing, _ctx: context } = this._renderer;
    if (!isDrawing || this._empty()) return;
    context.beginPath();
    for (const [x, y] of corners) {
      context.lineTo(this._point.x + x * this._radius, this._point.y + y * this._radius);
    }
    context.closePath();
    this._renderer._fillStroke(context, this);
  },
});

/** The style of a symbol; null if the server's picture must draw it. */
function styleOf(symbol) {
  switch (symbol?.type) {
    case 'esriSMS': {
      const sign = (symbol.style ?? 'esriSMSCircle').replace('esriSMS', '').toLowerCase();
      // Crosses, which consist of lines, and rotated or offset markers are left to the server.
      if (!signs[sign] || symbol.angle || symbol.xoffset || symbol.yoffset) return null;
      return {
        ...stroke(symbol.outline), sign, radius: symbol.size * pixelsPerPoint / 2, fill: true,
        fillColor: css(symbol.color), fillOpacity: alpha(symbol.color),
      };
    }
    case 'esriSLS':
      return symbol.style === 'esriSLSSolid' ? { ...stroke(symbol), fill: false } : null;
    case 'esriSFS':
      if (symbol.style !== 'esriSFSSolid' && symbol.style !== 'esriSFSNull') return null;
      return {
        ...stroke(symbol.outline), fill: symbol.style === 'esriSFSSolid',
        fillColor: css(symbol.color), fillOpacity: alpha(symbol.color), fillRule: 'evenodd',
      };
    default: return null;
  }
}

/**
 * The style of a renderer: its `fields`, and `style(attributes)`, which returns null for features
 * that are not drawn.
 *
 * @returns null if Leaflet cannot draw one of the renderer's symbols in the same way as the server.
 */
export function rendererStyle(renderer) {
  let isAlike = true;
  const known = (symbol) => {
    const style = styleOf(symbol);
    if (!style) isAlike = false;
    return style;
  };
  const usual = renderer?.defaultSymbol ? known(renderer.defaultSymbol) : null;
  let own = null;
  if (renderer?.type === 'simple') {
    const style = known(renderer.symbol);
    own = { fields: [], style: () => style };
  } else if (renderer?.type === 'uniqueValue' && renderer.field1 && !renderer.field2) {
    const styles = new Map(
      renderer.uniqueValueInfos.map((info) => [String(info.value), known(info.symbol)]));
    own = {
      fields: [renderer.field1],
      style: (values) => styles.get(String(values[renderer.field1])) ?? usual,
    };
  } else if (renderer?.type === 'classBreaks') {
    const classes = renderer.classBreakInfos.map(
      (info) => ({ most: info.classMaxValue, style: known(info.symbol) }));
    const least = renderer.minValue ?? -Infinity;
    own = {
      fields: [renderer.field],
      style: (values) => {
        const value = values[renderer.field];
        if (typeof value !== 'number' || value < least) return usual;
        return classes.find((one) => value <= one.most)?.style ?? usual;
      },
    };
  }
  return isAlike ? own : null;
}
