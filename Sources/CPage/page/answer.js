// Shows an identify result as a tree of layers, sublayers, and elements with popups and attributes.

import { button, h } from './dom.js';
import { count, distance, isAbsent, valueText, webAddress } from './format.js';

const shownElements = 25;
const longestTitle = 200;

/** The number of elements in results and their sublayer results. */
export function countOf(results) {
  return results.reduce((sum, own) => sum + ownCount(own) + countOf(own.sublayerResults), 0);
}

function ownCount(result) {
  return Math.max(result.geoElements.length, result.popups.length);
}

/** The number of layers that directly contain elements. */
export function layersOf(results) {
  return results.reduce(
    (sum, own) => sum + (ownCount(own) ? 1 : 0) + layersOf(own.sublayerResults), 0);
}

/** The number of layers that failed. */
export function errorsOf(results) {
  return results.reduce((sum, own) => sum + (own.error ? 1 : 0) + errorsOf(own.sublayerResults), 0);
}

/** The elements with a shape, topmost last. */
export function geometriesOf(results) {
  return results.flatMap((own) => [
    ...geometriesOf(own.sublayerResults),
    ...own.geoElements.filter((element) => element.geometry)
      .map((element) => ({ element, geometry: element.geometry })),
  ]).reverse();
}

/**
 * The tree of a result.
 *
 * @param mark is called with an element and whether the pointer is over the element.
 */
export function answerTree(results, mark) {
  if (!results.length) return null;
  return h('ul', { class: 'tree' }, results.map((own) => branch(own, mark)));
}

function branch(result, mark) {
  const own = ownCount(result);
  const total = countOf([result]);
  const number = `${total.toLocaleString('en')}${result.isTransferLimitExceeded ? '+' : ''}`;
  const head = h('summary', { class: 'layer' }, h('span', { class: 'name', text: title(result) }),
    h('span', { class: 'badge', text: number, title: count(total, 'element') }));
  const children = [];
  if (result.error) children.push(h('p', { class: 'error', text: result.error.message }));
  if (own) children.push(elements(result, own, mark));
  if (result.isTransferLimitExceeded) {
    children.push(h('p', { class: 'hint', text: 'There are more: zoom in to see them.' }));
  }
  if (result.sublayerResults.length) children.push(answerTree(result.sublayerResults, mark));
  return h('li', {}, h('details', { open: true }, head, children));
}

function title(result) {
  return String(result.layer.name || result.layer.id).slice(0, longestTitle) || 'layer';
}

function elements(result, number, mark) {
  const list = h('ul', { class: 'elements' });
  // A long list is shown in parts, with its cards closed.
  const isFew = number <= 2;
  const add = (from, to) => {
    for (let at = from; at < Math.min(to, number); at += 1) {
      list.append(card(result.geoElements[at], result.popups[at], isFew, mark));
    }
  };
  add(0, shownElements);
  if (number > shownElements) {
    const more = button(`Show ${number - shownElements} more`, () => {
      item.remove();
      add(shownElements, number);
    });
    const item = h('li', {}, more);
    list.append(item);
  }
  return list;
}

function card(element, popup, isOpen, mark) {
  const isCell = element?.type === 'rasterCell';
  const name = isCell ? cellTitle(element) : popup?.title || featureTitle(element);
  const head = h('summary', {}, h('span', { text: String(name).slice(0, longestTitle) }));
  if (element?.distance > 0) {
    head.append(h('span', { class: 'away-by', text: `${distance(element.distance)} away` }));
  }
  const parts = [];
  if (popup) parts.push(popupContent(popup));
  if (element) {
    const own = table(Object.entries(element.attributes));
    parts.push(popup ? h('details', { class: 'all' },
      h('summary', { text: 'All attributes' }), own) : own);
  }
  const details = h('details', { open: isOpen && !isCell }, head, parts);
  if (element) {
    details.addEventListener('pointerenter', () => mark(element, true));
    details.addEventListener('pointerleave', () => mark(element, false));
    head.addEventListener('focus', () => mark(element, true));
    head.addEventListener('blur', () => mark(element, false));
  }
  return h('li', { class: isCell ? 'card cell' : 'card' }, details);
}

/** The values of a cell by band: the class, or the scaled value with its unit. */
function cellTitle(cell) {
  const bands = Object.keys(cell.attributes).filter((name) => /^Band_\d+$/.test(name));
  const texts = bands.map((name) => {
    const number = name.slice(5);
    const own = (kind) => cell.attributes[`${kind}_${number}`];
    const state = cell.status?.[Number(number)];
    if (isAbsent(cell.attributes[name])) {
      return { nodata: 'no data', masked: 'masked' }[state] ?? state ?? 'no data';
    }
    if (!isAbsent(own('Class'))) return `${own('Class')} (${cell.attributes[name]})`;
    const value = isAbsent(own('Scaled')) ? cell.attributes[name] : rounded(own('Scaled'));
    return isAbsent(own('Unit')) ? String(value) : `${value} ${own('Unit')}`;
  });
  return texts.slice(0, 8).join(', ') || 'a cell without bands';
}

/** A scaled value, rounded to remove digits that the multiplication adds. */
function rounded(value) {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}

function featureTitle(feature) {
  const entries = Object.entries(feature?.attributes ?? {});
  const named = entries.find(([name, value]) => /name|title/i.test(name) && !isAbsent(value))
    ?? entries.find(([, value]) => typeof value === 'string' && value)
    ?? entries.find(([, value]) => !isAbsent(value));
  return named ? valueText(named[1]) : 'a feature without attributes';
}

function popupContent(popup) {
  const parts = [];
  if (popup.text) parts.push(h('p', { class: 'popup-text', text: popup.text }));
  const fields = popup.fields.map((own) => [own.label || own.name, own.value]);
  if (fields.length) parts.push(table(fields));
  for (const own of popup.media ?? []) parts.push(medium(own));
  for (const own of popup.attachments ?? []) {
    const size = own.size ? ` (${count(own.size, 'byte')})` : '';
    parts.push(h('p', {}, 'Attachment: ', linked(own.url, `${own.name}${size}`)));
  }
  return h('div', { class: 'popup' }, parts);
}

/** A picture or a chart as text. */
function medium(own) {
  const parts = [h('strong', { text: own.title || own.type })];
  if (own.caption) parts.push(h('p', { class: 'popup-text', text: own.caption }));
  if (own.url) parts.push(h('p', {}, 'Picture: ', linked(own.url, own.url)));
  if (own.link) parts.push(h('p', {}, 'Link: ', linked(own.link, own.link)));
  if (own.fields) parts.push(table(own.fields.map((field) => [field.label, field.value])));
  return h('div', { class: 'medium' }, parts);
}

/** A list of names and values, with text for missing values and links for web addresses. */
export function table(entries) {
  return h('dl', {}, entries.map(([name, value]) => [
    h('dt', { text: name }),
    h('dd', { class: isAbsent(value) ? 'none' : null },
      linked(value, valueText(value))),
  ]).flat());
}

function linked(value, text) {
  const address = webAddress(value);
  if (!address) return document.createTextNode(text);
  return h('a', { href: address, target: '_blank', rel: 'noopener noreferrer', text });
}
