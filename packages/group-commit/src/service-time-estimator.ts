/** What a write costs: a fixed part, such as its commit, and a part for each plant in it. All in milliseconds. */
export interface ServiceTimeEstimator {
  /** Zero until a large write has taken long enough to be conclusive. */
  readonly perPlantMs: number;
  /**
   * Both costs as far as the last two writes, one after the other, have confirmed them: a single pause says nothing
   * about the speed, and neither does what was long ago. `now` is the time in milliseconds.
   */
  confirmed(now: number): { readonly fixedMs: number; readonly perPlantMs: number };
  /** Records a write that has just ended. */
  learn(plants: number, tookMs: number, now: number): void;
}

/** The most plants in a small write. */
export const SMALL_WRITE = 4;

/**
 * Learns the cost of writes from the last few. Small and large writes are told apart, and the line through the mean of
 * each gives both parts (Wald, 1940): what a large write takes longer is the plants' part, what both take is the
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
    get perPlantMs() {
      if (large.tookMs < telling) return 0;
      const slope = (large.tookMs - small.tookMs) / (large.plants - small.plants);
      // No plant costs more than its share of a write; without this, what was slow once would count as slow for ever. The
      // share of a large write is no bound: it is less than the slope only where that of a small one is less still.
      const share = small.plants > 0 ? small.tookMs / small.plants : Infinity;
      return Math.min(Math.max(0, slope), share);
    },
    confirmed(now) {
      const { perPlantMs } = this;
      const fixedMs = Math.max(0, small.tookMs - small.plants * perPlantMs);
      return {
        fixedMs: Math.min(fixedMs, lastOfAny.quicker(now)),
        perPlantMs: Math.min(perPlantMs, lastLarge.quicker(now)),
      };
    },
    learn(plants, tookMs, now) {
      // The fixed part is no more than what any write took.
      lastOfAny.add(tookMs, now - tookMs, now);
      if (plants <= SMALL_WRITE) return small.add(plants, tookMs);
      large.add(plants, tookMs);
      lastLarge.add(tookMs < telling ? 0 : tookMs / plants, now - tookMs, now);
    },
  };
}

/** Five times the longest that an add may wait: an overloaded store ends several large writes in that time. */
const FORGOTTEN_AFTER = 40;

/** Exponentially weighted means. */
function recentMean(weightOfLast: number) {
  const mean = {
    plants: 0,
    tookMs: 0,
    add(plants: number, tookMs: number) {
      const weight = mean.plants === 0 ? 1 : weightOfLast;
      mean.plants += weight * (plants - mean.plants);
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
