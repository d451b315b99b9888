// Starts the page: the server's contents, the view, the map and the tools.

import { fill, h, setOptions } from './dom.js';
import { readLink, writeLink } from './link.js';
import { Server } from './server.js';
import { askToken } from './token.js';

const tools = [
  ['identify', 'Identify', () => import('./identify.js').then((own) => own.createIdentify)],
  ['layers', 'Layers', () => import('./layertree.js').then((own) => own.createLayers)],
  ['buffers', 'Buffers', () => import('./buffers.js').then((own) => own.createBuffers)],
  ['trace', 'Trace', () => import('./trace.js').then((own) => own.createTrace)],
  ['fences', 'Geotriggers', () => import('./geotriggers.js').then((own) => own.createGeotriggers)],
  ['sample', 'Sample', () => import('./sample.js').then((own) => own.createSample)],
  ['statistics', 'Statistics', () => import('./statistics.js').then((own) => own.createStatistics)],
];

const byID = (id) => document.getElementById(id);

function stop(title, text) {
  fill(document.body, h('main', { class: 'stop' }, h('h1', { text: title }), h('p', { text })));
}

/** The state shared by tools: the view, the server, the chosen map and its layers. */
class App {
  events = new EventTarget();
  layers = null;
  mapName = null;
  mapError = null;
  #made = new Map();
  #toolID = null;

  constructor(page, server, modules) {
    this.page = page;
    this.server = server;
    this.view = new modules.MapView(byID('map'), byID('readout'));
    this.LayerSet = modules.LayerSet;
    this.fault = h('p', { class: 'fault', role: 'alert', hidden: true });
    byID('stage').append(this.fault);
    this.picture = new modules.Picture(this.view, server,
      (error, warnings) => this.showFault(error, warnings));
    this.shapes = new modules.Shapes(this);
    this.dates = new modules.DateSlider(byID('stage'), () => this.dateChanged());
    this.tabs = new modules.Tabs(byID('tabs'), byID('body'), (id) => this.openTool(id));
    for (const [id, title] of tools) this.tabs.add(id, title);
    this.view.onTap = (latlng, event) => this.tool?.tap?.(latlng, event);
    this.view.map.on('moveend', () => this.keepLink());
  }

  get tool() {
    return this.#made.get(this.#toolID);
  }

  /** The image services of the map. */
  get images() {
    return this.page.maps.find((own) => own.name === this.mapName)?.images ?? [];
  }

  /** The chosen date of the view; null for the last date of each layer. */
  get date() {
    return this.dates.date;
  }

  /** Shows why the map, or a part of it, is not drawn. */
  showFault(error, warnings = null) {
    this.fault.hidden = !error && !warnings;
    this.fault.textContent = error ? `The map cannot be drawn: ${error.message}` : warnings ?? '';
  }

  /** Announces text to screen readers. */
  announce(text) {
    byID('notice').textContent = text;
  }

  /** Opens a tool's panel; the tool's code is loaded at first use. */
  async openTool(id) {
    const before = this.tool;
    this.#toolID = id;
    this.tabs.select(id);
    this.setSheet(true);
    this.keepLink();
    if (!this.#made.has(id)) {
      const create = await tools.find((tool) => tool[0] === id)[2]();
      if (!this.#made.has(id)) {
        const tool = create(this);
        this.#made.set(id, tool);
        fill(this.tabs.panel(id), tool.panel);
      }
    }
    const tool = this.#made.get(id);
    if (this.#toolID === id && before !== tool) {
      before?.close?.();
      tool.open?.();
    }
    return tool;
  }

  /** Shows or hides the panel below the tabs; the map uses the space of a hidden panel. */
  setSheet(isOpen) {
    byID('app').classList.toggle('folded', !isOpen);
    const toggle = byID('sheet');
    toggle.setAttribute('aria-expanded', String(isOpen));
    toggle.textContent = isOpen ? 'Hide panel' : 'Show panel';
  }

  keepLink() {
    const center = this.view.map.getCenter().wrap();
    writeLink({
      map: this.mapName, tool: this.#toolID, date: this.date, ...(this.layers?.changed ?? {}),
      view: { lng: center.lng, lat: center.lat, zoom: this.view.map.getZoom() },
    });
  }

  async openMap(name, link = {}) {
    this.mapName = name;
    this.layers = null;
    this.mapError = null;
    try {
      const reply = await this.server.json(Server.service(name, 'MapServer'));
      const layers = new this.LayerSet([...reply.layers, ...reply.tables ?? []], link);
      this.layers = layers;
      this.dates.list(this.images, link.date, (id) => {
        const node = layers.node(id);
        return Boolean(node) && layers.isShown(node);
      });
      this.shapes.clear();
      this.layersChanged(() => this.#takeShapes(name));
    } catch (error) {
      this.mapError = error;
      this.dates.list([]);
      this.picture.clear();
      this.showFault(error);
    }
    this.events.dispatchEvent(new Event('map'));
  }

  /**
   * Loads the layers that are drawn as vectors, after the first picture is drawn. The next picture
   * omits these layers.
   */
  #takeShapes(name) {
    const { layers } = this;
    this.shapes.take(name, layers).then(() => {
      if (this.layers !== layers || !this.shapes.ids.size) return;
      this.picture.next(layers.choice(this.shapes.ids), () => this.shapes.draw());
    }, () => {});
  }

  layersChanged(shown = () => this.shapes.draw()) {
    this.picture.date = this.date;
    this.picture.show(this.mapName, this.layers.choice(this.shapes.ids), shown);
    this.dates.show();
    this.keepLink();
    this.events.dispatchEvent(new Event('layers'));
  }

  dateChanged() {
    this.picture.date = this.date;
    this.picture.later(0);
    this.keepLink();
    this.events.dispatchEvent(new Event('date'));
  }
}

function chooseMap(app, link) {
  const { maps, networks } = app.page;
  const list = byID('maps');
  setOptions(list, maps.map((map) => [map.name, map.title || map.name]));
  byID('map-choice').hidden = maps.length < 2;
  const known = maps.find((map) => map.name === link.map) ?? maps[0];
  if (link.view) {
    app.view.map.setView(link.view, link.view.zoom, { animate: false });
  } else {
    app.view.fit(known?.extent ?? networks[0]?.extent);
  }
  list.addEventListener('change', () => {
    app.view.fit(maps.find((map) => map.name === list.value)?.extent);
    app.openMap(list.value);
  });
  if (!known) {
    app.keepLink();
    return null;
  }
  list.value = known.name;
  return app.openMap(known.name, known.name === link.map ? link : {});
}

async function start() {
  if (typeof L === 'undefined') {
    stop('Leaflet is missing', 'Leaflet is missing: install libjs-leaflet (Debian), or start '
      + 'plumb-server with --leaflet DIR');
    return;
  }
  const server = new Server(askToken);
  const asked = server.json('api/page');
  const modules = await Promise.all(['mapview', 'picture', 'layers', 'shapes', 'tabs', 'dates']
    .map((name) => import(`./${name}.js`)));
  const app = new App(await asked, server, Object.assign({}, ...modules));
  const link = readLink();
  document.querySelector('.skip').addEventListener('click', (event) => {
    // The fragment is reserved for the view's link.
    event.preventDefault();
    byID('map').focus();
  });
  byID('sheet').addEventListener('click', () =>
    app.setSheet(byID('sheet').getAttribute('aria-expanded') !== 'true'));
  const isDrawn = chooseMap(app, link);
  await app.openTool(app.tabs.has(link.tool) ? link.tool : 'identify');
  await isDrawn;
  window.addEventListener('hashchange', () => {
    const other = readLink();
    if (app.tabs.has(other.tool)) app.openTool(other.tool);
    const named = app.page.maps.find((map) => map.name === other.map);
    if (named) {
      byID('maps').value = named.name;
      app.openMap(named.name, other);
      if (!other.view) app.view.fit(named.extent);
    }
    if (other.view) app.view.map.setView(other.view, other.view.zoom, { animate: false });
  });
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => stop('The page cannot start', error.message ?? String(error)));
