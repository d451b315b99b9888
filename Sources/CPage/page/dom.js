// Creates elements. Data from the server always becomes text nodes.

/**
 * Creates an element.
 *
 * `attributes` are set as they are, except `on` (listeners by event), `text`, and booleans and
 * null, which set or omit an attribute. Children are nodes or strings.
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'on') {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (key === 'text') {
      element.textContent = value;
    } else if (key === 'value') {
      element.value = value;
    } else {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child));
}

let lastNumber = 0;

/** A unique element id. */
export function freshID(stem) {
  lastNumber += 1;
  return `${stem}-${lastNumber}`;
}

/** A labelled control, with the label next to or above it. */
export function field(label, control, hint) {
  control.id ||= freshID('field');
  const parts = [h('label', { for: control.id, text: label }), control];
  if (hint) {
    const note = h('p', { class: 'hint', id: freshID('hint'), text: hint });
    control.setAttribute('aria-describedby', note.id);
    parts.push(note);
  }
  return h('div', { class: 'field' }, parts);
}

/** A check box followed by its label. */
export function check(label, isOn, change) {
  const box = h('input', {
    type: 'checkbox', on: { change: () => change(box.checked) },
  });
  box.checked = isOn;
  const row = h('label', { class: 'check' }, box, h('span', { text: label }));
  row.box = box;
  return row;
}

/** A drop-down list; options are values, or pairs of value and text. */
export function choice(options, chosen, change) {
  const list = h('select', { on: { change: () => change?.(list.value) } });
  setOptions(list, options, chosen);
  return list;
}

/** Replaces the options of a list. */
export function setOptions(list, options, chosen) {
  fill(list, options.map((option) => {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    return h('option', { value, text });
  }));
  if (chosen !== undefined && chosen !== null) list.value = chosen;
}

export function button(text, press, attributes = {}) {
  return h('button', { type: 'button', text, on: { click: press }, ...attributes });
}

/** A line for a tool's state or error. */
export class StatusLine {
  constructor() {
    this.element = h('p', { class: 'status', role: 'status' });
  }

  say(text) {
    this.element.className = 'status';
    this.element.textContent = text;
  }

  fail(error) {
    this.element.className = 'status error';
    this.element.textContent = error.message ?? String(error);
  }
}

/** Saves a blob under a name. */
export function save(name, blob) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
