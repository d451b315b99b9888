// The watched monitors: their events, the entities inside fences, and the positions of entities.

import { listen } from './events.js';

const roundMilliseconds = 1000;

const keyOf = (source, own) =>
  JSON.stringify([source, own.monitor, own.fenceId, own.entity]);

/** The address of a monitor's resource. */
export const monitorAddress = (name, rest) => `monitor/${encodeURIComponent(name)}/${rest}`;

export class MonitorWatch {
  #watched = new Map();
  #inside = new Map();
  #timer = null;

  /**
   * @param observer `changed()` when the entities inside change; `opened()` when an event stream
   * opens; `event({ source, event, id, data })` for each event; `moved(entity, latlng)`;
   * `fences(name, buffered, given)`; `failed(error)`; and `isReplaying()`, which returns whether a
   * track is being replayed; then only the track moves entities.
   */
  constructor(server, observer) {
    this.server = server;
    this.observer = observer;
  }

  get names() {
    return [...this.#watched.keys()];
  }

  /** The number of open event streams. */
  get openCount() {
    return [...this.#watched.values()].filter((own) => own.isOpen).length;
  }

  /** The stays inside fences: `source`, `monitor`, `fence`, `fenceId` and `entity`. */
  get stays() {
    return [...this.#inside.values()];
  }

  async start(name) {
    const own = { end: null, isOpen: false };
    this.#watched.set(name, own);
    // Load the current stays, and listen for all events after this state.
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

  /** Starts or stops polling positions once a second, because entities also move between events. */
  follow(isOn) {
    clearInterval(this.#timer);
    this.#timer = isOn ? setInterval(() => {
      if (document.hidden || this.observer.isReplaying()) return;
      for (const [name, own] of this.#watched) if (own.isOpen) this.#ask(name, false);
    }, roundMilliseconds) : null;
  }

  /** Loads a monitor's entities; returns the id of the last event included in their state. */
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
    // Removes the entity from the fence that it left, not from the fence that it entered last.
    if (event === 'exited') this.#inside.delete(key);
    this.#move(own.entity, own.x, own.y);
    this.observer.event({ source, event, id, data: own });
  }
}
