// Counts values into bins, draws the bins as bars, and describes the distribution in words.

import { count, short } from './format.js';
import { h } from './dom.js';

const binCount = 36;
const [width, height] = [340, 150];

/** Counts values in bins. If there are few different integers, each has a separate bin. */
export function spread(values) {
  let [low, high, sum, number] = [Infinity, -Infinity, 0, 0];
  let isWhole = true;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
    number += 1;
    if (isWhole && !Number.isInteger(value)) isWhole = false;
  }
  const none = values.length - number;
  if (!number) return { number, none, low: NaN, high: NaN, mean: NaN, bins: [] };
  const isSplit = isWhole && high - low < binCount;
  const bins = isSplit ? high - low + 1 : high > low ? binCount : 1;
  const side = isSplit ? 1 : (high - low) / bins || 1;
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    if (Number.isFinite(value)) {
      counts[Math.min(bins - 1, Math.floor((value - low) / side))] += 1;
    }
  }
  return {
    number, none, low, high, mean: sum / number,
    bins: counts.map((own, at) => ({
      from: low + at * side, to: isSplit ? low + at : low + (at + 1) * side, count: own,
    })),
  };
}

/** A description of a histogram for screen readers; `unit` names one of the counted items. */
export function wordsOf(name, own, unit) {
  if (!own.number) return `${name}: no ${unit} has a value`;
  const top = own.bins.reduce((best, bin) => (bin.count > best.count ? bin : best));
  const range = top.from === top.to ? short(top.from) : `${short(top.from)} to ${short(top.to)}`;
  const items = count(own.number, unit === 'row' ? 'value' : unit);
  return `Histogram of ${name}: ${items} from ${short(own.low)} to ${short(own.high)}, `
    + `most of them ${range} (${count(top.count, unit)})`;
}

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

/** The bars, with the minimum and maximum below; cells may be counted by fractions. */
export function histogram(name, own, unit = 'row') {
  const most = Math.max(0, ...own.bins.map((bin) => bin.count)) || 1;
  const side = width / Math.max(1, own.bins.length);
  const bars = own.bins.map((bin, at) => {
    const tall = bin.count ? Math.max(1, bin.count / most * (height - 32)) : 0;
    const range = bin.from === bin.to ? short(bin.from) : `${short(bin.from)} – ${short(bin.to)}`;
    return svg('rect', {
      class: 'bar', x: (at * side + 0.5).toFixed(2), y: (height - 18 - tall).toFixed(2),
      width: Math.max(1, side - 1).toFixed(2), height: tall.toFixed(2),
    }, svg('title', {}, `${range}: ${bin.count.toLocaleString('en')}`));
  });
  const label = (x, y, anchor, text) => svg('text', { x, y, 'text-anchor': anchor }, text);
  const picture = svg('svg', {
    class: 'histogram', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': wordsOf(name, own, unit),
  }, ...bars, svg('line', { x1: 0, x2: width, y1: height - 17.5, y2: height - 17.5 }),
  label(0, height - 4, 'start', own.number ? short(own.low) : ''),
  label(width, height - 4, 'end', own.number ? short(own.high) : ''),
  label(width, 10, 'end', own.number ? count(most, unit) : ''));
  return h('div', {}, picture);
}
