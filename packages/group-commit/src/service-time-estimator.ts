/** What a write costs: a fixed part, such as its commit, and a part for each item in it. All in milliseconds. */
export interface ServiceTimeEstimator {
  /** Zero until a large write has taken long enough to be conclusive. */
  readonly perItemMs: number;
  /**
   * Both costs as far as the last two writes, one after the other, have confirmed them: a single pause says nothing
   * about the speed, and neither does what was long ago. `now` is the time in milliseconds.
   */
  confirmed(now: number): { readonly fixedMs: number; readonly perItemMs: number };
  /** Records a write that has just ended. */
  learn(items: number, tookMs: number, now: number): void;
}

/** The most items in a small write. */
export const SMALL_WRITE = 4;

/**
 * Learns the cost of writes from the last few. Small and large writes are told apart, and the line through the mean of
 * each gives both parts (Wald, 1940): what a large write takes longer is the items' part, what both take is the
 * commit's. Writing less at once lowers the one, not the other.
 *
 * @param telling large writes that take fewer milliseconds are ignored: they differ by chance.
 */
export function serviceTimeEstimator(telling: number): ServiceTimeEstimator {
  const small = recentMean(1 / 2);
  const large = recentMean(1 / 4);
  const lastOfAny = lastTwo(FORGOTTEN_AFTER * telling);
  const lastLarge = lastTwo(FORGOTTEN_AFTER * telling);
  return {
    get perItemMs() {
      if (large.tookMs < telling) return 0;
      const slope = (large.tookMs - small.tookMs) / (large.items - small.items);
      // No item costs more than its share of a write; without this, what was slow once would count as slow for ever. The
      // share of a large write is no bound: it is less than the slope only where that of a small one is less still.
      const share = small.items > 0 ? small.tookMs / small.items : Infinity;
      return Math.min(Math.max(0, slope), share);
    },
    confirmed(now) {
      const { perItemMs } = this;
      const fixedMs = Math.max(0, small.tookMs - small.items * perItemMs);
      return {
        fixedMs: Math.min(fixedMs, lastOfAny.quicker(now)),
        perItemMs: Math.min(perItemMs, lastLarge.quicker(now)),
      };
    },
    learn(items, tookMs, now) {
      // The fixed part is no more than what any write took.
      lastOfAny.add(tookMs, now - tookMs, now);
      if (items <= SMALL_WRITE) return small.add(items, tookMs);
      large.add(items, tookMs);
      lastLarge.add(tookMs < telling ? 0 : tookMs / items, now - tookMs, now);
    },
  };
}

/** Five times the longest that an item may wait: an overloaded engine ends several large writes in that time. */
const FORGOTTEN_AFTER = 40;

/** Exponentially weighted means. */
function recentMean(weightOfLast: number) {
  const mean = {
    items: 0,
    tookMs: 0,
    add(items: number, tookMs: number) {
      const weight = mean.items === 0 ? 1 : weightOfLast;
      mean.items += weight * (items - mean.items);
      mean.tookMs += weight * (tookMs - mean.tookMs);
    },
  };
  return mean;
}

/** What the last two writes cost, the second of which began after the first had ended; zero when that is long ago. */
function lastTwo(forgottenAfterMs: number) {
  let last = { cost: 0, ended: 0 };
  let before = last;
  return {
    quicker: (now: number) => (now - last.ended > forgottenAfterMs ? 0 : Math.min(last.cost, before.cost)),
    add(cost: number, began: number, ended: number) {
      // Writes that were in flight together have met the same pause.
      if (began < last.ended) last = { ...last, cost: Math.min(last.cost, cost) };
      else [before, last] = [last, { cost, ended }];
    },
  };
}
