// Sends a track's locations to monitors.

const turns = 250;
const pause = 20;

/** Lets entities begin anew with these rows, as a replay does: the same track can come again. */
async function begin(server, address, track, rows) {
  await server.json(`${address}/replay`, {
    query: { speed: 'max' }, body: track.body(rows), type: track.type,
  });
  for (let turn = 0; turn < turns; turn += 1) {
    const { running: isRunning } = await server.json(`${address}/replay`);
    if (!isRunning) return;
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}

/**
 * Sends rows that are due.
 *
 * @param first those of them that begin an entity's way.
 * @returns a promise of a refusal, null where all were taken.
 */
export async function sendRows(server, monitors, track, rows, first) {
  if (!monitors.length) throw new Error('no monitor is watched: choose one');
  const rest = first.length ? rows.filter((row) => !first.includes(row)) : rows;
  const refusals = await Promise.all(monitors.map(async (name) => {
    const address = `monitor/${encodeURIComponent(name)}`;
    if (first.length) await begin(server, address, track, first);
    if (!rest.length) return null;
    const receipt = await server.json(
      `${address}/locations`, { body: track.body(rest), type: track.type });
    const [refusal] = receipt.refusals ?? [];
    return refusal ? new Error(`${name}: ${refusal.message}`) : null;
  }));
  return refusals.find((own) => own) ?? null;
}
