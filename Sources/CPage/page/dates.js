// The date of the view: a slider over the dates of the map's layers with dates.

import { button, h } from './dom.js';

// The delay in milliseconds, after the last change of the slider, after which the map and the
// results are updated.
const rest = 150;
const shownNotes = 3;

/**
 * The time of a date in milliseconds; NaN for other text. A date without a time of day counts as
 * noon, as on the server.
 */
export function timeOf(text) {
  if (!/^(\d{4}|[+-]\d{6})-\d\d-\d\d(T|$)/.test(text)) return NaN;
  return Date.parse(text.includes('T') ? text : `${text}T12:00Z`);
}

/** The index of the date that is nearest to a time; if two are equally near, the index of the
 * earlier one. */
export function nearest(dates, time) {
  let [low, high] = [0, dates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dates[middle].time < time) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  return low < dates.length && dates[low].time - time < time - dates[low - 1].time ? low : low - 1;
}

/** Dates in ascending order, without duplicates; the server accepts the years 0 to 9999. */
function sorted(texts) {
  return [...new Set(texts)].filter((text) => /^\d/.test(text))
    .map((text) => ({ text, time: timeOf(text) })).filter(({ time }) => Number.isFinite(time))
    .sort((a, b) => a.time - b.time);
}

export class DateSlider {
  #dates = [];
  // The layers with dates: number, title and dates.
  #layers = [];
  #isShown = () => true;
  #isChosen = false;
  #timer = null;

  /** @param changed is called after another date has been chosen and the slider has come to rest.
   * */
  constructor(stage, changed) {
    this.changed = changed;
    this.slider = h('input', {
      type: 'range', id: 'date', min: 0, step: 1, 'aria-describedby': 'date-notes',
      on: { input: () => this.#choose() },
    });
    const step = (by) => () => {
      this.slider.value = Number(this.slider.value) + by;
      this.#choose();
    };
    this.previous = button('‹', step(-1), { 'aria-label': 'Previous date' });
    this.next = button('›', step(1), { 'aria-label': 'Next date' });
    this.text = h('span', { class: 'date' });
    this.place = h('span', { class: 'hint' });
    this.notes = h('p', { class: 'hint', id: 'date-notes' });
    this.element = h('div', {
      class: 'dates', role: 'group', 'aria-label': 'Date of the map', hidden: true,
    }, h('label', { for: 'date', text: 'Date' }), this.previous, this.slider, this.next,
    // Assistive technology reads the same text as the value of the slider.
    h('span', { class: 'value', 'aria-hidden': 'true' }, this.text, this.place), this.notes);
    stage.append(this.element);
  }

  /** The chosen date; null if none was chosen, in which case the last date of each layer is shown.
   * */
  get date() {
    return this.#isChosen ? this.#dates[Number(this.slider.value)].text : null;
  }

  /**
   * Lists the dates of a map, and shows the slider if there are any.
   *
   * @param images the image services of the map.
   * @param chosen the date to select, or the nearest to it; null for none.
   * @param isShown returns whether the layer with a number is on. / */
  list(images, chosen = null, isShown = () => true) {
    clearTimeout(this.#timer);
    this.#isShown = isShown;
    this.#layers = images.filter(({ dates }) => dates?.length).map(({ layer, title, dates }) => (
      { layer, title, dates: sorted(dates) })).filter(({ dates }) => dates.length);
    this.#dates = sorted(this.#layers.flatMap(({ dates }) => dates.map(({ text }) => text)));
    const { length } = this.#dates;
    this.element.hidden = !length;
    const time = timeOf(chosen ?? '');
    this.#isChosen = length > 0 && Number.isFinite(time);
    this.slider.max = Math.max(0, length - 1);
    this.slider.value = this.#isChosen ? nearest(this.#dates, time) : length - 1;
    this.slider.disabled = length < 2;
    if (length) this.show();
  }

  #choose() {
    this.#isChosen = true;
    this.show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.changed(), rest);
  }

  /** Shows the date, and the layers whose nearest date differs from it. */
  show() {
    const { length } = this.#dates;
    if (!length) return;
    const index = Number(this.slider.value);
    const { text, time } = this.#dates[index];
    const place = [index + 1, length].map((own) => own.toLocaleString('en')).join(' of ');
    this.text.textContent = text;
    this.place.textContent = place;
    this.slider.setAttribute('aria-valuetext', `${text}, ${place}`);
    // A button that becomes disabled loses the focus.
    const isFocused = [this.previous, this.next].includes(document.activeElement);
    this.previous.disabled = index === 0;
    this.next.disabled = index === length - 1;
    if (isFocused && document.activeElement.disabled) this.slider.focus();
    const others = this.#layers.filter(({ layer }) => this.#isShown(layer))
      .map(({ title, dates }) => ({ title, text: dates[nearest(dates, time)].text }))
      .filter((own) => own.text !== text).map((own) => `${own.title}: ${own.text}`);
    const more = others.length - shownNotes;
    this.notes.textContent = [
      ...others.slice(0, shownNotes), ...more > 0 ? [`and ${more} more`] : []].join(', ');
  }
}
