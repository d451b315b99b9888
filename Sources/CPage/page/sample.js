// The Sample tool: sends a file of points to the map's rasters, and shows the values.

import { table } from './answer.js';
import { button, check, choice, field, fill, h, save, setOptions, StatusLine } from './dom.js';
import { bytes, count, short } from './format.js';
import { histogram, spread } from './histogram.js';
import { ownColumns, pointType, upload } from './upload.js';
import { rampColour, ValuesLayer } from './valuesmap.js';

const accepted = '.csv,.tsv,.txt,.json,.geojson,.geojsonl,.ndjson,text/csv';

export function createSample(app) {
  const { view, page } = app;
  const status = new StatusLine();
  const file = h('input', { type: 'file', accept: accepted, on: {
    change: () => take(file.files[0]),
  } });
  const rasters = h('fieldset', {});
  const progress = h('progress', { max: 1, hidden: true, 'aria-label': 'Progress' });
  const x = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const y = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const crs = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'EPSG:4326' });
  const scaled = check('Apply scale and offset', true, () => {});
  const run = button('Sample', start, { class: 'main', disabled: true });
  const stop = button('Stop', () => request?.abort(), { hidden: true });
  const keep = button('Save the result', () => save(result.name, result.blob), { hidden: true });
  const warning = h('p', { class: 'hint warning', hidden: true });
  const column = choice([], null, () => show());
  const columnField = field('Values of', column);
  const figure = h('div', { class: 'figure', 'aria-live': 'polite' });
  const answer = h('div', { hidden: true }, columnField, figure);
  const panel = h('section', {}, status.element,
    field('Points', file, 'CSV or GeoJSON, up to a million rows; a file may be dropped here.'),
    rasters, scaled,
    h('details', { class: 'more' }, h('summary', { text: 'Columns and CRS' }),
      h('div', { class: 'pair' }, field('Column of x', x), field('Column of y', y)),
      field('CRS of the points', crs)),
    h('div', { class: 'row' }, run, stop, keep), progress, warning, answer);
  let chosen = null;
  let request = null;
  let result = null;
  let data = null;
  let layer = null;
  status.say('Choose a file of points.');

  function listRasters() {
    const { images } = app;
    fill(rasters, h('legend', { text: 'Rasters' }), images.length
      ? images.map((own) => {
        const row = check(own.title, true, () => {});
        row.box.dataset.layer = own.layer;
        return row;
      }) : h('p', { class: 'hint', text: 'This map has no raster.' }));
  }

  function take(picked) {
    if (!picked) return;
    chosen = picked;
    run.disabled = false;
    status.say(`${picked.name}, ${bytes(picked.size)}`);
  }

  for (const target of [panel, document.getElementById('stage')]) {
    target.addEventListener('dragover', (event) => {
      if (!panel.closest('[hidden]')) event.preventDefault();
    });
    target.addEventListener('drop', (event) => {
      if (panel.closest('[hidden]') || !event.dataTransfer.files[0]) return;
      event.preventDefault();
      take(event.dataTransfer.files[0]);
      start();
    });
  }

  function query() {
    const own = new URLSearchParams({ map: app.mapName, status: 'true' });
    if (scaled.box.checked) own.set('scaled', 'true');
    if (app.date) own.set('date', app.date);
    for (const [name, input] of [['x', x], ['y', y], ['crs', crs]]) {
      if (input.value.trim()) own.set(name, input.value.trim());
    }
    const boxes = [...rasters.querySelectorAll('input')];
    const ids = boxes.filter((box) => box.checked).map((box) => box.dataset.layer);
    if (!ids.length) throw new Error('choose a raster');
    own.set('layers', `show:${ids.join(',')}`);
    return own;
  }

  function showProgress(phase, share, rows) {
    progress.hidden = phase === null;
    if (share === null || share === undefined) progress.removeAttribute('value');
    else progress.value = share;
    const percent = share ? ` ${Math.round(share * 100)} %` : '';
    if (phase) status.say(`${phase}${percent}${rows ? `, ${count(rows, 'row')}` : ''}`);
  }

  async function start() {
    if (!chosen || request) return;
    answer.hidden = true;
    warning.hidden = true;
    keep.hidden = true;
    layer?.remove();
    layer = null;
    try {
      const most = page.limits?.maxBody;
      if (most && chosen.size > most) {
        throw new Error(`the file has ${bytes(chosen.size)}: this server accepts ${bytes(most)} `
          + 'at most (--max-body)');
      }
      const path = `api/sample?${query()}`;
      const type = await pointType(chosen);
      const words = { sending: 'Sending', waiting: 'Sampling', receiving: 'Receiving' };
      run.disabled = true;
      stop.hidden = false;
      let reply = null;
      while (!reply) {
        request = upload(app.server, path, chosen, type,
          (phase, share) => showProgress(words[phase], share));
        try {
          reply = await request.promise;
        } catch (error) {
          if (![401, 498, 499].includes(error.code)) throw error;
          await app.server.renewToken(error.message);
        }
      }
      const isDelimited = /csv|tab-separated/.test(reply.type);
      const stem = chosen.name.replace(/\.[^.]*$/, '');
      const ending = isDelimited ? 'csv' : /json-seq|ndjson|jsonl/.test(reply.type)
        ? 'geojsonl' : 'geojson';
      result = { blob: reply.blob, name: `${stem}-sampled.${ending}` };
      keep.hidden = false;
      warning.hidden = !reply.warnings;
      warning.textContent = reply.warnings ?? '';
      data = await read(reply.blob, isDelimited);
      present();
    } catch (error) {
      status.fail(error);
    } finally {
      request = null;
      run.disabled = false;
      stop.hidden = true;
      progress.hidden = true;
    }
  }

  async function read(blob, isDelimited) {
    const own = await ownColumns(chosen, isDelimited);
    const worker = new Worker(new URL('./sampleworker.js', import.meta.url), { type: 'module' });
    try {
      return await new Promise((resolve, reject) => {
        worker.addEventListener('message', ({ data: part }) => {
          if (part.error) reject(new Error(part.error));
          else if (part.done) resolve(part);
          else showProgress('Reading', part.share, part.rows);
        });
        worker.addEventListener('error', () => reject(new Error('the reply cannot be read')));
        worker.postMessage({
          blob, isDelimited, ...own, xName: x.value.trim(), yName: y.value.trim(),
        });
      });
    } finally {
      worker.terminate();
    }
  }

  function present() {
    // The columns of raster values precede the attributes of features.
    const known = new Set(app.images.map((own) => own.title));
    const isRaster = (name) => known.has(name) || known.has(name.replace(/_\d+$/, ''));
    const names = data.columns.map((own) => own.name)
      .sort((a, b) => Number(isRaster(b)) - Number(isRaster(a)));
    status.say(`${count(data.rows, 'row')} sampled.`);
    answer.hidden = false;
    if (!names.length) {
      columnField.hidden = true;
      fill(figure, statusTable(null), h('p', { class: 'hint', text: 'No row has a value.' }));
      return;
    }
    columnField.hidden = false;
    setOptions(column, names, names[0]);
    const reference = crs.value.trim().toUpperCase();
    const isMercator = /^(EPSG:)?3857$/.test(reference);
    const isGeographic = !reference || /^(EPSG:)?4326$|CRS84/.test(reference);
    const isInDegrees = isMercator || (data.x ?? []).every(
      (value) => !Number.isFinite(value) || Math.abs(value) <= 360);
    if (data.x && (isMercator || isGeographic) && isInDegrees) {
      layer = new ValuesLayer({ x: data.x, y: data.y, isMercator });
      const bounds = layer.bounds;
      if (bounds && !view.map.getBounds().intersects(bounds)) {
        view.map.fitBounds(bounds, { animate: false, maxZoom: 15 });
      }
    }
    show();
  }

  function show() {
    const own = data.columns.find((one) => one.name === column.value);
    const found = spread(own.values);
    if (layer) {
      layer.setValues(own.values, found.low, found.high);
      if (!panel.closest('[hidden]')) layer.addTo(view.map);
    }
    fill(figure, histogram(own.name, found),
      layer ? legend(found) : h('p', { class: 'hint',
        text: 'The map shows points in degrees or in EPSG:3857.' }),
      table([
        ['Rows with a value', found.number.toLocaleString('en')],
        ['Rows without', found.none.toLocaleString('en')], ['Lowest', short(found.low)],
        ['Mean', short(found.mean)], ['Highest', short(found.high)]]),
      statusTable(own.name));
  }

  function legend(found) {
    const canvas = h('canvas', { class: 'ramp', width: 256, height: 1, 'aria-hidden': 'true' });
    const context = canvas.getContext('2d');
    for (let at = 0; at < 256; at += 1) {
      context.fillStyle = `rgb(${rampColour(at / 255).join(' ')})`;
      context.fillRect(at, 0, 1, 1);
    }
    return h('div', { class: 'row between ramp-row' }, h('span', { text: short(found.low) }),
      canvas, h('span', { text: short(found.high) }));
  }

  function statusTable(name) {
    const own = data.statuses.find((one) => one.name === name)
      ?? (name === null ? data.statuses[0] : null);
    if (!own) return null;
    return h('div', {}, h('h3', { text: 'Status of the rows' }),
      table(own.counts.map(([word, number]) => [word, number.toLocaleString('en')])));
  }

  app.events.addEventListener('map', listRasters);
  listRasters();
  return {
    panel,
    tap: (latlng) => app.openTool('identify').then((tool) => tool.tap(latlng)),
    open: () => layer?.addTo(view.map),
    close: () => layer?.remove(),
  };
}
