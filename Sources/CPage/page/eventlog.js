// Lists of the entities inside fences, and of events.

import { h } from './dom.js';

/** For each monitor, the fences with entities inside. */
export function stayLists(sources, inside) {
  const groups = sources.flatMap((source) => {
    const own = inside.filter((stay) => stay.source === source);
    const monitors = [...new Set(own.map((stay) => stay.monitor))];
    // A monitor with several fence files has a list for each.
    if (monitors.length < 2) return [[source, own]];
    return monitors.map((name) => [
      `${source}: ${name}`, own.filter((stay) => stay.monitor === name)]);
  });
  return groups.map(([title, stays]) => {
    const byFence = new Map();
    for (const { fence, fenceId, entity } of stays) {
      const name = fence ?? fenceId;
      byFence.set(name, [...byFence.get(name) ?? [], entity]);
    }
    return h('div', {}, h('h2', { text: `Now in ${title}` }),
      byFence.size ? h('ul', { class: 'list' }, [...byFence].map(([name, who]) => h('li', {},
        h('strong', { class: 'grow', text: name }),
        h('span', { class: 'hint', text: who.filter(Boolean).join(', ') || 'the one entity' }))))
        : h('p', { class: 'hint', text: 'none' }));
  });
}

/** An event with its reason, if the monitor provides one. */
export function eventRow({ event, data }) {
  const what = data.fence ?? data.message ?? data.reason ?? '';
  const why = event === 'gap' ? `${data.lost ?? 'an unknown number of'} events are lost` : data.why;
  return h('li', {}, h('span', { class: `word ${event}`, text: event }),
    h('span', { class: 'grow' }, data.entity ? `${data.entity} · ` : '',
      h('strong', { text: what }),
      data.message && data.message !== what ? ` · ${data.message}` : ''),
    h('span', { class: 'hint', text: (data.time ?? '').replace('T', ' ').replace('Z', '') }),
    why ? h('span', { class: 'why', text: typeof why === 'string' ? why : JSON.stringify(why) })
      : null);
}
