// Plots the values of all dates of a cell; dates that do not meet a condition are drawn hollow.

import { timeOf } from './dates.js';
import { button, field, fill, h, StatusLine } from './dom.js';
import { count, short } from './format.js';

const [width, height, bottom, top] = [340, 150, 18, 16];
const shownPlots = 8;
const manyPoints = 150;
// The condition is kept for the next result.
let lastCondition = '';
// The last plotted point and its series.
let plotted = null;

/** The layers with dates that have a cell in the results, with the dates of their cells. */
export function datedLayers(results) {
  return results.flatMap((own) => {
    const cell = own.geoElements.find(
      (element) => element.type === 'rasterCell' && element.attributes.Date);
    return [
      ...cell ? [{ name: own.layer.name, date: cell.attributes.Date }] : [],
      ...datedLayers(own.sublayerResults),
    ];
  });
}

/**
 * A part of the result that plots the series of the layers with dates; null if there are no such
 * layers. The plots of a point are redrawn if only the date of the view changes.
 *
 * @param asked is the request of the result. / */
export function seriesOf(server, results, asked) {
  const layers = datedLayers(results);
  if (!layers.length) return null;
  const status = new StatusLine();
  const plots = h('div', {});
  const condition = h('input', {
    type: 'text', spellcheck: 'false', autocomplete: 'off', value: lastCondition,
  });
  const question = { map: asked.map, at: asked.at, crs: asked.crs, series: true };
  const key = JSON.stringify(question);

  function ask() {
    const valid = condition.value.trim();
    lastCondition = condition.value;
    const replies = Promise.all([question, ...valid ? [{ ...question, valid }] : []]
      .map((own) => server.post('api/identify', own)));
    plotted = { key, replies };
    show(replies);
  }

  async function show(replies) {
    status.say('');
    try {
      const [all, masked] = (await replies).map((reply) => reply.value.series);
      const shown = all.filter((own) => layers.some(({ name }) => name === own.stack));
      fill(plots, shown.slice(0, shownPlots).map((own) => plot(
        own, masked?.find((other) => other.stack === own.stack && other.band === own.band),
        layers.find(({ name }) => name === own.stack).date)));
    } catch (error) {
      fill(plots);
      status.fail(error);
    }
  }

  condition.addEventListener('keydown', (event) => { if (event.key === 'Enter') ask(); });
  if (plotted?.key === key) show(plotted.replies);
  return h('div', { role: 'group', 'aria-label': 'Series' },
    field('Valid if', condition, 'A condition on the layers, such as (qa & 3) = 0; optional.'),
    h('div', { class: 'row' }, button('Plot all dates', ask)), status.element, plots);
}

/** The dates with a value, and whether each meets the condition. */
export function pointsOf(series, masked) {
  return series.values.map((own, at) => ({
    date: own.date, time: timeOf(own.date), value: own.value,
    isValid: !masked || masked.values[at]?.status === 'ok',
  })).filter((own) => Number.isFinite(own.value) && Number.isFinite(own.time));
}

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

/** @param date the date of the cell in the result, which is marked. */
function plot(series, masked, date) {
  const name = series.band > 1 ? `${series.stack}, band ${series.band}` : series.stack;
  const points = pointsOf(series, masked);
  if (!points.length) return h('p', { class: 'hint', text: `${name}: no date has a value` });
  const values = points.map((own) => own.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // The axis contains all dates, including dates without a value, because the view may show them.
  const [first, last] = [series.values[0], series.values[series.values.length - 1]];
  const [start, end] = [timeOf(first.date), timeOf(last.date)];
  const x = (time) => (5 + (time - start) / (end - start || 1) * (width - 10)).toFixed(2);
  const y = (value) => (height - bottom - 5
    - (value - low) / (high - low || 1) * (height - bottom - top - 10)).toFixed(2);
  const valid = points.filter((own) => own.isValid);
  const path = valid.map((own) => `${x(own.time)},${y(own.value)}`).join('L');
  const line = valid.length > 1 ? [svg('path', { d: `M${path}` })] : [];
  const now = timeOf(date);
  const side = points.length > manyPoints ? 1.5 : 3;
  const dot = (own) => svg('circle', {
    class: own.isValid ? 'dot' : 'hollow', cx: x(own.time), cy: y(own.value),
    r: own.time === now ? 5 : side,
  }, svg('title', {}, `${own.date}: ${own.value}${own.isValid ? '' : ', not valid'}`));
  // The date of the map is above the other dates.
  const dots = [
    ...points.filter((own) => own.time !== now).map(dot),
    svg('line', { class: 'now', x1: x(now), x2: x(now), y1: top, y2: height - bottom },
      svg('title', {}, `The map shows ${date}.`)),
    ...points.filter((own) => own.time === now).map(dot),
  ];
  const label = (left, base, anchor, text) => svg(
    'text', { x: left, y: base, 'text-anchor': anchor }, text);
  const hidden = points.length - valid.length;
  return h('div', {}, h('strong', { text: name }), svg('svg', {
    class: 'series', viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Series of ${name}: ${count(points.length, 'date')} from ${points[0].date} to `
      + `${points[points.length - 1].date}, values from ${short(low)} to ${short(high)}, `
      + `the map shows ${date}${hidden ? `, ${hidden} not valid` : ''}`,
  }, ...line, ...dots,
  svg('line', { x1: 0, x2: width, y1: height - bottom + 0.5, y2: height - bottom + 0.5 }),
  label(0, height - 4, 'start', first.date), label(width, height - 4, 'end', last.date),
  label(0, 10, 'start', `${short(low)} – ${short(high)}`)));
}
