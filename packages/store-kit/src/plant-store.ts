import {
  type AddResult,
  type NewPlant,
  type PlantStore,
  plantOf,
  StoreMisconfigured,
  StoreOverloaded,
  StoreUnavailable,
} from '@plant-store/domain';
import {
  type BatchEngine,
  type GroupCommitLimits,
  groupCommit,
  type ItemSpec,
  withTimeout as inTime,
} from '@plant-store/group-commit';
import type { StoreObserver } from './store-observer.ts';

/** What a storage adapter has to implement; {@link openPlantStore} makes a PlantStore of it. */
export type PlantEngine = BatchEngine<NewPlant, AddResult>;

/**
 * What a probe throws when it finds, on a connection that is open, that adds would succeed and must not: what they
 * acknowledge would be lost by a crash, or is not what is stored. Adds are refused until a probe finds it right again.
 */
export class UnsafeStore extends StoreMisconfigured {}

/** What messages say of locks that other sessions hold. */
export interface Locks {
  /** Where an operator sees what keeps rows locked. */
  readonly sessionsView?: string;
  /** Who keeps plants waiting, if that is known. */
  readonly lockedBy?: () => string | undefined;
}

/**
 * Makes a PlantStore that writes in batches.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function openPlantStore(
  engine: PlantEngine,
  options: GroupCommitLimits & Locks & { readonly observer: StoreObserver },
): PlantStore {
  const { submit, check, close } = groupCommit(engine, specOf(options), options, options.observer);
  return { plants: { add: submit }, check, close };
}

const specOf = ({ sessionsView, lockedBy = () => undefined }: Locks): ItemSpec<NewPlant, bigint, AddResult> => ({
  keyOf: ({ id }) => id,
  sizeOf: ({ name, tag = '' }) => name.length + tag.length,
  snapshot: (plant) => ({ id: plant.id, ...plantOf(plant) }),
  repeat: (result, first) => (result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(first) } : result),
  errors: {
    Unavailable: StoreUnavailable,
    Overloaded: StoreOverloaded,
    Misconfigured: StoreMisconfigured,
    Unsafe: UnsafeStore,
  },
  messages: {
    timedOut: (ms) => {
      const holder = lockedBy();
      return `${timedOut(ms)}${holder ? `: ${holder} has locked the table plants, or rows of it` : ''}`;
    },
    overloaded: (waiting) => `${waiting} adds are waiting for the store already`,
    unsettled(ids) {
      const holder = lockedBy();
      const rows = rowsOf(ids);
      const where = sessionsView === undefined ? '' : ` (see ${sessionsView})`;
      return holder
        ? `${holder} has locked ${rows}: end its transaction`
        : `another session has locked ${rows}: end its transaction${where}`;
    },
    closed: 'the store is closed',
  },
});

/**
 * Waits for the work of a store for at most `ms` milliseconds. Work that is late goes on.
 *
 * @throws {StoreUnavailable} on timeout.
 */
export function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return inTime(work, ms, () => new StoreUnavailable(timedOut(ms)));
}

const timedOut = (ms: number) => `the store did not respond within ${ms} ms`;

/** Some of several may not be locked themselves, but wait with one that is. */
function rowsOf(ids: readonly bigint[]): string {
  return ids.length === 1
    ? `the row of plant ${ids[0]}`
    : `rows among those of plants ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
}
