import type { Contestant } from '../contestants/contestant.ts';
import type { Resources } from '../resources.ts';
import type { Sample } from '../samples.ts';
import type { Settings } from '../settings.ts';
import { atRate } from './comparison.ts';
import { inTurn } from './in-turn.ts';

/** From a quiet service to beyond what two cores carry. */
const DEFAULT_RATES = [250, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000];

/** A contestant that responds to less than this share of the requests that are due is saturated. */
const SATURATED_BELOW = 0.9;

/** Constant rates, one after the other, until a contestant is saturated. */
export function measureOpenLoop(
  contestants: readonly Contestant[],
  settings: Settings,
  resources: Resources,
): Promise<readonly Sample[]> {
  const rates = (settings.rates ?? DEFAULT_RATES).toSorted((one, other) => one - other);
  return inTurn(
    contestants,
    settings,
    resources,
    rates.map((rate) => ({
      ...atRate(settings, rate),
      isLast: ({ requestsPerSecond }) => requestsPerSecond < SATURATED_BELOW * rate,
    })),
  );
}
