// Parses the reply of a sampling request as a stream, into columns of coordinates and values.

import { splitLine } from './track.js';

const pairs = [
  ['x', 'y'], ['lon', 'lat'], ['lng', 'lat'], ['long', 'lat'], ['longitude', 'latitude'],
  ['easting', 'northing'], ['decimallongitude', 'decimallatitude'], ['point_x', 'point_y'],
];
const statusEnd = /_status$/;

/** A growing column of numbers. */
class Column {
  constructor(Kind) {
    this.values = new Kind(1 << 12);
    this.count = 0;
  }

  push(value) {
    if (this.count === this.values.length) {
      const larger = new this.values.constructor(this.count * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count] = value;
    this.count += 1;
  }

  get finished() {
    return this.values.slice(0, this.count);
  }
}

const number = (text) => (text === '' || text === undefined || text === null ? NaN : Number(text));

class Reader {
  rows = 0;
  x = new Column(Float64Array);
  y = new Column(Float64Array);
  values = new Map();
  statuses = new Map();

  constructor({ inputColumns, xName, yName, hasHeader }) {
    Object.assign(this, { inputColumns, xName, yName, hasHeader });
  }

  column(name) {
    let own = this.values.get(name);
    if (!own) {
      own = new Column(Float32Array);
      // Rows before the first value are empty.
      for (let row = 0; row < this.rows; row += 1) own.push(NaN);
      this.values.set(name, own);
    }
    return own;
  }

  status(name, word) {
    const own = this.statuses.get(name) ?? new Map();
    own.set(word, (own.get(word) ?? 0) + 1);
    this.statuses.set(name, own);
  }
}

class DelimitedRows extends Reader {
  #columns = null;
  #open = '';

  line(text) {
    const line = this.#open ? `${this.#open}\n${text}` : text;
    // A quoted field may continue on the next line.
    if (line.includes('"') && (line.split('"').length - 1) % 2 === 1) {
      this.#open = line;
      return;
    }
    this.#open = '';
    if (!this.#columns) {
      this.#begin(line.replace(/^\ufeff/, ''));
      if (this.hasHeader) return;
    }
    if (line === '') return;
    const fields = splitLine(line, this.separator);
    this.x.push(number(fields[this.xAt]));
    this.y.push(number(fields[this.yAt]));
    for (const { at, own, name } of this.#columns) {
      if (own) own.push(number(fields[at]));
      else this.status(name, fields[at] || 'empty');
    }
    this.rows += 1;
  }

  #begin(line) {
    this.separator = ['\t', ';', ','].find((own) => line.includes(own)) ?? ',';
    // The reply has a header only if the file has a header.
    const names = splitLine(line, this.separator).map((name, index) => {
      if (this.hasHeader) return name;
      const added = index - this.inputColumns + 1;
      return added > 0 ? `value ${added}` : `column ${index + 1}`;
    });
    const lower = names.map((name) => name.trim().toLowerCase());
    const at = (name) => {
      const own = lower.indexOf(String(name).toLowerCase());
      return own < 0 && /^\d+$/.test(name) ? Number(name) - 1 : own;
    };
    const pair = this.xName ? [this.xName, this.yName]
      : pairs.find(([x, y]) => lower.includes(x) && lower.includes(y))
        ?? (this.hasHeader ? ['', ''] : ['1', '2']);
    [this.xAt, this.yAt] = pair.map(at);
    const first = Math.min(this.inputColumns, names.length);
    this.#columns = names.map((name, index) => ({ name, at: index })).slice(first)
      .map((own) => (statusEnd.test(own.name)
        ? { ...own, name: own.name.replace(statusEnd, '') }
        : { ...own, own: this.column(own.name) }));
  }
}

class FeatureRows extends Reader {
  #open = '';
  #within = '';
  #isCollection = false;

  /**
   * Features keep the sender's formatting, so they may be on one or several lines, with or without
   * spaces.
   */
  line(text) {
    const marks = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
    let start = 0;
    for (let found = marks.exec(text); found; found = marks.exec(text)) {
      const [mark] = found;
      if (mark === '{' || mark === '[') {
        if (mark === '{' && (this.#within === '{[' || !this.#within)) {
          this.#open = '';
          start = found.index;
        }
        this.#within += mark;
      } else if (mark === '}' || mark === ']') {
        this.#within = this.#within.slice(0, -1);
        if (mark === '}' && (this.#within === '{[' || (!this.#within && !this.#isCollection))) {
          this.#take(JSON.parse(this.#open + text.slice(start, marks.lastIndex)));
          this.#open = '';
        }
      }
    }
    if (this.#within.length > (this.#isCollection ? 2 : 0)) this.#open += `${text.slice(start)}\n`;
  }

  #take(feature) {
    if (feature.type !== 'Feature') return;
    if (this.#within) this.#isCollection = true;
    const at = feature.geometry?.type === 'Point' ? feature.geometry.coordinates : [];
    this.x.push(number(at[0]));
    this.y.push(number(at[1]));
    const properties = feature.properties ?? {};
    for (const [name, value] of Object.entries(properties)) {
      // Each raster's value is followed by its status.
      const word = properties[`${name}_status`];
      if (word === undefined) continue;
      this.status(name, String(word));
      this.column(name).push(typeof value === 'number' ? value : NaN);
    }
    this.rows += 1;
    for (const column of this.values.values()) {
      while (column.count < this.rows) column.push(NaN);
    }
  }
}

self.addEventListener('message', async ({ data }) => {
  try {
    const reader = data.isDelimited ? new DelimitedRows(data) : new FeatureRows(data);
    const stream = data.blob.stream().pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let read = 0;
    for (;;) {
      const { done, value } = await stream.read();
      if (done) break;
      read += value.length;
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) reader.line(line);
      self.postMessage({ share: Math.min(1, read / data.blob.size), rows: reader.rows });
    }
    if (rest) reader.line(rest);
    const hasPoints = reader.x.values.slice(0, reader.rows).some(Number.isFinite);
    const columns = [...reader.values].map(([name, own]) => ({ name, values: own.finished }))
      .filter((own) => own.values.some(Number.isFinite));
    const x = hasPoints ? reader.x.finished : null;
    const y = hasPoints ? reader.y.finished : null;
    const statuses = [...reader.statuses].map(([name, own]) => ({ name, counts: [...own] }));
    self.postMessage(
      { done: true, rows: reader.rows, x, y, columns, statuses },
      [x, y, ...columns.map((own) => own.values)].filter(Boolean).map((own) => own.buffer));
  } catch (error) {
    self.postMessage({ error: error.message });
  }
});
