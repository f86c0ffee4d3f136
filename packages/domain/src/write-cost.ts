/** What a write costs: so much for itself, such as its commit, and so much for each plant in it. */
export interface WriteCost {
  /** Zero until a small write has ended. */
  readonly fixedMs: number;
  /** Zero until a large write has taken long enough to tell. */
  readonly perPlantMs: number;
  /** Takes note of a write that was done. */
  learn(plants: number, tookMs: number): void;
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
export function writeCost(telling: number): WriteCost {
  const small = recentMean(1 / 2);
  const large = recentMean(1 / 4);
  return {
    get fixedMs() {
      return Math.max(0, small.tookMs - small.plants * this.perPlantMs);
    },
    get perPlantMs() {
      if (large.plants === 0 || large.tookMs < telling) return 0;
      const slope = (large.tookMs - small.tookMs) / (large.plants - small.plants);
      // No plant costs more than its share of a write; without this, what was slow once would be taken for slow for ever.
      const share = Math.min(large.tookMs / large.plants, small.plants > 0 ? small.tookMs / small.plants : Infinity);
      return Math.min(Math.max(0, slope), share);
    },
    learn(plants, tookMs) {
      (plants > SMALL_WRITE ? large : small).add(plants, tookMs);
    },
  };
}

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
