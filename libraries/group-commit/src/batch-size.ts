/**
 * Limits the items of a batch by how long recent batches took. Shrinks batches that take longer than a target, so that an engine with slow items still responds in time. At twice the load that
 * it sustains, an engine that takes 8 ms an item stores 8 times as many in time. If a much smaller batch takes as long, the commit
 * is slow rather than the items, for example across an ocean. Batches then grow again, and may take up to twice that time. An
 * engine that takes 600 ms a commit stores 36 times as many items.
 *
 * @param maxBatch the maximum items in any case.
 * @param targetMs the target duration of a write in milliseconds.
 */
export function batchSize(maxBatch: number, targetMs: number) {
  let boundMs = targetMs;
  /** The first slow batch since the last fast one. */
  let slow: { readonly items: number; readonly tookMs: number } | undefined;
  const size = {
    /** The maximum items of the next batch. */
    max: maxBatch,
    /** The duration of the latest write that has ended, in milliseconds; 0 before the first. */
    latestMs: 0,
    /** Records a write that has ended or timed out, with its number of items and its duration in milliseconds. */
    record(items: number, tookMs: number): void {
      if (tookMs <= targetMs) boundMs = targetMs;
      if (tookMs <= boundMs) {
        // A very fast batch counts although it is not full, because under low load none is full. Otherwise a burst of 400 items,
        // hours after one slow batch, would lose 368 to the limit of the queue.
        if (items < size.max && tookMs > targetMs / 4) return;
        size.max = Math.min(maxBatch, size.max + Math.ceil(size.max / 8));
        slow = undefined;
      } else if (items <= size.max && items >= MIN_BATCH) {
        // Ignores larger batches, which started before the limit was lowered.
        if (slow && items < SMALLER * slow.items && tookMs > SIMILAR * slow.tookMs) {
          boundMs = 2 * tookMs;
          size.max = Math.min(maxBatch, 2 * slow.items);
          slow = undefined;
        } else {
          slow ??= { items, tookMs };
          size.max = Math.max(MIN_BATCH, Math.floor((items * targetMs) / tookMs));
        }
      }
    },
  };
  return size;
}

/** 8: the duration of fewer items says nothing about the cost of an item. */
const MIN_BATCH = 8;

/** A batch is much smaller if it has less than three quarters of the items. */
const SMALLER = 0.75;

/** A batch takes as long if it takes more than nine tenths of the time. Proportional to the items it would take 0.75. */
const SIMILAR = 0.9;
