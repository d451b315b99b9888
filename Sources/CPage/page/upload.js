// Sends a file of points, with the progress of sending and receiving.

import { ServerError, Server, warningText } from './server.js';
import { splitLine } from './track.js';

/** The media type of a file of points, determined by its name or, if the name is not sufficient, by
 * its first character. */
export async function pointType(file) {
  if (/\.(geojsonl|ndjson|jsonl)$/i.test(file.name)) return 'application/x-ndjson';
  if (/\.(geo)?json$/i.test(file.name)) return 'application/geo+json';
  const start = (await file.slice(0, 200).text()).replace(/^\ufeff/, '').trimStart()[0];
  return start === '{' ? 'application/geo+json' : 'text/csv';
}

/** The number of columns, or properties, of a row in a file, and whether the columns have names. */
export async function ownColumns(file, isDelimited) {
  const head = (await file.slice(0, 1 << 16).text()).replace(/^\ufeff/, '');
  if (isDelimited) {
    const line = head.split(/\r?\n/).find((own) => own.trim()) ?? '';
    const separator = ['\t', ';', ','].find((own) => line.includes(own)) ?? ',';
    const fields = splitLine(line, separator);
    const hasHeader = fields.some((own) => own.trim() && !Number.isFinite(Number(own)));
    return { inputColumns: fields.length, hasHeader };
  }
  const properties = /"properties"\s*:\s*(\{[^{}]*\})/.exec(head);
  try {
    return { inputColumns: Object.keys(JSON.parse(properties[1])).length };
  } catch {
    return { inputColumns: 0 };
  }
}

/**
 * Posts a file.
 *
 * @param progress is called with 'sending', 'waiting' or 'receiving' and a share, or null if the
 * length is unknown.
 * @returns a promise of `blob`, its `type` and the `warnings`, with an additional method `abort()`.
 */
export function upload(server, path, file, type, progress) {
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open('POST', path);
    request.responseType = 'blob';
    for (const [name, value] of Object.entries(server.headers({ 'Content-Type': type }))) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener('progress', (event) => (
      progress('sending', event.total ? event.loaded / event.total : null)));
    request.upload.addEventListener('load', () => progress('waiting', null));
    request.addEventListener('progress', (event) => (
      progress('receiving', event.lengthComputable ? event.loaded / event.total : null)));
    request.addEventListener('load', async () => {
      if (request.status === 200) {
        resolve({
          blob: request.response, type: request.getResponseHeader('Content-Type') ?? '',
          warnings: warningText(request.getResponseHeader('Plumb-Warning')),
        });
      } else {
        reject(Server.failureOf(request.status, await request.response.text()));
      }
    });
    request.addEventListener('error', () => reject(
      new ServerError('the connection broke while the file was sent', 'offline')));
    request.addEventListener('abort', () => reject(new ServerError('stopped', 'aborted')));
    request.send(file);
  });
  return { promise, abort: () => request.abort() };
}
