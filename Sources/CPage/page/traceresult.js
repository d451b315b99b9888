// Shows the result of a trace on the map by role, in lists with reasons, and as counts by asset
// type.

import { button, fill, h } from './dom.js';
import { count } from './format.js';
import { ink } from './mapview.js';

const colours = {
  element: 'isolated', isolated: 'isolated', isolating: 'isolating', boundingOnly: 'bounding',
  heldBy: 'held', controllerNotIsolated: 'start', possible: 'bounding', alreadyWithoutSupply: 'held',
};
const longestList = 200;

const referenceOf = (element) => `${element.sourceName}:${element.globalId}`;
const nameOf = (element) => element.globalId
  + (element.terminalName ? `, ${element.terminalName}` : '');
const kindOf = (element) => [element.assetGroupName, element.assetTypeName]
  .filter(Boolean).join(', ');

export class TraceResult {
  layer = L.layerGroup();
  element = h('div', { class: 'trace-result' });

  /**
   * @param valves an object with `inoperable(reference)`, which marks a valve as inoperable, and
   * `isInoperable(reference)`, which returns whether the valve is marked.
   */
  constructor(view, valves) {
    this.view = view;
    this.valves = valves;
  }

  clear() {
    this.layer.clearLayers();
    fill(this.element);
  }

  /** Shows a result; returns its summary. */
  show(answer, collection, asked) {
    this.clear();
    const { traceResults: found, isolation } = answer;
    this.#draw(collection, !isolation || Boolean(asked['include-isolated']));
    const parts = (found.warnings ?? []).map((text) => h('p', { class: 'hint warning', text }));
    let summary;
    if (isolation) {
      summary = this.#isolation(answer, parts, asked);
    } else {
      summary = `${count(found.elements.length, 'element')} found`;
      if (found.pathCost !== undefined) summary += `, cost ${found.pathCost}`;
      if (!answer.success) summary = `The trace did not succeed: ${summary}`;
      parts.push(this.#counts('By asset type', found.elements));
    }
    if (found.possible.length) {
      parts.push(h('h2', { text: 'Possible, not certain' }),
        this.#list(found.possible.map((element) => ({ element })), {}));
    }
    for (const own of found.globalFunctionResults ?? []) {
      parts.push(h('p', { text: `${own.functionType} of ${own.networkAttributeName}: `
        + `${own.result ?? 'no value'}` }));
    }
    fill(this.element, parts);
    return summary;
  }

  #isolation(answer, parts, asked) {
    const { isolation } = answer;
    if (isolation.controllersNotIsolated.length) {
      parts.push(h('h2', { text: 'Controllers that cannot be isolated' }),
        this.#list(isolation.controllersNotIsolated.map((element) => ({ element })), {}));
    }
    if (isolation.isolating.length) {
      parts.push(h('h2', { text: 'To close' }),
        this.#list(isolation.isolating, { isValve: true, kind: 'isolating' }));
    }
    if (isolation.boundingOnly.length) {
      parts.push(h('h2', { text: 'Bounds the area, unchanged' }),
        this.#list(isolation.boundingOnly, { isValve: true, kind: 'bounding' }));
    }
    if (isolation.heldBy.length) {
      parts.push(h('h2', { text: 'Held by' }),
        this.#list(isolation.heldBy.map((own) => ({ element: own, why: own.why })), {}));
    }
    if (isolation.alreadyWithoutSupply.length) {
      parts.push(h('h2', { text: 'Already without supply' }),
        this.#list(isolation.alreadyWithoutSupply.map((element) => ({ element })), {}));
    }
    const plan = isolation.partialPlan;
    if (plan) {
      parts.push(h('h2', { text: 'To shut down' }),
        this.#list(plan.shut.map((element) => ({ element })), {}),
        h('h3', { text: 'and to close' }), this.#list(plan.isolating, { isValve: true }));
    }
    if (asked['include-isolated'] && isolation.isolated.length) {
      parts.push(this.#counts('Isolated', isolation.isolated));
    } else if (isolation.lost.length) {
      parts.push(h('h2', { text: 'Lost' }), this.#table(isolation.lost.map(
        (own) => [[own.assetGroupName, own.assetTypeName].join(', '), own.count])));
    }
    if (!answer.success) return 'The trace did not succeed: a controller cannot be cut off.';
    const valves = count(isolation.isolating.length, 'barrier');
    return `Close ${valves}; ${count(isolation.isolated.length, 'element')} isolated.`;
  }

  #list(entries, { isValve = false, kind = '' }) {
    const items = entries.slice(0, longestList).map(({ element, why }) => {
      const reference = referenceOf(element);
      return h('li', {},
        kind ? h('span', { class: `dot ${kind}`, 'aria-hidden': 'true' }) : null,
        h('span', { class: 'grow' }, h('strong', { text: nameOf(element) }),
          ` ${kindOf(element)}`),
        isValve ? button('Inoperable', () => this.valves.inoperable(reference), {
          class: 'plain', 'aria-label': `Mark ${element.globalId} as inoperable and trace again`,
          'aria-pressed': String(this.valves.isInoperable(reference)),
        }) : null,
        why ? h('span', { class: 'why', text: why }) : null);
    });
    if (entries.length > longestList) {
      items.push(h('li', { text: `and ${entries.length - longestList} more` }));
    }
    return h('ul', { class: 'list' }, items);
  }

  #counts(title, elements) {
    const kinds = new Map();
    for (const own of elements) {
      const kind = kindOf(own) || own.sourceName;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    const rows = [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return h('div', {}, h('h2', { text: `${title}: ${count(elements.length, 'element')}` }),
      this.#table(rows));
  }

  #table(rows) {
    return h('table', {}, h('thead', {}, h('tr', {}, h('th', { text: 'Asset type', scope: 'col' }),
      h('th', { text: 'Count', class: 'number', scope: 'col' }))),
    h('tbody', {}, rows.map(([kind, number]) => h('tr', {}, h('td', { text: kind }),
      h('td', { class: 'number', text: number.toLocaleString('en') })))));
  }

  #draw(collection, showsIsolated) {
    const features = collection.features.filter((own) => own.geometry
      && (showsIsolated || own.properties.role !== 'isolated'));
    // Valves are drawn above the elements that they isolate.
    const rank = { alreadyWithoutSupply: 0, possible: 0, isolated: 0, element: 0, boundingOnly: 1, heldBy: 2, isolating: 3 };
    features.sort((a, b) => (rank[a.properties.role] ?? 2) - (rank[b.properties.role] ?? 2));
    const style = ({ properties: { role } }) => {
      const color = ink(colours[role] ?? 'isolated');
      return { color, weight: 5, opacity: 0.75, interactive: false };
    };
    const pointToLayer = (feature, latlng) => {
      const { role } = feature.properties;
      const isValve = ['isolating', 'boundingOnly', 'heldBy', 'controllerNotIsolated'].includes(role);
      return L.circleMarker(latlng, {
        radius: isValve ? 9 : 4, weight: isValve ? 3 : 1, fillOpacity: isValve ? 0.9 : 0.8,
        fillColor: ink(colours[role] ?? 'isolated'), color: '#ffffff', interactive: false,
      });
    };
    for (const feature of features) {
      const isPoint = feature.geometry.type === 'Point';
      this.layer.addLayer(L.geoJSON(feature, isPoint ? { pointToLayer, interactive: false }
        : { style: style(feature), interactive: false }));
    }
  }
}
