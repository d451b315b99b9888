// The points of the buffer list and their radii, with undo.

/** The length units by the server's unit names, with their lengths in metres. */
export const units = {
  mi: { name: 'miles', metres: 1609.344, code: 9093 },
  km: { name: 'kilometres', metres: 1000, code: 9036 },
  m: { name: 'metres', metres: 1, code: 9001 },
  ft: { name: 'feet', metres: 0.3048, code: 9002 },
};

const longest = 300 * units.mi.metres;

export class PointList {
  points = [];
  unit = 'mi';
  #before = [];

  get canUndo() {
    return this.#before.length > 0;
  }

  /** Saves the current state for undo. */
  #keep() {
    this.#before.push({ points: this.points, unit: this.unit });
    if (this.#before.length > 200) this.#before.shift();
  }

  /** Whether a radius is strictly between 0 and 300 miles. */
  accepts(radius) {
    return Number.isFinite(radius) && radius > 0 && radius * units[this.unit].metres < longest;
  }

  /** The message for a radius that is not accepted. */
  get refusal() {
    const most = longest / units[this.unit].metres;
    const number = Number(most.toFixed(2)).toLocaleString('en');
    return 'Enter a value between 0 and 300 to create a buffer.'
      + (this.unit === 'mi' ? '' : ` 300 miles are ${number} ${units[this.unit].name}.`);
  }

  add(latlng, radius) {
    this.#keep();
    this.points = [...this.points, { lat: latlng.lat, lng: latlng.lng, radius }];
  }

  change(index, values) {
    this.#keep();
    this.points = this.points.map((own, at) => (at === index ? { ...own, ...values } : own));
  }

  remove(index) {
    this.#keep();
    this.points = this.points.filter((_, at) => at !== index);
  }

  clear() {
    if (!this.points.length) return;
    this.#keep();
    this.points = [];
  }

  undo() {
    const before = this.#before.pop();
    if (before) ({ points: this.points, unit: this.unit } = before);
  }

  /** Converts the lengths to another unit. */
  convert(unit) {
    const share = units[this.unit].metres / units[unit].metres;
    this.#keep();
    this.points = this.points.map((own) => (
      { ...own, radius: Number((own.radius * share).toPrecision(9)) }));
    this.unit = unit;
    return share;
  }
}
