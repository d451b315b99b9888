// The Statistics tool: computes statistics and a histogram of the cells of a raster under an area.

import {
  button, check, choice, field, fill, freshID, h, save, setOptions, StatusLine,
} from './dom.js';
import { Drawing } from './drawing.js';
import { count } from './format.js';
import { ink } from './mapview.js';
import { bandsOf, histogramOf, surroundings, valuesOf } from './zonal.js';
import { cellHistogram, summary, valueTable } from './zonalresult.js';

const invitation = 'Draw an area, or use a result of Buffers or Trace.';
const howTo = 'A double tap, or a tap on the first corner, closes the area; Escape cancels. '
  + 'By keyboard, Enter adds a corner at the crosshair, a second Enter there closes the area, and '
  + 'Backspace removes a corner.';

export function createStatistics(app) {
  const { view } = app;
  const status = new StatusLine();
  const outline = L.layerGroup();
  const drawing = new Drawing(view, { changed: showDrawing, finished: takeRing });
  const drawButton = button('Draw an area', draw, { class: 'main' });
  const clearButton = button('Clear', () => clear());
  const finishButton = button('Finish', () => drawing.finish(), { class: 'main' });
  const undoButton = button('Undo', () => drawing.undo());
  const cancelButton = button('Cancel', () => drawing.cancel());
  const help = h('p', { class: 'hint', id: freshID('hint'), text: howTo });
  const raster = choice([], null, update);
  const band = choice([], null, update);
  const bandField = field('Band', band);
  const scaled = check('Apply scale and offset', true, () => update());
  const part = choice([], null, update);
  const partField = field('Area', part);
  const distance = h('input', {
    type: 'number', min: 0, step: 'any', value: '10', on: { change: () => update() },
  });
  const distanceField = field('Distance around the features, in metres', distance,
    'Lines have zero area: the area is the buffer of the features.');
  const title = h('h2', { tabindex: -1 });
  const warning = h('p', { class: 'hint warning', hidden: true });
  const numbers = h('div', {});
  const figure = h('div', { class: 'figure' });
  const keep = button('Save GeoJSON', () => save('statistics.geojson', new Blob(
    [JSON.stringify(collection)], { type: 'application/geo+json' })));
  const answer = h('div', { hidden: true }, numbers,
    h('p', {
      class: 'hint', text: 'Cells at the edge count by the fraction that the area covers.',
    }), figure, h('div', { class: 'row' }, keep));
  const subjectBox = h('div', { hidden: true }, title, partField, distanceField);
  const controls = h('div', {},
    h('div', { class: 'row' }, drawButton, finishButton, undoButton, cancelButton, clearButton),
    help, field('Raster', raster), bandField, scaled, subjectBox, warning, answer);
  const noRaster = h('p', { class: 'hint', text: 'This map has no raster.' });
  const panel = h('section', {}, status.element, noRaster, controls);
  let subject = null;
  let request = null;
  let collection = null;
  // The bands of the chosen raster.
  let described = { service: null, bands: [] };

  // Drawing

  function draw() {
    clear();
    drawing.start();
    view.element.focus();
  }

  function showDrawing() {
    const { isOn, corners } = drawing;
    const isFocused = [finishButton, undoButton, cancelButton].includes(document.activeElement);
    for (const own of [finishButton, undoButton, cancelButton, help]) own.hidden = !isOn;
    view.element.setAttribute('aria-describedby', isOn ? help.id : 'map-help');
    drawButton.hidden = isOn;
    clearButton.hidden = isOn || !subject;
    finishButton.disabled = !drawing.canFinish;
    undoButton.disabled = !corners.length;
    if (isFocused && (!isOn || document.activeElement.disabled)) {
      (isOn ? cancelButton : drawButton).focus();
    }
    if (isOn) {
      status.say(corners.length ? `${count(corners.length, 'corner')} drawn.`
        : 'Tap the map at each corner of the area.');
    } else if (!subject) status.say(invitation);
  }

  function takeRing(ring) {
    take({ parts: [{ name: 'Drawn area', geometry: { type: 'Polygon', coordinates: [ring] } }] });
  }

  // The area

  function take(own) {
    drawing.cancel();
    subject = own;
    const { parts = [] } = own;
    setOptions(part, parts.map(({ name }, index) => [String(index), name]), '0');
    partField.hidden = parts.length < 2;
    distanceField.hidden = !own.features;
    subjectBox.hidden = false;
    showDrawing();
    update();
  }

  function clear() {
    drawing.cancel();
    request?.abort();
    request = null;
    subject = null;
    subjectBox.hidden = true;
    hideAnswer();
    showDrawing();
  }

  function hideAnswer() {
    collection = null;
    answer.hidden = true;
    warning.hidden = true;
    fill(numbers);
    fill(figure);
    outline.clearLayers();
  }

  /** The distance in metres; NaN if it is invalid. */
  function metres() {
    const value = Number(distance.value);
    return Number.isFinite(value) && value > 0 ? value : NaN;
  }

  function nameOf({ parts, features, kind }) {
    if (parts) return parts[Number(part.value)].name;
    const words = count(features.length, `${kind} feature`);
    return metres() ? `Within ${metres().toLocaleString('en')} m of ${words}` : words;
  }

  /** The shape of the chosen area; features of a trace are buffered. */
  function shapeOf({ parts, features }, signal) {
    if (parts) return parts[Number(part.value)].geometry;
    distance[metres() ? 'removeAttribute' : 'setAttribute']('aria-invalid', 'true');
    if (!metres()) throw new Error('Enter a distance above 0 metres.');
    return surroundings(app.server, features, metres(), signal);
  }

  function drawOutline(feature) {
    outline.addLayer(L.geoJSON(feature, {
      interactive: false,
      style: {
        color: ink('hit'), weight: 2, fillOpacity: 0.1, interactive: false, smoothFactor: 0,
      },
    }));
  }

  // Requests

  async function describe(image, signal) {
    if (described.service === image.service) return;
    const bands = await bandsOf(app.server, image.service, signal);
    if (signal.aborted) return;
    described = { service: image.service, bands };
    setOptions(band, bands.map(({ number, name }) => [String(number), `${number}: ${name}`]), '1');
  }

  /** Computes everything again; earlier requests are aborted. */
  async function update() {
    request?.abort();
    const own = request = new AbortController();
    const { signal } = own;
    const image = app.images.find(({ service }) => service === raster.value);
    if (!image) return;
    hideAnswer();
    if (subject) {
      title.textContent = nameOf(subject);
      status.say('Computing.');
    }
    try {
      await describe(image, signal);
      if (signal.aborted) return;
      const chosen = described.bands[Number(band.value) - 1];
      bandField.hidden = described.bands.length < 2;
      scaled.hidden = !chosen.isScaled;
      if (subject) await compute(image, chosen, signal);
    } catch (error) {
      if (!signal.aborted) status.fail(error);
    }
  }

  async function compute(image, chosen, signal) {
    const geometry = await shapeOf(subject, signal);
    if (signal.aborted) return;
    const feature = { type: 'Feature', properties: { name: nameOf(subject) }, geometry };
    drawOutline(feature);
    const isScaled = chosen.isScaled && scaled.box.checked;
    const asked = { service: image.service, band: chosen, isScaled, feature, signal };
    const found = await valuesOf(app.server, asked);
    if (signal.aborted) return;
    const { values } = found;
    collection = found.collection;
    fill(numbers, valueTable(values, isScaled || !chosen.isScaled ? chosen.unit : ''));
    warning.hidden = !found.warnings;
    warning.textContent = found.warnings ?? '';
    answer.hidden = false;
    status.say(summary(values, image.title));
    if (!(values.count > 0)) return;
    try {
      const histogram = await histogramOf(app.server, asked);
      if (signal.aborted) return;
      const { scale, offset } = isScaled ? chosen : { scale: 1, offset: 0 };
      fill(figure, cellHistogram(
        image.title, histogram, values, { isWhole: chosen.isWhole, scale, offset }));
    } catch (error) {
      if (signal.aborted) return;
      fill(figure, h('p', { class: 'error', text: `The histogram is missing: ${error.message}` }));
    }
  }

  function listRasters() {
    clear();
    const { images } = app;
    setOptions(raster, images.map(({ service, title: text }) => [service, text]));
    controls.hidden = !images.length;
    noRaster.hidden = images.length > 0;
    if (images.length) update();
    else status.say('');
  }

  bandField.hidden = true;
  scaled.hidden = true;
  app.events.addEventListener('map', listRasters);
  listRasters();
  return {
    panel,
    /**
     * Shows the statistics of an area.
     *
     * @param own either `parts`, areas with a `name` and a `geometry`; or the `features` of a trace,
     * which are buffered, with a word for their `kind`.
     */
    show(own) {
      if (!app.images.length) return;
      take(own);
      title.focus();
    },
    tap(latlng, event) {
      if (drawing.isOn) drawing.tap(latlng, event);
      else if (!drawing.isEnding) app.openTool('identify').then((tool) => tool.tap(latlng));
    },
    open() {
      outline.addTo(view.map);
      drawing.layer.addTo(view.map);
    },
    close() {
      drawing.cancel();
      outline.remove();
      drawing.layer.remove();
    },
  };
}
