// Formats numbers and values as text.

/** Longitude and latitude with five decimals, about a metre. */
export function lonLat(point) {
  return `${point.lng.toFixed(5)}, ${point.lat.toFixed(5)}`;
}

/** A number with its noun. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** A length along the ground. */
export function distance(metres) {
  if (metres >= 100_000) return `${Math.round(metres / 1000).toLocaleString('en')} km`;
  if (metres >= 1000) return `${(metres / 1000).toFixed(2)} km`;
  return metres >= 10 ? `${metres.toFixed(1)} m` : `${metres.toFixed(2)} m`;
}

/** A scale by its denominator. */
export function scaleText(scale) {
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(scale)) - 2);
  return `1:${(Math.round(scale / digits) * digits).toLocaleString('en')}`;
}

/** A number with few digits, for axes. */
export function short(number) {
  if (!Number.isFinite(number)) return 'not a number';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return number.toExponential(3);
  return Number(number.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });
}

/** A number with up to seven significant digits, or more if its integer part has more. */
export function measured(number) {
  if (!Number.isFinite(number)) return 'not a number';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return number.toExponential(6);
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  return number.toLocaleString('en', { maximumSignificantDigits: Math.max(7, whole) });
}

/** The size of an area on the ground; large areas in hectares or square kilometres. */
export function areaText(squareMetres) {
  if (squareMetres >= 1e6) return `${measured(squareMetres / 1e6)} km²`;
  if (squareMetres >= 1e4) return `${measured(squareMetres / 1e4)} ha`;
  return `${measured(squareMetres)} m²`;
}

/** A value as text; a missing value is described in words. */
export function valueText(value) {
  if (value === null || value === undefined) return 'no value';
  if (value === '') return 'empty';
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** Whether a value is shown as missing. */
export function isAbsent(value) {
  return value === null || value === undefined || value === '';
}

/** The http or https address in a string; null if the string is not such an address. */
export function webAddress(text) {
  if (typeof text !== 'string' || text.length > 4000) return null;
  if (!/^https?:\/\/\S+$/i.test(text)) return null;
  try {
    const address = new URL(text);
    return /^https?:$/.test(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

/** A size in bytes with a suitable unit. */
export function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 1e6) return `${(number / 1e3).toFixed(0)} kB`;
  return `${(number / 1e6).toFixed(1)} MB`;
}

/** A time of day in UTC, to the second. */
export function clock(milliseconds) {
  return Number.isFinite(milliseconds)
    ? new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19) : 'no time';
}
