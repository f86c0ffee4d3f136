import type { BatchEngine, Done } from '@plant-store/group-commit';
import type { AnyResult, Table } from '../table.ts';

/** What the adapter of a database server brings to be an engine of group commit. Errors are the server's own. */
export interface ServerStatements<Item, Key extends bigint | string, Result extends AnyResult> {
  readonly insertBatch: BatchEngine<Item, Key, Result>['write'];
  /**
   * The outcomes of records whose keys others have, without those whose rows another session has locked. Waits for no
   * lock.
   */
  findUnlocked(keys: readonly Key[]): Promise<ReadonlyMap<Key, Done<Result>>>;
  /**
   * The keys that no row has. No outcome may rest on it: a row may not be durable yet. Waits for no lock.
   */
  notStored(keys: readonly Key[]): Promise<readonly Key[]>;
  /** Fails whenever an add would for lack of a server, a table, a privilege, space or a durable commit. */
  checkCanAdd(): Promise<void>;
}

/**
 * Makes an engine of group commit. It settles records whose keys are taken with the record that has the key. One that is
 * not stored was deleted by hand, and its key is free again; or another session is still inserting it. Those whose rows
 * another session has locked are left.
 */
export function serverEngine<Item, Key extends bigint | string, Result extends AnyResult>(
  { keyOf, name }: Pick<Table<Item, Key, Result>, 'keyOf' | 'name'>,
  { insertBatch, findUnlocked, notStored, checkCanAdd }: ServerStatements<Item, Key, Result>,
  {
    translateError,
    ...others
  }: Pick<BatchEngine<Item, Key, Result>, 'close' | 'isTransient'> & {
    /** What to throw for an error. */
    readonly translateError: (error: unknown, table: string) => unknown;
  },
): BatchEngine<Item, Key, Result> {
  const rethrow = (error: unknown) => Promise.reject(translateError(error, name));

  async function settle(items: readonly Item[], done: Parameters<Required<typeof engine>['settle']>[2]): Promise<void> {
    const keys = items.map(keyOf);
    const found = await findUnlocked(keys);
    for (const [key, outcome] of found) done(key, outcome);
    if (found.size === keys.length) return;
    for (const key of await notStored(keys.filter((each) => !found.has(each)))) done(key, 'absent');
  }

  const engine: BatchEngine<Item, Key, Result> = {
    write: (...batch) => insertBatch(...batch).catch(rethrow),
    settle: (items, _deadline, done) => settle(items, done).catch(rethrow),
    probe: () => checkCanAdd().catch(rethrow),
    ...others,
  };
  return engine;
}
