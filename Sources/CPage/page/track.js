// A file of locations: CSV, GeoJSON, JSON lines or GPX, split into rows with their times.

const names = {
  entity: ['id', 'entity', 'entity_id', 'device_id', 'device', 'vehicle_id', 'vehicle', 'track_id'],
  time: ['time', 'timestamp'],
  x: ['x', 'lon', 'lng', 'long', 'longitude'],
  y: ['y', 'lat', 'latitude'],
};

/** The fields of a line, with quotes handled. */
export function splitLine(line, separator) {
  if (!line.includes('"')) return line.split(separator);
  const fields = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (isQuoted) {
      if (letter !== '"') field += letter;
      else if (line[at + 1] === '"') { field += '"'; at += 1; } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === separator) { fields.push(field); field = ''; } else field += letter;
  }
  return [...fields, field];
}

/** Milliseconds since 1970 from ISO 8601, or from seconds or milliseconds as a number. */
function milliseconds(value) {
  if (value === undefined || value === null || value === '') return NaN;
  const number = Number(value);
  if (Number.isFinite(number)) return Math.abs(number) < 1e11 ? number * 1000 : number;
  const text = String(value);
  // Times without a zone are UTC, as on the server.
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}

/** A number; NaN for empty text. */
const number = (value) => (String(value ?? '').trim() ? Number(value) : NaN);

const pick = (object, kind) => {
  for (const name of names[kind]) {
    const key = Object.keys(object).find((own) => own.toLowerCase() === name);
    if (key !== undefined) return object[key];
  }
  return undefined;
};

function lines(text) {
  const all = text.replace(/^\ufeff/, '').split(/\r?\n/).filter((line) => line.trim());
  const head = all[0] ?? '';
  const separator = ['\t', ';', ','].find((own) => head.includes(own)) ?? ',';
  const columns = splitLine(head, separator).map((own) => own.trim().toLowerCase());
  const column = Object.fromEntries(Object.keys(names).map((kind) => [
    kind, names[kind].map((name) => columns.indexOf(name)).find((at) => at >= 0) ?? -1,
  ]));
  if (column.time < 0) throw new Error('the track has no column of times: time or timestamp');
  const rows = all.slice(1).map((line) => {
    const fields = splitLine(line, separator);
    return {
      raw: line, entity: fields[column.entity] ?? '', time: milliseconds(fields[column.time]),
      lng: number(fields[column.x]), lat: number(fields[column.y]),
    };
  });
  return { rows, type: 'text/csv', body: (own) => [head, ...own.map((row) => row.raw)].join('\n') };
}

function objects(list) {
  const rows = list.map((own) => {
    const values = own.type === 'Feature' ? own.properties ?? {} : own;
    const [x, y] = own.geometry?.coordinates ?? [pick(values, 'x'), pick(values, 'y')];
    return {
      raw: own, entity: String(pick(values, 'entity') ?? ''),
      time: milliseconds(pick(values, 'time')), lng: number(x), lat: number(y),
    };
  });
  const isFeatures = list[0]?.type === 'Feature';
  return {
    rows, type: 'application/json',
    body: (own) => JSON.stringify(isFeatures
      ? { type: 'FeatureCollection', features: own.map((row) => row.raw) }
      : own.map((row) => row.raw)),
  };
}

/** The text of the first element with a name, with XML entities decoded. */
function elementText(text, name) {
  const found = new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>([^<]*)<`).exec(text);
  const marks = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return (found?.[1] ?? '').trim().replace(/&(lt|gt|amp|quot|apos);/g, (_, name) => marks[name]);
}

// Does not use the browser's XML parser, which returns an error page with styles for invalid files.
function gpx(text) {
  const tracks = text.match(/<trk\b[\s\S]*?<\/trk>/g);
  if (!tracks) throw new Error('the file is not GPX with a track');
  const list = tracks.flatMap((track) => {
    const [head] = track.split(/<trkseg\b/);
    const id = elementText(head, 'name') || undefined;
    return [...track.matchAll(/<trkpt\b([^>]*?)(\/>|>([\s\S]*?)<\/trkpt>)/g)].map((point) => ({
      id, time: elementText(point[3] ?? '', 'time'),
      lon: Number(/\blon="([^"]*)"/.exec(point[1])?.[1]),
      lat: Number(/\blat="([^"]*)"/.exec(point[1])?.[1]),
    }));
  });
  return objects(list);
}

/**
 * Reads a track. Rows are sorted by time; rows without a time are omitted.
 *
 * @returns `rows`, the media `type`, and `body(rows)`, the request body for some of the rows.
 */
export function readTrack(text) {
  const start = text.trimStart()[0];
  let track;
  if (start === '<') track = gpx(text);
  else if (start === '[') track = objects(JSON.parse(text));
  else if (start === '{') {
    let whole = null;
    try {
      whole = JSON.parse(text);
    } catch {
      whole = text.split(/\r?\n/).filter((line) => line.trim()).map((line) => JSON.parse(line));
    }
    track = objects(whole.features ?? (Array.isArray(whole) ? whole : [whole]));
  } else track = lines(text);
  const rows = track.rows.filter((row) => Number.isFinite(row.time));
  if (!rows.length) throw new Error('the track has no location with a time');
  rows.sort((a, b) => a.time - b.time);
  return { ...track, rows };
}
