/** What a write costs: so much for itself, such as its commit, and so much for each plant in it. All in milliseconds. */
export interface ServiceTimeEstimator {
  /** Zero until a large write has taken long enough to tell. */
  readonly perPlantMs: number;
  /**
   * Both costs as far as the last two writes have shown them, one after the other: a pause alone tells nothing
   * of the pace, and neither does what was long ago. `now` is the time in milliseconds.
   */
  confirmed(now: number): { readonly fixedMs: number; readonly perPlantMs: number };
  /** Takes note of a write that was done just now. */
  learn(plants: number, tookMs: number, now: number): void;
}

/** So many plants make a large write no more. */
export const SMALL_WRITE = 4;

/**
 * Learns what writes cost from those that were done, the last few of them above all. Two kinds are told apart, small
 * and large ones, and the line through the mean of each has the two costs (Wald, 1940): what a large write takes longer
 * is the plants', what both take is the commit's. The one can be helped by writing less at once, the other cannot.
 *
 * @param telling large writes that take less milliseconds tell nothing: chance is what makes them differ.
 */
export function serviceTimeEstimator(telling: number): ServiceTimeEstimator {
  const small = recentMean(1 / 2);
  const large = recentMean(1 / 4);
  const lastOfAny = lastTwo(FORGOTTEN_AFTER * telling);
  const lastLarge = lastTwo(FORGOTTEN_AFTER * telling);
  return {
    get perPlantMs() {
      if (large.plants === 0 || large.tookMs < telling) return 0;
      const slope = (large.tookMs - small.tookMs) / (large.plants - small.plants);
      // No plant costs more than its share of a write; without this, what was slow once would be taken for slow for ever.
      const share = Math.min(large.tookMs / large.plants, small.plants > 0 ? small.tookMs / small.plants : Infinity);
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
      // What a write costs for itself is no more than what any took.
      lastOfAny.add(tookMs, now - tookMs, now);
      if (plants <= SMALL_WRITE) return small.add(plants, tookMs);
      large.add(plants, tookMs);
      lastLarge.add(tookMs < telling ? 0 : tookMs / plants, now - tookMs, now);
    },
  };
}

/** Five times the longest that an add may wait: a store that has too much to do ends several large writes in that time. */
const FORGOTTEN_AFTER = 40;

/** The means of what was seen lately, where the last one has so much weight, and the earlier ones ever less. */
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

/** What the last two writes cost, of which the second began after the first had ended; nothing when that is long ago. */
function lastTwo(forgottenAfterMs: number) {
  let last = { cost: 0, ended: 0 };
  let before = last;
  return {
    quicker: (now: number) => (now - last.ended > forgottenAfterMs ? 0 : Math.min(last.cost, before.cost)),
    add(cost: number, began: number, ended: number) {
      // Writes that were under way together have met the same pause.
      if (began < last.ended) last = { ...last, cost: Math.min(last.cost, cost) };
      else [before, last] = [last, { cost, ended }];
    },
  };
}
