// The tool Geotriggers: monitors watched live, a track replayed, who is where, and the events.

import { button, check, choice, field, fill, h, save, StatusLine } from './dom.js';
import { eventRow, placeLists } from './eventlog.js';
import { listen } from './events.js';
import { clearNames, drawFences } from './fences.js';
import { clock, count } from './format.js';
import { Player } from './player.js';
import { readTrack } from './track.js';
import { sendRows } from './tracksender.js';

const logLimit = 300;
const shownEvents = 100;
// A browser has six connections to a server, and each monitor's events keep one.
const [usualMonitors, mostMonitors] = [3, 4];
const speeds = [['1', '1 ×'], ['5', '5 ×'], ['10', '10 ×'], ['30', '30 ×'], ['100', '100 ×'],
  ['Infinity', 'as fast as can be']];

const trackFiles = '.csv,.tsv,.json,.geojson,.geojsonl,.ndjson,.gpx,text/csv';

export function createGeotriggers(app) {
  const { view, page } = app;
  if (!page.monitors.length) {
    return { panel: h('section', {}, h('p', { class: 'hint',
      text: 'This server has no monitor: start it with --monitor NAME=FILE.json.' })) };
  }
  const status = new StatusLine();
  const fences = L.layerGroup();
  const moving = L.layerGroup();
  const watched = new Map();
  const walkers = new Map();
  const inside = new Map();
  const log = [];
  const lists = h('div', {});
  let isZoomed = false;
  const logList = h('ol', { class: 'list log', 'aria-live': 'off' });
  const file = h('input', { type: 'file', accept: trackFiles, on: {
    change: () => file.files[0] && load(file.files[0]),
  } });
  const play = button('Play', () => (player.isPlaying ? player.stop() : player.play()),
    { class: 'main', disabled: true });
  const rewind = button('From the start', () => { player.stop(); player.rewind(); });
  const speed = choice(speeds, '10', (value) => { player.speed = Number(value); });
  const progress = h('progress', { max: 1, value: 0, 'aria-label': 'How far the track is' });
  const place = h('span', { class: 'hint' });
  const player = new Player({
    send, moved: moveWalkers, changed: showPlayer, failed: (error) => status.fail(error),
  });
  const monitors = h('fieldset', {}, h('legend', { text: 'Monitors to watch' }),
    page.monitors.map((name, number) => {
      const row = check(name, number < usualMonitors, (isOn) => {
        if (!isOn) leave(name);
        else if (watched.size < mostMonitors) watch(name);
        else {
          row.box.checked = false;
          status.fail(new Error(`${mostMonitors} monitors at most are watched at once.`));
        }
      });
      return row;
    }));
  const zoomButton = button('Zoom to the fences', zoom, { class: 'plain' });
  const saveButton = button('Save events', () => save('events.jsonl', new Blob(
    [[...log].reverse().map((own) => JSON.stringify(own.data)).join('\n') + '\n'],
    { type: 'application/x-ndjson' })), { class: 'plain', disabled: true });
  const panel = h('section', {}, status.element, monitors,
    h('div', { class: 'row' }, zoomButton),
    field('Track to replay', file, 'CSV, GeoJSON or GPX with times; a file may be dropped here.'),
    h('div', { class: 'row' }, play, rewind, h('label', { class: 'chip' }, 'Speed', speed)),
    h('div', { class: 'row progress' }, progress, place), lists,
    h('div', { class: 'row between' }, h('h2', { text: 'Events' }), saveButton), logList);
  panel.addEventListener('dragover', (event) => event.preventDefault());
  panel.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) load(event.dataTransfer.files[0]);
  });

  const address = (name, rest) => `monitor/${encodeURIComponent(name)}/${rest}`;

  // Monitors

  async function watch(name) {
    const own = { name, layer: L.layerGroup().addTo(fences), end: null, bounds: null };
    watched.set(name, own);
    // Who is there already, and the events from then on.
    const last = await meet(name);
    if (watched.get(name) !== own) return;
    own.end = listen(app.server, address(name, 'events'), {
      open: () => { own.isOpen = true; say(); },
      event: (event) => take(name, event),
      failed: (error) => { own.isOpen = false; status.fail(error); },
    }, last);
    try {
      const [buffered, given] = await Promise.all([
        app.server.json(address(name, 'fences')),
        app.server.json(address(name, 'fences'), { query: { buffered: false } })]);
      if (watched.get(name) !== own) return;
      showFences(own, buffered, given);
    } catch (error) {
      status.fail(error);
    }
  }

  /** Takes over who a monitor has heard of; gives the last event before that. */
  async function meet(name, withStays = true) {
    try {
      const { entities, lastEventId } = await app.server.json(address(name, 'entities'));
      if (!watched.has(name)) return null;
      if (withStays) forget(name);
      for (const { entity, x, y, inside: stays } of entities) {
        if (!player.isPlaying) moveWalker(entity, L.latLng(y, x));
        if (!withStays) continue;
        for (const stay of stays) {
          inside.set(keyOf(name, { ...stay, entity }), { source: name, ...stay, entity });
        }
      }
      if (withStays) later();
      return lastEventId;
    } catch (error) {
      if (withStays) status.fail(error);
      return null;
    }
  }

  const keyOf = (source, own) =>
    JSON.stringify([source, own.monitor, own.fenceId, own.entity]);

  function forget(name) {
    for (const [key, stay] of inside) if (stay.source === name) inside.delete(key);
  }

  // Between events entities move, too.
  let round = null;
  function follow(isOn) {
    clearInterval(round);
    round = isOn ? setInterval(() => {
      if (document.hidden || player.isPlaying) return;
      for (const [name, own] of watched) if (own.isOpen) meet(name, false);
    }, 1000) : null;
  }

  function leave(name) {
    const own = watched.get(name);
    own?.end?.();
    own?.layer.remove();
    if (own) fences.removeLayer(own.layer);
    watched.delete(name);
    forget(name);
    showLists();
    say();
  }

  function showFences(own, buffered, given) {
    own.bounds = drawFences(own.layer, buffered, given, page.monitors.indexOf(own.name));
    requestAnimationFrame(() => clearNames(view.map));
    if ([...watched.values()].every((one) => one.bounds || one === own) && !isZoomed) {
      isZoomed = true;
      if (!isInView()) zoom();
    }
  }

  /** Whether fences are there to be seen: who comes by a link to a view keeps it. */
  function isInView() {
    const { map } = view;
    const seen = map.getBounds();
    return [...watched.values()].some(({ bounds }) => {
      if (!bounds || !seen.intersects(bounds)) return false;
      const side = map.latLngToContainerPoint(bounds.getNorthEast())
        .distanceTo(map.latLngToContainerPoint(bounds.getSouthWest()));
      return side > 100;
    });
  }

  function zoom() {
    const bounds = [...watched.values()].map((own) => own.bounds).filter(Boolean);
    if (!bounds.length) return;
    const all = bounds.reduce((sum, own) => sum.extend(own), L.latLngBounds(bounds[0]));
    view.map.fitBounds(all, { padding: [24, 24], animate: false });
  }

  // Events

  function take(source, { event, data, id }) {
    let own;
    try {
      own = JSON.parse(data);
    } catch {
      return;
    }
    log.unshift({ source, event, id, data: own });
    if (log.length > logLimit) log.pop();
    if (event === 'end') status.fail(new Error(`${source}: ${own.reason}`));
    if (event === 'gap') meet(source);
    const key = keyOf(source, own);
    if (event === 'entered') inside.set(key, { source, ...own });
    // Whoever left is taken out of the fence that was left, not of the one entered last.
    if (event === 'exited') inside.delete(key);
    if (Number.isFinite(own.x) && Number.isFinite(own.y) && own.entity !== undefined
      && !player.isPlaying) moveWalker(own.entity, L.latLng(own.y, own.x));
    later();
    if (event === 'entered' || event === 'exited') {
      app.announce(`${own.entity} ${event} ${own.message ?? own.fence}`);
    }
  }

  let isWaiting = false;
  /** Lists are drawn once a frame, however many events come. */
  function later() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      showLists();
      showLog();
    });
  }

  function showLists() {
    fill(lists, placeLists([...watched.keys()], [...inside.values()]));
  }

  function showLog() {
    saveButton.disabled = !log.length;
    fill(logList, log.slice(0, shownEvents).map(eventRow));
  }

  // The track

  async function load(chosen) {
    try {
      player.load(readTrack(await chosen.text()));
      const { rows } = player.track;
      const names = new Set(rows.map((row) => row.entity));
      walkers.forEach((walker) => walker.remove());
      walkers.clear();
      status.say(`${chosen.name}: ${count(rows.length, 'location')} of `
        + `${count(names.size, 'entity', 'entities')}`);
      play.disabled = false;
    } catch (error) {
      play.disabled = true;
      status.fail(error);
    }
  }

  async function send(rows, first) {
    const refusal = await sendRows(app.server, [...watched.keys()], player.track, rows, first);
    if (refusal) status.fail(refusal);
  }

  function moveWalkers(rows) {
    const newest = new Map(rows.map((row) => [row.entity, row]));
    for (const [entity, row] of newest) {
      if (Number.isFinite(row.lat) && Number.isFinite(row.lng)) moveWalker(entity, row);
    }
  }

  function moveWalker(entity, latlng) {
    const walker = walkers.get(entity);
    if (walker) {
      walker.setLatLng(latlng);
      return;
    }
    // A crowd is drawn as dots.
    if (walkers.size > 200) return;
    const own = view.pin(latlng, { label: String(entity).slice(0, 1), kind: 'walker' });
    own.remove();
    own.bindTooltip(h('span', { text: entity }), { direction: 'right', offset: [12, 0] });
    walkers.set(entity, own.addTo(moving));
  }

  function showPlayer() {
    const { now, length, time } = player.position;
    play.textContent = player.isPlaying ? 'Pause' : 'Play';
    rewind.disabled = !player.isLoaded;
    progress.value = length ? Math.min(1, now / length) : 0;
    const end = time + (length - now) * 1000;
    place.textContent = player.isLoaded ? clock(Math.min(time, end)) : '';
  }

  function say() {
    const open = [...watched.values()].filter((own) => own.isOpen).length;
    status.say(open ? `Watching ${count(open, 'monitor')} live.` : 'No monitor is watched.');
  }

  const declutter = () => clearNames(view.map);
  let isStarted = false;
  showPlayer();
  return {
    panel,
    open() {
      fences.addTo(view.map);
      moving.addTo(view.map);
      follow(true);
      view.map.on('zoomend', declutter);
      declutter();
      if (isStarted) return;
      isStarted = true;
      page.monitors.slice(0, usualMonitors).forEach(watch);
      showLists();
    },
    close() {
      follow(false);
      view.map.off('zoomend', declutter);
      fences.remove();
      moving.remove();
    },
  };
}
