// Merges the bins of an image service's histogram to at most the number that the chart shows.

const binLimit = 36;

/**
 * A bin for each integer from the first to the last value; null if a bin of the service may contain
 * several integers.
 */
function wholeBins({ size, min, max, counts }) {
  const [first, last] = [Math.ceil(min), Math.floor(max)];
  if (last - first >= size) return null;
  // The index of the bin to which the service assigns a value.
  const place = (value) => Math.min(
    size - 1, Math.floor((value / 2 - min / 2) / (max / 2 - min / 2) * size));
  const bins = Array.from({ length: last - first + 1 }, (_, at) => (
    { from: first + at, to: first + at, count: counts[place(first + at)] }));
  const hasCells = ({ count }) => count > 0;
  return bins.slice(bins.findIndex(hasCells), bins.findLastIndex(hasCells) + 1);
}

function equalBins({ size, min, max, counts }) {
  const edge = (at) => min * (1 - at / size) + max * (at / size);
  return counts.map((count, at) => ({ from: edge(at), to: edge(at + 1), count }));
}

function joined(bins) {
  const side = Math.ceil(bins.length / binLimit);
  return Array.from({ length: Math.ceil(bins.length / side) }, (_, at) => {
    const part = bins.slice(at * side, (at + 1) * side);
    return {
      from: part[0].from, to: part.at(-1).to,
      count: part.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

/**
 * The bins of the chart.
 *
 * @param found the service's `size`, `min`, `max` and `counts`.
 * @param isWhole whether cells are integers; if there are few integers, each has a separate bin.
 * @param scale, offset the conversion from stored values to displayed values.
 */
export function cellBins(found, { isWhole, scale = 1, offset = 0 }) {
  const { min, max, counts } = found;
  const own = max > min ? joined((isWhole && wholeBins(found)) || equalBins(found))
    : [{ from: min, to: max, count: counts.reduce((sum, count) => sum + count, 0) }];
  const shown = own.map(({ from, to, count }) => {
    const ends = [from * scale + offset, to * scale + offset];
    return { from: Math.min(...ends), to: Math.max(...ends), count };
  });
  return scale < 0 ? shown.reverse() : shown;
}
