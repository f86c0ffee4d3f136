import {
  type AddResult,
  type NewPlant,
  type Plant,
  type PlantStore,
  plantOf,
  StoreMisconfigured,
  type StoreObserver,
  StoreOverloaded,
  StoreUnavailable,
  textLength,
} from '@plant-store/domain';
import {
  type BatchEngine,
  type Done,
  type GroupCommitLimits,
  groupCommit,
  type ItemSpec,
  withTimeout as inTime,
} from '@plant-store/group-commit';

/** What a storage adapter has to implement; {@link openPlantStore} makes a PlantStore of it. */
export type PlantEngine = BatchEngine<NewPlant, bigint, AddResult>;

/** The outcome of a plant that was stored. */
export const added: Done<AddResult> = { done: { outcome: 'added' } };

/** The outcome of a plant whose id another one has. */
export function exists(plant: Plant): Done<AddResult> {
  return { done: { outcome: 'exists', plant } };
}

/** What {@link openPlantStore} takes beside the limits. */
export interface PlantStoreOptions extends GroupCommitLimits {
  readonly observer: StoreObserver;
  /** Where an operator sees the sessions that lock rows; for the message about a plant that was never settled. */
  readonly sessionsView?: string;
}

/**
 * Makes a PlantStore that writes in batches.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function openPlantStore(engine: PlantEngine, options: PlantStoreOptions): PlantStore {
  const { observer, sessionsView } = options;
  const { submit, check, close } = groupCommit(engine, plants(sessionsView), options, {
    watchWaiting: (count) => observer.watchWaitingAdds(count),
    wrote: (outcome, count, seconds) => observer.wrote(outcome === 'done' ? 'stored' : 'failed', count, seconds),
    retried: () => observer.retried(),
    circuit: (state) => observer.circuit(state),
  });
  return { plants: { add: submit }, check, close };
}

/**
 * What a probe throws when it finds, on a connection that is open, that adds would succeed and must not: what they
 * acknowledge would be lost by a crash, or is not what is stored. Adds are refused until a probe finds it right again.
 */
export class UnsafeStore extends StoreMisconfigured {}

function plants(sessionsView: string | undefined): ItemSpec<NewPlant, bigint, AddResult> {
  return {
    keyOf: ({ id }) => id,
    sizeOf: textLength,
    snapshot: (plant) => ({ id: plant.id, ...plantOf(plant) }),
    repeat: (result, first) => (result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(first) } : result),
    errors: {
      Unavailable: StoreUnavailable,
      Overloaded: StoreOverloaded,
      Misconfigured: StoreMisconfigured,
      Unsafe: UnsafeStore,
    },
    messages: {
      timedOut,
      overloaded: (waiting) => `${waiting} adds are waiting for the store already`,
      unsettled: (ids) => locked(ids, sessionsView),
      closed: 'the store is closed',
    },
  };
}

/**
 * Waits for the work of a store for at most `ms` milliseconds. Work that is late goes on.
 *
 * @throws {StoreUnavailable} on timeout.
 */
export function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return inTime(work, ms, () => new StoreUnavailable(timedOut(ms)));
}

const timedOut = (ms: number) => `the store did not respond within ${ms} ms`;

function locked(ids: readonly bigint[], sessionsView: string | undefined): string {
  // Some of several may not be locked themselves, but wait with one that is.
  const rows =
    ids.length === 1
      ? `the row of plant ${ids[0]}`
      : `rows among those of plants ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
  const shown = sessionsView === undefined ? '' : ` (${sessionsView} shows it)`;
  return `another session has locked ${rows}: end its transaction${shown}; the store recovers automatically`;
}
