import type { BatchEngine, Done } from '@plant-store/group-commit';
import type { AnyResult, Table } from './table.ts';

/** What settling conflicts reads. None of it waits for locks. */
export interface ConflictReader<Item, Key, Result> {
  /** The outcomes of the records whose keys others have, without those whose rows another session has locked. */
  findUnlocked(items: readonly Item[]): Promise<ReadonlyMap<Key, Done<Result>>>;
  /** The records whose keys no row has. No outcome may rest on it: a row may not be durable yet. */
  notStored(items: readonly Item[]): Promise<readonly Item[]>;
}

/**
 * Settles records whose keys are taken with the record that has the key. One that is not stored was deleted by hand, and its
 * key is free again; or another session is still inserting it. Those whose rows another session has locked are left.
 */
export async function settleConflicts<Item, Key extends bigint | string, Result extends AnyResult>(
  { keyOf }: Pick<Table<Item, Key, Result>, 'keyOf'>,
  { findUnlocked, notStored }: ConflictReader<Item, Key, Result>,
  items: readonly Item[],
  done: Parameters<Required<BatchEngine<Item, Key, Result>>['settle']>[2],
): Promise<void> {
  const found = await findUnlocked(items);
  for (const [key, outcome] of found) done(key, outcome);
  if (found.size === items.length) return;
  for (const item of await notStored(items.filter((each) => !found.has(keyOf(each))))) done(keyOf(item), 'absent');
}
