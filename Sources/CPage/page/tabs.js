// The tabs of the tools. One panel is shown at a time; tabs are selected by pointer or arrow keys.

import { h } from './dom.js';

export class Tabs {
  #entries = new Map();

  constructor(row, body, choose) {
    this.row = row;
    this.body = body;
    this.choose = choose;
    row.addEventListener('keydown', (event) => this.#move(event));
  }

  add(id, title) {
    const tab = h('button', {
      type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`,
      'aria-selected': 'false', tabindex: -1, text: title, on: { click: () => this.choose(id) },
    });
    const panel = h('div', {
      role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true,
    });
    this.row.append(tab);
    this.body.append(panel);
    this.#entries.set(id, { tab, panel });
    return panel;
  }

  has(id) {
    return this.#entries.has(id);
  }

  get ids() {
    return [...this.#entries.keys()];
  }

  panel(id) {
    return this.#entries.get(id).panel;
  }

  select(id) {
    for (const [own, { tab, panel }] of this.#entries) {
      const isChosen = own === id;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
      if (isChosen) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  #move(event) {
    const ids = this.ids;
    const at = ids.findIndex((id) => this.#entries.get(id).tab === event.target);
    const to = {
      ArrowRight: (at + 1) % ids.length, ArrowLeft: (at + ids.length - 1) % ids.length, Home: 0,
      End: ids.length - 1,
    }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.choose(ids[to]);
    this.#entries.get(ids[to]).tab.focus();
  }
}
