import type { Clause } from '@plant-store/contracts-kit';
import type { StoreHarness } from './store-harness.ts';

/**
 * Selects the clauses that apply to the harness's store only because it has this capability. They can then run apart from the
 * others, for example on a server that may be killed.
 */
export function clausesThatNeed(
  capability: 'external' | 'survivesServerCrash',
  harness: StoreHarness,
): (clause: Pick<Clause<StoreHarness>, 'appliesTo'>) => boolean {
  const without = { ...harness, capabilities: { ...harness.capabilities, [capability]: false } };
  return ({ appliesTo }) => appliesTo?.(without) === false;
}

/** Selects the clauses that wait for time-outs of the harness's store. They can run concurrently, each in a database of its own. */
export function clausesWithOutages(harness: StoreHarness): (clause: Clause<StoreHarness>) => boolean {
  const needOutages = clausesThatNeed('external', harness);
  // PR-20 and PR-21 apply to every store, and include an outage if the store can have one.
  return (clause) => needOutages(clause) || ['PR-20', 'PR-21'].includes(clause.id);
}
