// Sends requests to the page's server, with a token if the server requires one, and reports errors.

const tokenKey = 'plumb-token';

/** The text of a warnings header, in which non-ASCII warnings are encoded as in RFC 8187. */
export function warningText(header) {
  return header?.replace(/UTF-8''([\w%!#$&+.^`|~-]*)/g, (_, text) => decodeURIComponent(text)) ?? null;
}

/** The error of a request, on one line. */
export class ServerError extends Error {
  constructor(message, code, status = null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** Addresses are relative to the page, so that the page works below a path on another server. */
export class Server {
  #asksToken;
  #waiting = null;

  /** @param asksToken returns a promise of a token, or of null if there is no token. */
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

  /** Returns a successful reply; other replies throw an error. */
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
        // REST services report errors with the status 200.
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

  /** The error of a failed request by its text. */
  static failureOf(status, text) {
    let message = text.trim().slice(0, 500);
    try {
      const { error, refusals } = JSON.parse(text);
      if (error && typeof error === 'object') return Server.#error(error, status);
      // The error if all locations were rejected.
      message = error ?? refusals?.[0]?.message ?? message;
    } catch {
      // Some errors are plain text.
    }
    return new ServerError(message || `error ${status}`, status, status);
  }

  /** Requests a token for callers that do not use `request`. */
  renewToken(message) {
    return this.#renewToken(message);
  }

  /** Requests a token from the user once, even if several requests need a token. */
  async #renewToken(message) {
    this.#waiting ??= this.#asksToken(message).finally(() => { this.#waiting = null; });
    const token = await this.#waiting;
    if (!token) throw new ServerError(message, 499);
    try {
      sessionStorage.setItem(tokenKey, token);
    } catch {
      throw new ServerError('the browser cannot store the token: allow it to store data', 499);
    }
  }

  async json(path, options = {}) {
    const query = path.startsWith('arcgis/') ? { f: 'json', ...options.query } : options.query;
    const reply = await this.request(path, { ...options, query });
    return reply.value ?? reply.json();
  }

  /** Posts an object; returns the reply and its warnings. */
  async post(path, object, signal) {
    const reply = await this.request(path, {
      body: JSON.stringify(object), type: 'application/json', signal,
    });
    return {
      value: reply.value ?? await reply.json(),
      warnings: warningText(reply.headers.get('Plumb-Warning')),
    };
  }

  /** Returns a picture and its warnings; throws the error in any other reply. */
  async picture(path, query, signal) {
    const reply = await this.request(path, { query: { f: 'image', ...query }, signal });
    if (!reply.blob) throw new ServerError('the reply is not a picture');
    return {
      blob: await reply.blob(), warnings: warningText(reply.headers.get('Plumb-Warning')),
    };
  }
}

/**
 * Runs one request at a time: of the requests made meanwhile, only the newest is run next, so that
 * results arrive in order.
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
