// Requests to the server that sent the page: errors in its words, and a token where it wants one.

const tokenKey = 'plumb-token';

/** The text of a header of warnings, of which those with letters beyond ASCII are as RFC 8187 has them. */
export function warningText(header) {
  return header?.replace(/UTF-8''([\w%!#$&+.^`|~-]*)/g, (_, text) => decodeURIComponent(text)) ?? null;
}

/** What a request failed with, in one line. */
export class ServerError extends Error {
  constructor(message, code, status = null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Addresses are relative to the page, so that it works below a path of another server. */
export class Server {
  #asksToken;
  #waiting = null;

  /** @param asksToken gives a promise of a token, or of null where nobody has one. */
  constructor(asksToken) {
    this.#asksToken = asksToken;
  }

  get token() {
    try {
      return sessionStorage.getItem(tokenKey);
    } catch {
      return null;
    }
  }

  /** The address of a service below `arcgis/rest/services`. */
  static service(name, type, rest = '') {
    return `arcgis/rest/services/${encodeURIComponent(name)}/${type}${rest}`;
  }

  headers(more = {}) {
    const token = this.token;
    return token ? { ...more, Authorization: `Bearer ${token}` } : more;
  }

  /** A reply whose status is good; of others the error is thrown. */
  async request(path, { query, body, type, method, signal, headers } = {}) {
    const parameters = query ? `?${new URLSearchParams(query)}` : '';
    for (;;) {
      let reply;
      try {
        reply = await fetch(path + parameters, {
          method: method ?? (body === undefined ? 'GET' : 'POST'), body, signal,
          headers: this.headers({ ...(type ? { 'Content-Type': type } : {}), ...headers }),
        });
      } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new ServerError('the server does not answer', 'offline');
      }
      const kind = reply.headers.get('Content-Type') ?? '';
      const isJSON = /^application\/(geo\+)?json/.test(kind);
      if (reply.ok && !isJSON) return reply;
      if (reply.ok) {
        // REST services say errors with the status 200.
        const value = await reply.json();
        const code = value?.error?.code;
        if (code === undefined || value.type === 'FeatureCollection') {
          return { json: async () => value, headers: reply.headers, value };
        }
        if (code === 498 || code === 499) {
          await this.#renewToken(value.error.message);
          continue;
        }
        throw Server.#error(value.error, reply.status);
      }
      const error = await Server.#failure(reply);
      if (reply.status === 401 || error.code === 498 || error.code === 499) {
        await this.#renewToken(error.message);
        continue;
      }
      throw error;
    }
  }

  static #error(error, status) {
    const details = (error.details ?? []).filter(Boolean).join(' ');
    return new ServerError(
      [error.message, details].filter(Boolean).join(' ') || `error ${error.code ?? status}`,
      error.code, status);
  }

  static async #failure(reply) {
    return Server.failureOf(reply.status, await reply.text());
  }

  /** What a failed request says, whose text is at hand. */
  static failureOf(status, text) {
    let message = text.trim().slice(0, 500);
    try {
      const { error, refusals } = JSON.parse(text);
      if (error && typeof error === 'object') return Server.#error(error, status);
      // Of locations none of which was taken.
      message = error ?? refusals?.[0]?.message ?? message;
    } catch {
      // Some refusals are plain text.
    }
    return new ServerError(message || `error ${status}`, status, status);
  }

  /** Asks for a token for who sends by other means than `request`. */
  renewToken(message) {
    return this.#renewToken(message);
  }

  /** Asks for a token once, however many requests lack it. */
  async #renewToken(message) {
    this.#waiting ??= this.#asksToken(message).finally(() => { this.#waiting = null; });
    const token = await this.#waiting;
    if (!token) throw new ServerError(message, 499);
    try {
      sessionStorage.setItem(tokenKey, token);
    } catch {
      throw new ServerError('the browser keeps no token: allow it to store data', 499);
    }
  }

  async json(path, options = {}) {
    const query = path.startsWith('arcgis/') ? { f: 'json', ...options.query } : options.query;
    const reply = await this.request(path, { ...options, query });
    return reply.value ?? reply.json();
  }

  /** Posts an object, and gives what comes back with the warnings of the reply. */
  async post(path, object, signal) {
    const reply = await this.request(path, {
      body: JSON.stringify(object), type: 'application/json', signal,
    });
    return {
      value: reply.value ?? await reply.json(),
      warnings: warningText(reply.headers.get('Plumb-Warning')),
    };
  }

  /** A picture and what is missing in it; where the reply is none, its error. */
  async picture(path, query, signal) {
    const reply = await this.request(path, { query: { f: 'image', ...query }, signal });
    if (!reply.blob) throw new ServerError('the reply is no picture');
    return {
      blob: await reply.blob(), warnings: warningText(reply.headers.get('Plumb-Warning')),
    };
  }
}

/**
 * Work of which one is under way at a time: what is asked meanwhile waits, and only the newest of
 * it is done then, so that answers come in the order of the questions.
 */
export function latest(work) {
  let isBusy = false;
  let next = null;
  const ask = async (question) => {
    if (isBusy) {
      next = { question };
      return;
    }
    isBusy = true;
    try {
      await work(question);
    } finally {
      isBusy = false;
      if (next) {
        const { question: newest } = next;
        next = null;
        ask(newest);
      }
    }
  };
  return ask;
}
