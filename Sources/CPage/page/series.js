// Plots the values of all dates of a cell; dates that do not meet a condition are drawn hollow.

import { button, field, fill, h, StatusLine } from './dom.js';
import { count, short } from './format.js';

const [width, height, bottom, top] = [340, 150, 18, 16];
const shownPlots = 8;
// The condition is kept for the next answer.
let lastCondition = '';

/** The names of the layers with dates that have a cell in the results. */
export function datedNames(results) {
  return results.flatMap((own) => [
    ...own.geoElements.some((element) => element.type === 'rasterCell' && element.attributes.Date)
      ? [own.layer.name] : [],
    ...datedNames(own.sublayerResults),
  ]);
}

/**
 * A part of the answer that plots the series of the layers with dates; null without such layers.
 *
 * @param asked is the request of the answer.
 */
export function seriesOf(server, results, asked) {
  const names = datedNames(results);
  if (!names.length) return null;
  const status = new StatusLine();
  const plots = h('div', {});
  const condition = h('input', {
    type: 'text', spellcheck: 'false', autocomplete: 'off', value: lastCondition,
  });
  const question = { map: asked.map, at: asked.at, crs: asked.crs, series: true };

  async function show() {
    const valid = condition.value.trim();
    lastCondition = condition.value;
    status.say('');
    try {
      const replies = await Promise.all([question, ...valid ? [{ ...question, valid }] : []]
        .map((own) => server.post('api/identify', own)));
      const [all, masked] = replies.map((reply) => reply.value.series);
      const shown = all.filter((own) => names.includes(own.stack)).slice(0, shownPlots);
      fill(plots, shown.map((own) => plot(own, masked?.find(
        (other) => other.stack === own.stack && other.band === own.band))));
    } catch (error) {
      fill(plots);
      status.fail(error);
    }
  }

  condition.addEventListener('keydown', (event) => { if (event.key === 'Enter') show(); });
  return h('div', { role: 'group', 'aria-label': 'Series' },
    field('Valid if', condition, 'A condition on the layers, such as (qa & 3) = 0; optional.'),
    h('div', { class: 'row' }, button('Plot all dates', show)), status.element, plots);
}

/** The dates with a value, and whether each meets the condition. */
export function pointsOf(series, masked) {
  return series.values.map((own, at) => ({
    date: own.date, time: Date.parse(own.date), value: own.value,
    isValid: !masked || masked.values[at]?.status === 'ok',
  })).filter((own) => Number.isFinite(own.value) && Number.isFinite(own.time));
}

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

function plot(series, masked) {
  const name = series.band > 1 ? `${series.stack}, band ${series.band}` : series.stack;
  const points = pointsOf(series, masked);
  if (!points.length) return h('p', { class: 'hint', text: `${name}: no date has a value` });
  const values = points.map((own) => own.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [points[0], points[points.length - 1]];
  const x = (own) => 5 + (own.time - first.time) / (last.time - first.time || 1) * (width - 10);
  const y = (own) => height - bottom - 5
    - (own.value - low) / (high - low || 1) * (height - bottom - top - 10);
  const at = (own) => `${x(own).toFixed(2)},${y(own).toFixed(2)}`;
  const valid = points.filter((own) => own.isValid);
  const line = valid.length > 1 ? [svg('path', { d: `M${valid.map(at).join('L')}` })] : [];
  const dots = points.map((own) => svg('circle', {
    class: own.isValid ? 'dot' : 'hollow', cx: x(own).toFixed(2), cy: y(own).toFixed(2), r: 3,
  }, svg('title', {}, `${own.date}: ${own.value}${own.isValid ? '' : ', not valid'}`)));
  const label = (left, base, anchor, text) => svg(
    'text', { x: left, y: base, 'text-anchor': anchor }, text);
  const hidden = points.length - valid.length;
  return h('div', {}, h('strong', { text: name }), svg('svg', {
    class: 'series', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Series of ${name}: ${count(points.length, 'date')} from ${first.date} to `
      + `${last.date}, values from ${short(low)} to ${short(high)}`
      + `${hidden ? `, ${hidden} not valid` : ''}`,
  }, ...line, ...dots,
  svg('line', { x1: 0, x2: width, y1: height - bottom + 0.5, y2: height - bottom + 0.5 }),
  label(0, height - 4, 'start', first.date), label(width, height - 4, 'end', last.date),
  label(0, 10, 'start', `${short(low)} – ${short(high)}`)));
}
