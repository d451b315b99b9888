// The Buffers tool: points with radii, buffered in the plane and along the ellipsoid.

import { geodesicAreas, planarAreas } from './bufferareas.js';
import { button, check, choice, field, fill, h, save, StatusLine } from './dom.js';
import { count, lonLat } from './format.js';
import { ink } from './mapview.js';
import { PointList, units } from './pointlist.js';
import { latest } from './server.js';
import { statisticsButton } from './statisticsbutton.js';

const planes = [
  ['EPSG:3857', 'The view: web mercator'], ['EPSG:32734', 'UTM zone 34S'],
  ['EPSG:32038', 'Texas North Central, feet'],
];

export function createBuffers(app) {
  const { view } = app;
  const list = new PointList();
  const status = new StatusLine();
  const drawn = L.layerGroup();
  const area = L.layerGroup();
  const pins = L.layerGroup();
  const rows = h('ul', { class: 'list' });
  let plane = null;
  let results = { geodesic: null, planar: null };
  const shown = { geodesic: true, planar: false, union: false };
  const radius = h('input', { type: 'number', min: 0, step: 'any', value: '5' });
  const unit = choice(
    Object.entries(units).map(([id, own]) => [id, own.name]), list.unit, changeUnit);
  const planeList = h('datalist', { id: 'planes' },
    planes.map(([value, label]) => h('option', { value, label })));
  const planeName = h('input', {
    type: 'text', value: 'EPSG:3857', list: 'planes', spellcheck: 'false', autocomplete: 'off',
    on: { change: () => changePlane() },
  });
  const planeNote = h('p', { class: 'hint' });
  const planeBox = h('div', { hidden: true },
    field('CRS of the plane', planeName), planeNote, planeList);
  const undo = button('Undo', () => { list.undo(); unit.value = list.unit; changed(); });
  const clear = button('Clear', () => { list.clear(); changed(); });
  const keep = button('Save GeoJSON', saveResults);
  const statistics = statisticsButton(app, areas);
  let newest = null;
  const method = (name, text) => {
    const row = check(text, shown[name], (isOn) => {
      shown[name] = isOn;
      if (name === 'planar') showPlane();
      changed();
    });
    if (name !== 'union') row.insertBefore(h('span', { class: `swatch ${name}` }), row.lastChild);
    return row;
  };
  const panel = h('section', {}, status.element,
    h('div', { class: 'pair' }, field('Radius of the next point', radius), field('Unit', unit)),
    h('fieldset', {}, h('legend', { text: 'Buffers' }),
      method('geodesic', 'Geodesic, along the ellipsoid'), method('planar', 'Planar'),
      method('union', 'Union: a single area')),
    planeBox, h('div', { class: 'row' }, undo, clear, keep, statistics), rows);
  status.say('Tap on the map to add buffers.');

  function changeUnit(id) {
    const share = list.convert(id);
    radius.value = String(Number((Number(radius.value) * share).toPrecision(6)));
    changed();
  }

  async function showPlane() {
    planeBox.hidden = !shown.planar;
    if (shown.planar && !plane) await changePlane();
    drawArea();
  }

  /** Requests the area of use of the CRS, in which planar distances are valid. */
  async function changePlane() {
    plane = null;
    planeNote.className = 'hint';
    planeNote.textContent = '';
    try {
      plane = await app.server.json('api/reference', { query: { crs: planeName.value.trim() } });
      planeNote.textContent = `${plane.name}, in ${plane.unit}`;
      if (plane.isGeographic) {
        plane = null;
        throw new Error('planar distances need a projected CRS');
      }
    } catch (error) {
      planeNote.className = 'hint error';
      planeNote.textContent = error.message;
    }
    drawArea();
    changed();
  }

  function drawArea() {
    area.clearLayers();
    const box = shown.planar && plane?.areaOfUse;
    if (!box) return;
    const [west, south, east, north] = box;
    const style = {
      color: ink('bad'), weight: 2, dashArray: '6 5', fill: false, interactive: false,
    };
    area.addLayer(L.rectangle([[south, west], [north, west > east ? east + 360 : east]], style));
  }

  function isInArea(latlng) {
    const box = shown.planar && plane?.areaOfUse;
    if (!box) return true;
    const [west, south, east, north] = box;
    const isAcross = west > east;
    const isBetween = isAcross ? latlng.lng >= west || latlng.lng <= east
      : latlng.lng >= west && latlng.lng <= east;
    return isBetween && latlng.lat >= south && latlng.lat <= north;
  }

  function refuse(message) {
    status.fail(new Error(message));
  }

  function tap(latlng) {
    const value = radius.value.trim() === '' ? NaN : Number(radius.value);
    if (!list.accepts(value)) {
      radius.setAttribute('aria-invalid', 'true');
      refuse(list.refusal);
      return;
    }
    radius.removeAttribute('aria-invalid');
    if (!isInArea(latlng)) {
      refuse('Tap within the boundary to add buffer.');
      return;
    }
    list.add(latlng, value);
    changed();
  }

  function row(point, index) {
    const input = h('input', {
      type: 'number', min: 0, step: 'any', value: String(point.radius),
      'aria-label': `Radius of point ${index + 1} in ${units[list.unit].name}`,
      on: {
        change: () => {
          const value = input.value.trim() === '' ? NaN : Number(input.value);
          if (list.accepts(value)) {
            list.change(index, { radius: value });
            changed();
          } else {
            input.setAttribute('aria-invalid', 'true');
            refuse(list.refusal);
          }
        },
      },
    });
    return h('li', {}, h('span', { class: 'dot', text: String(index + 1) }),
      h('span', { class: 'grow', text: lonLat(point) }), input, h('span', { text: list.unit }),
      button('×', () => { list.remove(index); changed(); }, {
        class: 'cross', 'aria-label': `Remove point ${index + 1}`,
      }));
  }

  function changed() {
    const { points } = list;
    fill(rows, points.map(row));
    pins.clearLayers();
    points.forEach((point, index) => {
      pins.addLayer(view.pin(point, {
        label: String(index + 1), kind: 'buffer',
        end: (latlng) => {
          if (isInArea(latlng)) list.change(index, { lat: latlng.lat, lng: latlng.lng });
          changed();
          if (!isInArea(latlng)) refuse('Tap within the boundary to add buffer.');
        },
      }));
    });
    undo.disabled = !list.canUndo;
    clear.disabled = !points.length;
    keep.disabled = !points.length;
    statistics.disabled = true;
    newest = { points, unit: list.unit, ...shown, plane };
    ask(newest);
  }

  const ask = latest(async (asked) => {
    if (!asked.points.length) {
      results = { geodesic: null, planar: null };
      draw();
      status.say('Tap on the map to add buffers.');
      return;
    }
    try {
      const [geodesic, planar] = await Promise.all([
        asked.geodesic ? geodesicAreas(app.server, asked) : null,
        asked.planar && asked.plane ? planarAreas(app.server, asked) : null,
      ]);
      results = { geodesic, planar };
      draw();
      const number = areas().parts.length;
      statistics.disabled = !number || asked !== newest;
      status.say(number === 1 ? 'Buffer created.' : number ? `${count(number, 'buffer')} created.`
        : 'Choose geodesic or planar buffers.');
    } catch (error) {
      status.fail(error);
    }
  });

  function draw() {
    drawn.clearLayers();
    for (const [name, dash] of [['geodesic', null], ['planar', '7 5']]) {
      if (!results[name]) continue;
      const color = ink(name);
      drawn.addLayer(L.geoJSON(results[name], {
        interactive: false,
        style: {
          color, weight: 2, dashArray: dash, fillOpacity: 0.14, fillRule: 'evenodd',
          interactive: false, smoothFactor: 0,
        },
      }));
    }
  }

  /** The areas for statistics, each with a name. */
  function areas() {
    const parts = [['geodesic', 'Geodesic'], ['planar', 'Planar']].flatMap(([name, word]) => {
      const features = results[name]?.features ?? [];
      return features.map(({ geometry }, index) => (
        { name: `${word} buffer${features.length > 1 ? ` ${index + 1}` : ''}`, geometry }));
    });
    return { parts };
  }

  function saveResults() {
    const named = (collection, name) => (collection?.features ?? []).map((own) => (
      { ...own, properties: { ...own.properties, method: name } }));
    const features = [
      ...named(results.geodesic, 'geodesic'), ...named(results.planar, 'planar')];
    const text = JSON.stringify({ type: 'FeatureCollection', features });
    save('buffers.geojson', new Blob([text], { type: 'application/geo+json' }));
  }

  changed();
  return {
    panel,
    tap,
    open() {
      for (const group of [area, drawn, pins]) group.addTo(view.map);
    },
    close() {
      for (const group of [area, drawn, pins]) group.remove();
    },
  };
}
