// Sends a track to monitors according to its times, with play, pause and speed.

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
  /** Invalidates replies to rows sent before the track was rewound. */
  #round = 0;

  /**
   * @param send sends rows; its second argument contains the rows that are the first row of a new
   * entity. Its promise returns the rejected rows among these.
   */
  constructor({ send, moved, changed, failed }) {
    Object.assign(this, { send, moved, changed, failed });
  }

  get isLoaded() {
    return Boolean(this.track);
  }

  /** The position in the track and its length, in seconds. */
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
    // The track's time stops while rows are being sent, so that no row is lost or overtaken.
    if (this.#isSending || !this.isPlaying) {
      this.#last = now;
      return;
    }
    const { rows } = this.track;
    const end = rows[rows.length - 1].time;
    // Avoids 0 * Infinity, which is not a number.
    const passed = this.#clock + (now - this.#last) * this.speed;
    this.#clock = this.speed === Infinity ? end : Math.min(end, passed);
    this.#last = now;
    const from = this.#next;
    let to = from;
    while (to < rows.length && rows[to].time <= this.#clock && to - from < partLimit) to += 1;
    // At the highest speed chunks follow each other without a wait.
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
      // An entity whose first row was rejected begins with its next row.
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
