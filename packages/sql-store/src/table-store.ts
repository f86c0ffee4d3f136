import { StoreMisconfigured, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import {
  type BatchEngine,
  type GroupCommit,
  type GroupCommitLimits,
  groupCommit,
  type ItemSpec,
  withTimeout as inTime,
} from '@plant-store/group-commit';
import type { StoreObserver } from './store-observer.ts';
import { type AnyResult, type Table, valueIn } from './table.ts';

/** What {@link openTableStore} takes beside the limits. */
export interface TableStoreOptions extends GroupCommitLimits {
  readonly observer: StoreObserver;
  /** Where an operator sees the sessions that lock rows; for the message about a record that was never settled. */
  readonly sessionsView?: string;
}

/** The store of a table, as every adapter returns it. */
export type TableStore<Item extends object, Key extends bigint | string, Result extends AnyResult> = ReturnType<
  typeof openTableStore<Item, Key, Result>
>;

/**
 * Makes a store of a table's engine, which writes in batches.
 *
 * @throws {RangeError} when a limit is out of its range.
 */
export function openTableStore<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  engine: BatchEngine<Item, Key, Result>,
  options: TableStoreOptions,
): GroupCommit<Item, Result> {
  return groupCommit(engine, specOf(table, options.sessionsView), options, options.observer);
}

/**
 * What a probe throws when it finds, on a connection that is open, that adds would succeed and must not: what they
 * acknowledge would be lost by a crash, or is not what is stored. Adds are refused until a probe finds it right again.
 */
export class UnsafeStore extends StoreMisconfigured {}

function specOf<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  table: Table<Item, Key, Result>,
  sessionsView: string | undefined,
): ItemSpec<Item, Key, Result> {
  const texts = table.columns.filter(({ type }) => type === 'text');
  return {
    keyOf: table.keyOf,
    sizeOf(item) {
      let size = 0;
      for (const column of texts) size += (valueIn(item, column) as string | null)?.length ?? 0;
      return size;
    },
    snapshot: (item) => table.recordIn(item),
    repeat: (result, first) => (result.outcome === 'added' ? table.exists(first).done : result),
    errors: {
      Unavailable: StoreUnavailable,
      Overloaded: StoreOverloaded,
      Misconfigured: StoreMisconfigured,
      Unsafe: UnsafeStore,
    },
    messages: {
      timedOut,
      overloaded: (waiting) => `${waiting} adds are waiting for the store already`,
      unsettled: (keys) => locked(table.noun, keys, sessionsView),
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

function locked(noun: string, keys: readonly (bigint | string)[], sessionsView: string | undefined): string {
  // Some of several may not be locked themselves, but wait with one that is.
  const rows =
    keys.length === 1
      ? `the row of ${noun} ${keys[0]}`
      : `rows among those of ${noun}s ${keys.slice(0, 3).join(', ')}${keys.length > 3 ? ', …' : ''}`;
  const shown = sessionsView === undefined ? '' : ` (${sessionsView} shows it)`;
  return `another session has locked ${rows}: end its transaction${shown}; the store recovers automatically`;
}
