// The Trace tool: adds starts and barriers by tapping, runs a trace, and shows its result.

import { button, check, choice, field, fill, h, save, setOptions, StatusLine } from './dom.js';
import { distance } from './format.js';
import { ink } from './mapview.js';
import { Network } from './network.js';
import { statisticsButton } from './statisticsbutton.js';
import { askTerminal } from './terminal.js';
import { TraceResult } from './traceresult.js';

const reach = 12;
const roles = {
  start: { text: 'Start', member: 'start', mark: 'S' },
  filter: { text: 'Filter barrier', member: 'filter-barrier', mark: 'F' },
  barrier: { text: 'Barrier', member: 'barrier', mark: 'B' },
  inoperable: { text: 'Inoperable', member: 'inoperable', mark: 'X' },
};
const typeNames = {
  isolation: 'Isolation', connected: 'Connected', subnetwork: 'Subnetwork',
  subnetworkControllers: 'Subnetwork controllers', upstream: 'Upstream',
  downstream: 'Downstream', loops: 'Loops', shortestPath: 'Shortest path',
};

export function createTrace(app) {
  const { view } = app;
  const { networks } = app.page;
  if (!networks.length) {
    return { panel: h('section', {}, h('p', { class: 'hint',
      text: 'This server has no network: start it with --network FILE.' })) };
  }
  const status = new StatusLine();
  const pins = L.layerGroup();
  // The network as drawn on the map.
  const ground = L.layerGroup();
  const result = new TraceResult(view, {
    inoperable: (reference) => addInoperable(reference),
    isInoperable: (reference) => picked.some(
      (own) => own.role === 'inoperable' && own.text === reference),
  });
  const pickList = h('ul', { class: 'list' });
  let network = null;
  let loading = null;
  let picked = [];
  let role = 'start';
  let generation = 0;
  let collection = null;
  const networkChoice = choice(networks.map((own) => own.name), networks[0].name, openNetwork);
  const type = choice([], null, showOptions);
  const category = choice([]);
  const cost = choice([]);
  const isolated = check('Include isolated features', true, () => { if (collection) run(); });
  const costField = field('Cost', cost);
  const categoryField = field('Filter category', category);
  const runButton = button('Trace', () => run(), { class: 'main' });
  const clearButton = button('Clear', clear);
  const saveButton = button('Save GeoJSON', () => save(
    'trace.geojson', new Blob([JSON.stringify(collection)], { type: 'application/geo+json' })));
  const statistics = statisticsButton(app, () => (
    { features: found(), kind: type.value === 'isolation' ? 'isolated' : 'traced' }));
  const modes = h('div', { class: 'row', role: 'group', 'aria-label': 'What a tap adds' },
    Object.entries(roles).map(([id, own]) => button(own.text, () => setRole(id), {
      class: 'plain', 'aria-pressed': String(id === role), 'data-role': id,
    })));
  const panel = h('section', {}, status.element,
    networks.length > 1 ? field('Network', networkChoice) : null,
    h('div', { class: 'row' }, button('Zoom to the network', zoom, { class: 'plain' })),
    field('Kind of trace', type), categoryField, costField, isolated,
    h('h3', { text: 'A tap adds' }), modes, pickList,
    h('div', { class: 'row' }, runButton, clearButton, saveButton, statistics), result.element);

  function zoom() {
    if (network.info.extent) view.fit(network.info.extent, { maxZoom: 17 });
  }

  function openNetwork(name) {
    clear();
    network = new Network(app.server, networks.find((own) => own.name === name));
    const { types, categories = [], attributes = [] } = network.info;
    const known = Object.keys(typeNames).filter((own) => !types?.length || types.includes(own));
    setOptions(type, known.map((own) => [own, typeNames[own]]));
    setOptions(category, [['', 'none: filter barriers only'], ...categories],
      categories.includes('Isolating') ? 'Isolating' : '');
    setOptions(cost, attributes, attributes.find((own) => /length/i.test(own)));
    showOptions();
    const own = network;
    loading = own.load().catch((error) => {
      if (own === network) status.fail(error);
      throw error;
    });
    if (!own.info.extent) {
      ground.clearLayers();
      status.fail(new Error('The network has no spatial reference, so the map cannot show it: '
        + 'start the server with --network FILE,crs=REFERENCE.'));
      return;
    }
    loading.then(() => own.shapes()).then((shapes) => {
      if (own === network) drawGround(shapes);
    }).catch(() => {});
  }

  function drawGround(shapes) {
    ground.clearLayers();
    const colour = ink('quiet');
    L.geoJSON(shapes, {
      interactive: false, style: { color: colour, weight: 1.5, opacity: 0.7 },
      pointToLayer: (_, at) => L.circleMarker(at, {
        radius: 2, color: colour, weight: 1, fillOpacity: 0.7, interactive: false,
      }),
    }).addTo(ground);
  }

  function showOptions() {
    const isIsolation = type.value === 'isolation';
    categoryField.hidden = !isIsolation;
    isolated.hidden = !isIsolation;
    costField.hidden = type.value !== 'shortestPath';
    for (const mode of modes.children) {
      const own = mode.dataset.role;
      mode.hidden = !isIsolation && (own === 'filter' || own === 'inoperable');
      if (mode.hidden && role === own) setRole('start');
    }
    if (collection) run();
  }

  function setRole(id) {
    role = id;
    for (const mode of modes.children) {
      mode.setAttribute('aria-pressed', String(mode.dataset.role === id));
    }
  }

  async function tap(latlng) {
    const [wanted, own] = [role, network];
    try {
      await loading;
      // The server searches at most 10,000 metres.
      const metres = Math.min(view.metres(reach, latlng), 10_000);
      const element = await own.locate(latlng, metres);
      if (own !== network) return;
      if (!element) {
        status.fail(new Error(`No element of the network is within ${distance(metres)}: `
          + 'zoom in, or tap nearer to one.'));
        return;
      }
      await add(element, wanted);
    } catch (error) {
      status.fail(error);
    }
  }

  async function add(element, wanted) {
    let { reference: text } = element;
    let detail = '';
    if (wanted === 'inoperable') {
      addInoperable(element.reference);
      return;
    }
    if (element.isEdge) {
      text = element.start;
      detail = `${(element.fraction * 100).toFixed(0)} % along`;
    } else if (element.terminals.length > 1) {
      const terminal = await askTerminal(element);
      if (!terminal) return;
      text = `${element.reference}:${terminal.name}`;
      detail = terminal.name;
    }
    picked.push({ ...element, role: wanted, text, detail });
    listPicked();
    status.say(`${roles[wanted].text}: ${element.id}${detail ? `, ${detail}` : ''}`);
    if (collection) run();
  }

  function addInoperable(reference) {
    const at = picked.findIndex((own) => own.role === 'inoperable' && own.text === reference);
    if (at >= 0) picked.splice(at, 1);
    else {
      picked.push({ role: 'inoperable', text: reference, id: reference.split(':').pop(),
        kind: 'cannot be operated', detail: '' });
    }
    listPicked();
    if (collection || picked.some((own) => own.role === 'start')) run();
  }

  function listPicked() {
    pins.clearLayers();
    fill(pickList, picked.map((own, index) => {
      const { mark, text } = roles[own.role];
      if (own.lat !== undefined) pins.addLayer(view.pin(own, { label: mark, kind: own.role }));
      return h('li', {}, h('span', { class: `dot ${own.role}`, text: mark, 'aria-hidden': 'true' }),
        h('span', { class: 'grow' }, `${text} ${own.id}`,
          h('span', { class: 'why', text: [own.kind, own.detail].filter(Boolean).join(' · ') })),
        button('×', () => {
          picked.splice(index, 1);
          listPicked();
          if (collection) run();
        }, { class: 'cross', 'aria-label': `Remove ${text.toLowerCase()} ${own.id}` }));
    }));
    runButton.disabled = !picked.some((own) => own.role === 'start');
    clearButton.disabled = !picked.length && !collection;
    saveButton.disabled = !collection;
    statistics.disabled = !found().length;
  }

  /** The features that a trace isolates or finds. */
  function found() {
    const own = type.value === 'isolation' ? 'isolated' : 'element';
    return (collection?.features ?? []).filter(
      ({ geometry, properties }) => geometry && properties.role === own);
  }

  function request() {
    const isIsolation = type.value === 'isolation';
    const own = { network: network.name, type: type.value };
    for (const [id, { member }] of Object.entries(roles)) {
      const texts = picked.filter((one) => one.role === id).map((one) => one.text);
      if (texts.length && (isIsolation || id === 'start' || id === 'barrier')) own[member] = texts;
    }
    if (isIsolation && category.value) own['filter-category'] = category.value;
    if (isIsolation && isolated.box.checked) own['include-isolated'] = true;
    if (type.value === 'shortestPath' && cost.value) own.cost = cost.value;
    return own;
  }

  async function run() {
    generation += 1;
    const own = generation;
    if (!picked.some((one) => one.role === 'start')) {
      result.clear();
      collection = null;
      listPicked();
      status.say('Tap an element of the network to start from.');
      return;
    }
    runButton.setAttribute('aria-busy', 'true');
    statistics.disabled = true;
    try {
      const asked = request();
      const { value } = await app.server.post('api/trace', { ...asked, shapes: true });
      if (own !== generation) return;
      collection = value.geoJSON;
      status.say(result.show(value, collection, asked));
    } catch (error) {
      if (own !== generation) return;
      collection = null;
      result.clear();
      status.fail(error);
    } finally {
      if (own === generation) {
        runButton.removeAttribute('aria-busy');
        listPicked();
      }
    }
  }

  function clear() {
    generation += 1;
    picked = [];
    collection = null;
    result.clear();
    listPicked();
    status.say('Tap an element of the network to start from.');
  }

  category.addEventListener('change', () => { if (collection) run(); });
  cost.addEventListener('change', () => { if (collection) run(); });
  openNetwork(networks[0].name);
  return {
    panel,
    tap,
    open() {
      ground.addTo(view.map);
      result.layer.addTo(view.map);
      pins.addTo(view.map);
    },
    close() {
      ground.remove();
      result.layer.remove();
      pins.remove();
    },
  };
}
