// The button that opens the statistics of a result's area.

import { button } from './dom.js';

/**
 * Creates the button, which is hidden if the map has no raster.
 *
 * @param subject returns the area: see `show` of the tool Statistics.
 */
export function statisticsButton(app, subject) {
  const own = button('Statistics of this area', async () => {
    const area = subject();
    const tool = await app.openTool('statistics');
    tool.show(area);
  }, { disabled: true });
  const update = () => { own.hidden = !app.images.length; };
  app.events.addEventListener('map', update);
  update();
  return own;
}
