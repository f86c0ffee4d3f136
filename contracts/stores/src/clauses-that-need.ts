import type { Clause } from '@plant-store/contracts-kit';
import type { StoreHarness } from './store-harness.ts';

/**
 * Selects the clauses that bind the harness's store only if it has this capability, so that they can run elsewhere than the
 * others: on a server that may be killed, say.
 */
export function clausesThatNeed(
  capability: 'external' | 'survivesServerCrash',
  harness: StoreHarness,
): (clause: Pick<Clause<StoreHarness>, 'appliesTo'>) => boolean {
  const without = { ...harness, capabilities: { ...harness.capabilities, [capability]: false } };
  return ({ appliesTo }) => appliesTo?.(without) === false;
}

/** Selects the clauses that wait for time-outs of the harness's store, to run them at the same time, each in a place of its own. */
export function clausesWithOutages(harness: StoreHarness): (clause: Clause<StoreHarness>) => boolean {
  const needOutages = clausesThatNeed('external', harness);
  // The two bind every store, and have an outage in them if the store can have one.
  return (clause) => needOutages(clause) || ['PR-20', 'PR-21'].includes(clause.id);
}
