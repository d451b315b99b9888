// The URL fragment stores the view, the tool, the map, the date, and the layers switched on or off.

/** Parses the fragment; invalid parts are ignored. */
export function readLink(hash = location.hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const state = {
    map: parameters.get('map'), tool: parameters.get('tool'), date: parameters.get('date'),
  };
  const view = (parameters.get('view') ?? '').split(',')
    .map((text) => (text.trim() ? Number(text) : NaN));
  if (view.length === 3 && view.every(Number.isFinite) && Math.abs(view[1]) <= 90) {
    state.view = { lng: view[0], lat: view[1], zoom: view[2] };
  }
  for (const name of ['hide', 'show']) {
    state[name] = (parameters.get(name) ?? '').split(',').filter((text) => /^\d+$/.test(text))
      .map(Number);
  }
  return state;
}

/** The fragment for a state. */
export function linkText({ map, tool, view, date, hide, show }) {
  const parts = [];
  if (map) parts.push(`map=${encodeURIComponent(map)}`);
  if (view) parts.push(`view=${view.lng.toFixed(6)},${view.lat.toFixed(6)},${view.zoom}`);
  if (date) parts.push(`date=${encodeURIComponent(date)}`);
  if (tool) parts.push(`tool=${encodeURIComponent(tool)}`);
  if (hide?.length) parts.push(`hide=${hide.join(',')}`);
  if (show?.length) parts.push(`show=${show.join(',')}`);
  return `#${parts.join('&')}`;
}

/** Writes the fragment without adding to the history. */
export function writeLink(state) {
  const text = linkText(state);
  if (location.hash !== text) history.replaceState(null, '', text);
}
