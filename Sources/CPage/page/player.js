// Sends a track to monitors as its time passes: play, pause, another speed.

const step = 200;
const partLimit = 2000;

export class Player {
  isPlaying = false;
  speed = 10;
  #next = 0;
  #clock = 0;
  #last = 0;
  #timer = null;
  #isSending = false;
  #seen = new Set();
  /** What is sent when the track begins again says nothing of the new round. */
  #round = 0;

  /**
   * @param send a promise of having sent rows, with those that are their entities' first: of those
   * among the first that were refused.
   */
  constructor({ send, moved, changed, failed }) {
    Object.assign(this, { send, moved, changed, failed });
  }

  get isLoaded() {
    return Boolean(this.track);
  }

  /** Seconds of the track: how far it is, and how long. */
  get position() {
    const rows = this.track?.rows ?? [];
    if (!rows.length) return { now: 0, length: 0 };
    const start = rows[0].time;
    return {
      now: Math.max(0, this.#clock - start) / 1000,
      length: (rows[rows.length - 1].time - start) / 1000, time: this.#clock,
    };
  }

  load(track) {
    this.stop();
    this.track = track;
    this.rewind();
  }

  rewind() {
    this.#round += 1;
    this.#next = 0;
    this.#seen.clear();
    this.#clock = this.track?.rows[0].time ?? 0;
    this.changed();
  }

  play() {
    if (!this.track) return;
    if (this.#next >= this.track.rows.length) this.rewind();
    this.isPlaying = true;
    this.#last = performance.now();
    this.#timer ??= setInterval(() => this.#tick(), step);
    this.changed();
    this.#tick();
  }

  stop() {
    this.isPlaying = false;
    clearInterval(this.#timer);
    this.#timer = null;
    this.changed();
  }

  async #tick() {
    const now = performance.now();
    // While rows are under way the track's time stands still: none gets lost or overtaken.
    if (this.#isSending || !this.isPlaying) {
      this.#last = now;
      return;
    }
    const { rows } = this.track;
    const end = rows[rows.length - 1].time;
    // No time at all times no limit is no number.
    const passed = this.#clock + (now - this.#last) * this.speed;
    this.#clock = this.speed === Infinity ? end : Math.min(end, passed);
    this.#last = now;
    const from = this.#next;
    let to = from;
    while (to < rows.length && rows[to].time <= this.#clock && to - from < partLimit) to += 1;
    // At the highest speed parts follow each other without a wait.
    if (to - from === partLimit) this.#clock = rows[to - 1].time;
    this.changed();
    if (to === from) return;
    this.#isSending = true;
    try {
      const due = rows.slice(from, to);
      const begun = new Set();
      const first = due.filter((row) => !this.#seen.has(row.entity) && !begun.has(row.entity)
        && begun.add(row.entity));
      const round = this.#round;
      const refused = await this.send(due, first);
      if (round !== this.#round) return;
      // Whose first row was refused begins with the next.
      for (const row of first) if (!refused.includes(row)) this.#seen.add(row.entity);
      this.#next = to;
      this.moved(due);
      if (to >= rows.length) this.stop();
    } catch (error) {
      this.stop();
      this.failed(error);
    } finally {
      this.#isSending = false;
    }
  }
}
