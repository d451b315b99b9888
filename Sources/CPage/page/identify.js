// The Identify tool: a tap identifies the elements at a point of the map; the pin may be dragged.

import { answerTree, countOf, errorsOf, geometriesOf, layersOf } from './answer.js';
import { button, check, fill, h, StatusLine } from './dom.js';
import { count, lonLat } from './format.js';
import { fromMercator, ink, toMercator } from './mapview.js';
import { seriesOf } from './series.js';
import { latest } from './server.js';

const tolerance = '12px';
const resultLimit = 100;

export function createIdentify(app) {
  const { view } = app;
  const status = new StatusLine();
  const answer = h('div', { class: 'answer' });
  const warning = h('p', { class: 'hint warning', hidden: true });
  const drawn = L.layerGroup();
  let pin = null;
  let point = null;
  let sweeps = false;
  let generation = 0;
  let running = null;
  const sweepSwitch = check('Identify while dragging', false, (isOn) => {
    sweeps = isOn;
    setSweep(isOn);
  });
  const clearButton = button('Clear', clear, { hidden: true });
  const panel = h('section', {},
    h('div', { class: 'row between' }, sweepSwitch, clearButton), status.element, warning, answer);
  status.say('Tap the map to identify. Drag the pin to identify elsewhere.');

  function question(latlng) {
    const own = {
      map: app.mapName, at: [toMercator(latlng)], crs: 'EPSG:3857', tolerance, scale: view.scale,
      'max-results': resultLimit,
    };
    const layers = app.layers?.choice();
    if (layers !== null && layers !== undefined) own.layers = layers || 'show:';
    if (app.date) own.date = app.date;
    return { latlng, own, generation, request: new AbortController() };
  }

  // Sends one request at a time, and then one for the newest point, so that dragging does not flood
  // the server.
  const ask = latest(async (asked) => {
    try {
      running = asked.request;
      const start = performance.now();
      const { value, warnings } = await app.server.post(
        'api/identify', asked.own, asked.request.signal);
      const arrived = performance.now();
      if (asked.generation !== generation) return;
      show(value.results, asked, warnings);
      panel.dataset.answers = String(Number(panel.dataset.answers ?? 0) + 1);
      panel.dataset.asked = (arrived - start).toFixed(1);
      panel.dataset.drawn = (performance.now() - arrived).toFixed(1);
    } catch (error) {
      if (asked.generation !== generation || asked.request.signal.aborted) return;
      drawn.clearLayers();
      fill(answer);
      status.fail(error);
    }
  });

  function show(results, { latlng, own }, warnings) {
    const elements = countOf(results);
    const errors = errorsOf(results);
    const parts = [elements
      ? `${count(elements, 'element')} in ${count(layersOf(results), 'layer')}` : 'Nothing'];
    parts.push(`at ${lonLat(latlng)}`);
    if (errors) parts.push(`· ${count(errors, 'layer')} failed`);
    status.say(parts.join(' '));
    warning.hidden = !warnings;
    warning.textContent = warnings ?? '';
    drawn.clearLayers();
    const mark = highlight(results);
    fill(answer, answerTree(results, mark), seriesOf(app.server, results, own));
    clearButton.hidden = false;
  }

  /** Draws all shapes of a result; the returned function highlights one shape. */
  function highlight(results) {
    const [line, cell] = [ink('hit'), ink('cell')];
    const layers = new Map();
    for (const { element, geometry } of geometriesOf(results)) {
      const isCell = element.type === 'rasterCell';
      const layer = L.geoJSON(geometry, {
        coordsToLatLng: fromMercator, interactive: false,
        style: {
          color: isCell ? cell : line, weight: isCell ? 2 : 3, fill: isCell || undefined,
          fillOpacity: isCell ? 0.1 : 0.12, opacity: 0.9, interactive: false,
        },
        pointToLayer: (_, latlng) => L.circleMarker(latlng, {
          radius: 8, color: line, weight: 3, fillOpacity: 0.15, interactive: false,
        }),
      });
      layers.set(element, layer);
      drawn.addLayer(layer);
    }
    return (element, isOn) => {
      const layer = layers.get(element);
      if (!layer) return;
      const isCell = element.type === 'rasterCell';
      layer.setStyle({
        weight: (isCell ? 2 : 3) + (isOn ? 2 : 0), fillOpacity: isOn ? 0.35 : 0.12,
      });
      if (isOn) layer.bringToFront();
    };
  }

  function tap(latlng) {
    if (!app.mapName) {
      status.say('This server has no map to identify.');
      return;
    }
    point = latlng;
    if (pin) pin.setLatLng(latlng);
    else pin = view.pin(latlng, { kind: 'asked', drag: move });
    ask(question(latlng));
  }

  function move(latlng) {
    point = latlng;
    ask(question(latlng));
  }

  function clear() {
    generation += 1;
    pin?.remove();
    pin = null;
    point = null;
    drawn.clearLayers();
    fill(answer);
    warning.hidden = true;
    clearButton.hidden = true;
    status.say('Tap the map to identify. Drag the pin to identify elsewhere.');
  }

  // If the switch is on, a pressed pointer identifies at each point to which it moves.
  let isPressed = false;
  const press = (event) => {
    isPressed = true;
    tap(event.latlng.wrap());
  };
  const sweep = (event) => {
    if (!isPressed) return;
    pin?.setLatLng(event.latlng);
    move(event.latlng.wrap());
  };
  const lift = () => { isPressed = false; };
  // Leaflet does not convert touch moves to mouse events.
  const touch = (event) => {
    if (event.touches.length !== 1) return;
    const at = view.map.mouseEventToLatLng(event.touches[0]);
    if (event.type === 'touchstart') press({ latlng: at });
    else sweep({ latlng: at });
  };

  function setSweep(isOn) {
    const { map } = view;
    map.dragging[isOn ? 'disable' : 'enable']();
    view.element.classList.toggle('sweeping', isOn);
    const change = isOn ? 'on' : 'off';
    map[change]('mousedown', press)[change]('mousemove', sweep);
    const listen = isOn ? 'addEventListener' : 'removeEventListener';
    window[listen]('mouseup', lift);
    view.element[listen]('touchstart', touch, { passive: true });
    view.element[listen]('touchmove', touch, { passive: true });
    view.element[listen]('touchend', lift);
    isPressed = false;
  }

  app.events.addEventListener('map', clear);
  app.events.addEventListener('layers', () => { if (point && pin) ask(question(point)); });
  app.events.addEventListener('date', () => {
    if (!point || !pin) return;
    // The result for another date is no longer needed.
    running?.abort();
    ask(question(point));
  });
  return {
    panel,
    tap,
    open() {
      drawn.addTo(view.map);
      pin?.addTo(view.map);
      if (sweeps) setSweep(true);
      if (!app.mapName) status.say('This server has no map to identify.');
    },
    close() {
      drawn.remove();
      pin?.remove();
      if (sweeps) setSweep(false);
    },
  };
}
