// The Layers tool: a tree of switches with legends; layers out of scale are greyed.

import { check, fill, h } from './dom.js';
import { scaleText } from './format.js';
import { Server } from './server.js';

const legendLimit = 40;
const longestName = 120;
const roundMilliseconds = 15_000;

export function createLayers(app) {
  const list = h('div', { class: 'layers' });
  const note = h('p', { class: 'hint' });
  const panel = h('section', {}, note, list);
  let rows = [];
  let hasLegend = null;

  function swatch(entry) {
    return /^image\/png$/.test(entry.contentType ?? '') ? h('img', {
      src: `data:image/png;base64,${entry.imageData}`, alt: '', width: 20, height: 20,
    }) : null;
  }

  function legend(node) {
    if (!node.legend.length) return null;
    if (node.legend.length === 1 && !node.legend[0].label) return null;
    const entries = node.legend.slice(0, legendLimit).map((entry) => h(
      'li', {}, swatch(entry), h('span', { text: entry.label || node.name })));
    if (node.legend.length > legendLimit) {
      entries.push(h('li', { text: `and ${node.legend.length - legendLimit} more` }));
    }
    const own = h('ul', { class: 'legend' }, entries);
    const isLong = node.legend.length > 6;
    return h('details', isLong ? {} : { open: true },
      h('summary', { text: 'Legend', 'aria-label': `Legend of ${node.name}` }), own);
  }

  function branch(node) {
    const row = check(node.name.slice(0, longestName) || 'layer', node.isOn, (isOn) => {
      app.layers.switch(node.id, isOn);
      app.layersChanged();
      grey();
    });
    const scale = h('span', { class: 'scale' });
    // A layer with a single symbol shows the symbol next to its name.
    const [only] = node.legend.length === 1 && !node.legend[0].label ? node.legend : [];
    if (only) row.insertBefore(swatch(only) ?? new Text(''), row.lastChild);
    row.append(scale);
    rows.push({ node, row, scale });
    const children = app.layers.below(node);
    return h('li', {}, row,
      node.failure ? h('p', { class: 'error', text: node.failure }) : null, legend(node),
      children.length ? h('ul', { class: 'tree' }, children.map(branch)) : null);
  }

  function range(node) {
    const parts = [];
    if (node.minScale) parts.push(`from ${scaleText(node.minScale)}`);
    if (node.maxScale) parts.push(`to ${scaleText(node.maxScale)}`);
    return parts.join(' ');
  }

  function grey() {
    const scale = app.view.scale;
    for (const { node, row, scale: text } of rows) {
      const isOut = !app.layers.isInScale(node, scale);
      row.classList.toggle('out', isOut);
      row.classList.toggle('off', !app.layers.isShown(node));
      text.textContent = isOut ? `out of scale${range(node) ? `, drawn ${range(node)}` : ''}` : '';
    }
  }

  function build() {
    rows = [];
    if (!app.layers) {
      note.textContent = app.mapError?.message ?? 'This server has no map.';
      fill(list);
      return;
    }
    note.textContent = '';
    fill(list, h('ul', { class: 'tree' }, app.layers.roots.map(branch)));
    grey();
  }

  /** Requests legends once, and failures each time, because services may fail and recover. */
  async function complete() {
    const { layers, mapName } = app;
    if (!layers) return;
    const isFirst = hasLegend !== layers;
    hasLegend = layers;
    let isNew = false;
    try {
      const [page, legends] = await Promise.all([
        app.server.json('api/page'),
        isFirst ? app.server.json(Server.service(mapName, 'MapServer', '/legend')) : null]);
      if (app.layers !== layers) return;
      const own = page.maps.find((map) => map.name === mapName);
      // A restored layer may have dates.
      app.page.maps = page.maps;
      const before = layers.failureCount;
      isNew = layers.takeFailures(own?.failures ?? []);
      if (layers.failureCount < before) {
        // Restored layers may have sublayers; the other layers keep their numbers.
        app.openMap(mapName, { ...layers.changed, date: app.date });
        return;
      }
      if (legends) layers.takeLegend(legends);
    } catch (error) {
      if (app.layers === layers) note.textContent = error.message;
      return;
    }
    // Without changes the tree is not rebuilt, so that it keeps the focus.
    if (app.layers === layers && (isFirst || isNew)) build();
  }

  let timer = null;
  function follow(isOn) {
    clearInterval(timer);
    timer = isOn ? setInterval(() => {
      if (!document.hidden && app.layers?.failureCount) complete();
    }, roundMilliseconds) : null;
  }

  app.events.addEventListener('map', () => {
    build();
    if (!panel.closest('[hidden]')) complete();
  });
  app.view.map.on('zoomend', grey);
  build();
  return {
    panel,
    open() {
      build();
      complete();
      follow(true);
    },
    close: () => follow(false),
    // A tap identifies, as in the Identify tool.
    tap: (latlng) => app.openTool('identify').then((tool) => tool.tap(latlng)),
  };
}
