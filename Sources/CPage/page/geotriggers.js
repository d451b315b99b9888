// The Geotriggers tool: live monitors, a track replay, entities inside fences, and events.

import { button, check, choice, field, fill, h, save, StatusLine } from './dom.js';
import { eventRow, stayLists } from './eventlog.js';
import { clearNames, drawFences } from './fences.js';
import { clock, count } from './format.js';
import { MonitorWatch } from './monitorwatch.js';
import { Player } from './player.js';
import { readTrack } from './track.js';
import { sendRows } from './tracksender.js';
import { Walkers } from './walkers.js';

const logLimit = 300;
const shownEvents = 100;
// A browser opens at most six connections to a server; each monitor's event stream uses one of
// them.
const [usualMonitors, mostMonitors] = [3, 4];
const speeds = [['1', '1 ×'], ['5', '5 ×'], ['10', '10 ×'], ['30', '30 ×'], ['100', '100 ×'],
  ['Infinity', 'as fast as possible']];

const trackFiles = '.csv,.tsv,.json,.geojson,.geojsonl,.ndjson,.gpx,text/csv';

export function createGeotriggers(app) {
  const { view, page } = app;
  if (!page.monitors.length) {
    return { panel: h('section', {}, h('p', { class: 'hint',
      text: 'This server has no monitor: start it with --monitor NAME=FILE.json.' })) };
  }
  const status = new StatusLine();
  const fences = L.layerGroup();
  const walkers = new Walkers(view);
  /** For each watched monitor, its layer in `fences` and the bounds of its fences. */
  const drawn = new Map();
  const log = [];
  const lists = h('div', {});
  const logList = h('ol', { class: 'list log', 'aria-live': 'off' });
  const file = h('input', { type: 'file', accept: trackFiles, on: {
    change: () => file.files[0] && load(file.files[0]),
  } });
  const play = button('Play', () => (player.isPlaying ? player.stop() : player.play()),
    { class: 'main', disabled: true });
  const rewind = button('From the start', () => { player.stop(); player.rewind(); });
  const speed = choice(speeds, '10', (value) => { player.speed = Number(value); });
  const progress = h('progress', { max: 1, value: 0, 'aria-label': 'Progress of the track' });
  const time = h('span', { class: 'hint' });
  const player = new Player({
    send, moved: (rows) => walkers.moveAll(rows), changed: showPlayer,
    failed: (error) => status.fail(error),
  });
  const watch = new MonitorWatch(app.server, {
    changed: later,
    opened: say,
    event: take,
    moved: (entity, latlng) => walkers.move(entity, latlng),
    fences: showFences,
    failed: (error) => status.fail(error),
    isReplaying: () => player.isPlaying,
  });
  const monitors = h('fieldset', {}, h('legend', { text: 'Monitors to watch' }),
    page.monitors.map((name, number) => {
      const row = check(name, number < usualMonitors, (isOn) => {
        if (!isOn) leave(name);
        else if (watch.names.length < mostMonitors) join(name);
        else {
          row.box.checked = false;
          status.fail(new Error(`At most ${mostMonitors} monitors can be watched at once.`));
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
    h('div', { class: 'row progress' }, progress, time), lists,
    h('div', { class: 'row between' }, h('h2', { text: 'Events' }), saveButton), logList);
  panel.addEventListener('dragover', (event) => event.preventDefault());
  panel.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) load(event.dataTransfer.files[0]);
  });

  // Monitors

  function join(name) {
    drawn.set(name, { layer: L.layerGroup().addTo(fences), bounds: null });
    watch.start(name);
  }

  function leave(name) {
    const own = drawn.get(name);
    if (own) fences.removeLayer(own.layer);
    drawn.delete(name);
    watch.stop(name);
    say();
  }

  let isZoomed = false;
  function showFences(name, buffered, given) {
    const own = drawn.get(name);
    own.bounds = drawFences(own.layer, buffered, given, page.monitors.indexOf(name));
    requestAnimationFrame(() => clearNames(view.map));
    if ([...drawn.values()].every((one) => one.bounds || one === own) && !isZoomed) {
      isZoomed = true;
      if (!isInView()) zoom();
    }
  }

  /** Whether fences are visible, so that the view of a link is kept. */
  function isInView() {
    const { map } = view;
    const seen = map.getBounds();
    return [...drawn.values()].some(({ bounds }) => {
      if (!bounds || !seen.intersects(bounds)) return false;
      const side = map.latLngToContainerPoint(bounds.getNorthEast())
        .distanceTo(map.latLngToContainerPoint(bounds.getSouthWest()));
      return side > 100;
    });
  }

  function zoom() {
    const bounds = [...drawn.values()].map((own) => own.bounds).filter(Boolean);
    if (!bounds.length) return;
    const all = bounds.reduce((sum, own) => sum.extend(own), L.latLngBounds(bounds[0]));
    view.map.fitBounds(all, { padding: [24, 24], animate: false });
  }

  function say() {
    const { openCount } = watch;
    status.say(openCount
      ? `Watching ${count(openCount, 'monitor')} live.` : 'No monitor is watched.');
  }

  // Events

  function take(own) {
    log.unshift(own);
    if (log.length > logLimit) log.pop();
    later();
    const { event, data } = own;
    if (event === 'entered' || event === 'exited') {
      app.announce(`${data.entity} ${event} ${data.message ?? data.fence}`);
    }
  }

  let isWaiting = false;
  /** Draws the lists at most once per frame, regardless of the number of events. */
  function later() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      fill(lists, stayLists(watch.names, watch.stays));
      saveButton.disabled = !log.length;
      fill(logList, log.slice(0, shownEvents).map(eventRow));
    });
  }

  // The track

  async function load(chosen) {
    try {
      player.load(readTrack(await chosen.text()));
      const { rows } = player.track;
      const names = new Set(rows.map((row) => row.entity));
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
    const { refusal, refused } = await sendRows(
      app.server, watch.names, player.track, rows, first);
    if (refusal) status.fail(refusal);
    return refused;
  }

  function showPlayer() {
    const { now, length, time: instant } = player.position;
    play.textContent = player.isPlaying ? 'Pause' : 'Play';
    rewind.disabled = !player.isLoaded;
    progress.value = length ? Math.min(1, now / length) : 0;
    const end = instant + (length - now) * 1000;
    time.textContent = player.isLoaded ? clock(Math.min(instant, end)) : '';
  }

  const declutter = () => clearNames(view.map);
  let isStarted = false;
  showPlayer();
  return {
    panel,
    open() {
      fences.addTo(view.map);
      walkers.layer.addTo(view.map);
      watch.follow(true);
      view.map.on('zoomend', declutter);
      declutter();
      if (isStarted) return;
      isStarted = true;
      page.monitors.slice(0, usualMonitors).forEach(join);
      later();
    },
    close() {
      watch.follow(false);
      view.map.off('zoomend', declutter);
      fences.remove();
      walkers.layer.remove();
    },
  };
}
