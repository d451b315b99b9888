// Sends a track's locations to monitors.

const attempts = 250;
const pause = 20;

/**
 * Resets entities and sends these rows as a replay, so that the same track can be sent again.
 *
 * @returns a promise of the first rejection's `message`, and of the `refused` rows.
 */
async function begin(server, address, track, rows) {
  try {
    await server.json(`${address}/replay`, {
      query: { speed: 'max' }, body: track.body(rows), type: track.type,
    });
  } catch (error) {
    // None of these rows is readable, but other rows may be.
    if (error.status === 400) return { message: error.message, refused: rows };
    throw error;
  }
  for (let at = 0; at < attempts; at += 1) {
    const { running: isRunning, refusals = [] } = await server.json(`${address}/replay`);
    if (!isRunning) {
      return { message: refusals[0]?.message, refused: refusals.map((own) => rows[own.row]) };
    }
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
  return { refused: [] };
}

/**
 * Sends rows that are due.
 *
 * @param first the rows that are the first row of their entity.
 * @returns a promise of a `refusal`, null if all rows were accepted, and of the rows of `first`
 * that were `refused`.
 */
export async function sendRows(server, monitors, track, rows, first) {
  if (!monitors.length) throw new Error('no monitor is watched: choose one');
  const rest = first.length ? rows.filter((row) => !first.includes(row)) : rows;
  const refused = [];
  const messages = await Promise.all(monitors.map(async (name) => {
    const address = `monitor/${encodeURIComponent(name)}`;
    let message;
    if (first.length) {
      const receipt = await begin(server, address, track, first);
      message = receipt.message;
      refused.push(...receipt.refused);
    }
    if (rest.length) {
      try {
        const receipt = await server.json(
          `${address}/locations`, { body: track.body(rest), type: track.type });
        message ??= receipt.refusals?.[0].message;
      } catch (error) {
        if (error.status !== 400) throw error;
        message ??= error.message;
      }
    }
    return message && `${name}: ${message}`;
  }));
  const message = messages.find((own) => own);
  return { refusal: message ? new Error(message) : null, refused };
}
