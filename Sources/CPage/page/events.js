// A stream of server-sent events, read with fetch so that requests can carry a token.

const pause = 2000;

/** Splits the text of a stream into events: `id`, `event` and `data`. */
export class EventText {
  #rest = '';

  take(text) {
    const blocks = (this.#rest + text).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop();
    return blocks.map((block) => {
      const own = { event: 'message', data: [] };
      for (const line of block.split(/\r?\n/)) {
        const at = line.indexOf(':');
        if (at <= 0) continue;
        const value = line.slice(at + 1).replace(/^ /, '');
        if (line.slice(0, at) === 'data') own.data.push(value);
        else own[line.slice(0, at)] = value;
      }
      return { ...own, data: own.data.join('\n') };
    });
  }
}

/**
 * Listens to a stream until the returned function is called. After an interruption, it resumes from
 * the last event received.
 *
 * @param listener `open()`, `event({ id, event, data })` and `failed(error)`.
 * @param after the id of the last known event; null to start now.
 * @returns a function that stops listening.
 */
export function listen(server, path, listener, after = null) {
  const request = new AbortController();
  let lastID = after;

  async function once() {
    const headers = lastID ? { 'Last-Event-ID': lastID } : {};
    const reply = await server.request(path, { signal: request.signal, headers });
    listener.open();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    const text = new EventText();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const own of text.take(value)) {
        if (own.id) lastID = own.id;
        if (own.data) listener.event(own);
      }
    }
  }

  (async () => {
    while (!request.signal.aborted) {
      try {
        await once();
      } catch (error) {
        if (request.signal.aborted) return;
        listener.failed(error);
        if ([400, 404, 498, 499].includes(error.code) || error.code === 'notFound') return;
      }
      await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
  })();
  return () => request.abort();
}
