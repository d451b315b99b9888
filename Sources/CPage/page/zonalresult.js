// Shows the statistics of an area as a table, a sentence and a histogram.

import { table } from './answer.js';
import { cellBins } from './cellbins.js';
import { areaText, count, measured } from './format.js';
import { histogram } from './histogram.js';

const statuses = {
  ok: 'the raster has values in all of the area',
  partial: 'the raster has values in a part of the area',
  nodata: 'no cell under the area has a value',
  outside: 'the area is outside the raster',
  bad_area: 'the shape has zero area, or cannot be used',
  read_error: 'some cells under the area cannot be read',
  transform_failed: 'the area cannot be transformed to the CRS of the raster',
};

/** The result in one sentence. */
export function summary(values, raster) {
  if (values.count > 0) return `Statistics of ${count(values.count, 'cell')} of ${raster}.`;
  return `${raster}: ${statuses[values.status] ?? values.status}.`;
}

/** Statistics by name, with the unit of the values. */
export function valueTable(values, unit) {
  const number = (value, after = '') => (
    typeof value === 'number' ? `${measured(value)}${after && ` ${after}`}` : value);
  const { status, valid_fraction: share } = values;
  return table([
    ['Status', statuses[status] ? `${status}: ${statuses[status]}` : status],
    ['Valid share',
      typeof share === 'number' ? `${Number((share * 100).toPrecision(4))} %` : share],
    ['Count', number(values.count)], ['Mean', number(values.mean, unit)],
    ['Minimum', number(values.min, unit)], ['Maximum', number(values.max, unit)],
    ['Standard deviation', number(values.stdev, unit)], ['Median', number(values.median, unit)],
    ['Sum', number(values.sum)],
    ['Area with values', typeof values.area === 'number' ? areaText(values.area) : values.area],
  ]);
}

/** The picture of a service's histogram, between the minimum and the maximum of the statistics. */
export function cellHistogram(name, found, values, options) {
  return histogram(name, {
    number: values.count, low: values.min, high: values.max, bins: cellBins(found, options),
  }, 'cell');
}
