// Monitors that are watched: their events as they come, who is inside of which fence, and who moves.

import { listen } from './events.js';

const roundMilliseconds = 1000;

const keyOf = (source, own) =>
  JSON.stringify([source, own.monitor, own.fenceId, own.entity]);

/** The address of what a monitor has. */
export const monitorAddress = (name, rest) => `monitor/${encodeURIComponent(name)}/${rest}`;

export class MonitorWatch {
  #watched = new Map();
  #inside = new Map();
  #timer = null;

  /**
   * @param observer `changed()` when others are inside; `opened()` when a monitor sends its events;
   * `event({ source, event, id, data })` for each; `moved(entity, latlng)`;
   * `fences(name, buffered, given)`; `failed(error)`; and `isReplaying()`, while which the track
   * alone moves entities.
   */
  constructor(server, observer) {
    this.server = server;
    this.observer = observer;
  }

  get names() {
    return [...this.#watched.keys()];
  }

  /** How many send their events now. */
  get openCount() {
    return [...this.#watched.values()].filter((own) => own.isOpen).length;
  }

  /** Who is inside: `source`, `monitor`, `fence`, `fenceId` and `entity` of each stay. */
  get stays() {
    return [...this.#inside.values()];
  }

  async start(name) {
    const own = { end: null, isOpen: false };
    this.#watched.set(name, own);
    // Who is there already, and the events from then on.
    const last = await this.#ask(name);
    if (this.#watched.get(name) !== own) return;
    own.end = listen(this.server, monitorAddress(name, 'events'), {
      open: () => { own.isOpen = true; this.observer.opened(); },
      event: (event) => this.#take(name, event),
      failed: (error) => { own.isOpen = false; this.observer.failed(error); },
    }, last);
    try {
      const [buffered, given] = await Promise.all([
        this.server.json(monitorAddress(name, 'fences')),
        this.server.json(monitorAddress(name, 'fences'), { query: { buffered: false } })]);
      if (this.#watched.get(name) === own) this.observer.fences(name, buffered, given);
    } catch (error) {
      this.observer.failed(error);
    }
  }

  stop(name) {
    this.#watched.get(name)?.end?.();
    this.#watched.delete(name);
    this.#forget(name);
    this.observer.changed();
  }

  /** Between events entities move, too: asks for that once a second while it is on. */
  follow(isOn) {
    clearInterval(this.#timer);
    this.#timer = isOn ? setInterval(() => {
      if (document.hidden || this.observer.isReplaying()) return;
      for (const [name, own] of this.#watched) if (own.isOpen) this.#ask(name, false);
    }, roundMilliseconds) : null;
  }

  /** Takes over who a monitor has heard of; gives the last event before that. */
  async #ask(name, withStays = true) {
    try {
      const { entities, lastEventId } = await this.server.json(monitorAddress(name, 'entities'));
      if (!this.#watched.has(name)) return null;
      if (withStays) this.#forget(name);
      for (const { entity, x, y, inside } of entities) {
        this.#move(entity, x, y);
        if (!withStays) continue;
        for (const stay of inside) {
          this.#inside.set(
            keyOf(name, { ...stay, entity }), { source: name, ...stay, entity });
        }
      }
      if (withStays) this.observer.changed();
      return lastEventId;
    } catch (error) {
      if (withStays) this.observer.failed(error);
      return null;
    }
  }

  #forget(name) {
    for (const [key, stay] of this.#inside) if (stay.source === name) this.#inside.delete(key);
  }

  #move(entity, x, y) {
    if (entity === undefined || !Number.isFinite(x) || !Number.isFinite(y)) return;
    if (!this.observer.isReplaying()) this.observer.moved(entity, L.latLng(y, x));
  }

  #take(source, { event, data, id }) {
    let own;
    try {
      own = JSON.parse(data);
    } catch {
      return;
    }
    if (event === 'end') this.observer.failed(new Error(`${source}: ${own.reason}`));
    if (event === 'gap') this.#ask(source);
    const key = keyOf(source, own);
    if (event === 'entered') this.#inside.set(key, { source, ...own });
    // Whoever left is taken out of the fence that was left, not of the one entered last.
    if (event === 'exited') this.#inside.delete(key);
    this.#move(own.entity, own.x, own.y);
    this.observer.event({ source, event, id, data: own });
  }
}
