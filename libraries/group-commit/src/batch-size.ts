/** Bounds the items of a batch by how long the last ones took. */
export interface BatchSize {
  /** The most items that the next batch should have. */
  readonly most: number;
  /** A write has ended, or timed out, after so many milliseconds. */
  ended(items: number, tookMs: number): void;
}

/**
 * Makes batches smaller while they take longer than a bound, so that an engine for which each item is dear still answers those
 * that it has admitted. If a much smaller one takes as long, as when a commit has to cross an ocean, it is not the items: then
 * batches may be larger again, and take up to twice that.
 *
 * @param max the most items in any case.
 * @param longestMs the bound.
 */
export function batchSize(max: number, longestMs: number): BatchSize {
  let boundMs = longestMs;
  /** The first of those that have taken too long since one of full size did not. */
  let late: { readonly items: number; readonly tookMs: number } | undefined;
  const size = {
    most: max,
    ended(items: number, tookMs: number) {
      if (tookMs <= longestMs) boundMs = longestMs;
      if (tookMs <= boundMs) {
        // A quick one says so whatever is in it: while there is little to do, none is full.
        if (items < size.most && tookMs > longestMs / 4) return;
        size.most = Math.min(max, size.most + Math.ceil(size.most / 8));
        late = undefined;
      } else if (items <= size.most && items >= FEWEST) {
        // One with more began before batches became smaller.
        if (late && items < MUCH_SMALLER * late.items && tookMs > AS_LONG * late.tookMs) {
          boundMs = 2 * tookMs;
          size.most = Math.min(max, 2 * late.items);
          late = undefined;
        } else {
          late ??= { items, tookMs };
          size.most = Math.max(FEWEST, Math.floor((items * longestMs) / tookMs));
        }
      }
    },
  };
  return size;
}

/** 8: what fewer take says nothing about how dear an item is. */
const FEWEST = 8;

/** Three quarters. */
const MUCH_SMALLER = 0.75;

/** Nine tenths: what takes three quarters of the items takes less, if it is they. */
const AS_LONG = 0.9;
