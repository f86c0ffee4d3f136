import { type AnyResult, openTableStore, serverEngine, type Table, type TableStore } from '@plant-store/sql-store';
import type { Database } from './driver/database.ts';
import { isTransient, translateError } from './errors.ts';
import { insertBatchBy } from './insert-batch.ts';
import type { CompleteOptions } from './options.ts';
import { statementsOf } from './statements.ts';

/**
 * Opens a store for a table that is not distributed, on connections that it closes. Apart from `store.ts`, whose types need
 * none of the driver's.
 */
export function openOn<Item extends object, Key extends bigint | string, Result extends AnyResult>(
  db: Database,
  table: Table<Item, Key, Result>,
  options: CompleteOptions,
): TableStore<Item, Key, Result> {
  const statements = statementsOf(table, db.statements);
  const brought = { ...statements, insertBatch: insertBatchBy(table, statements.insert, statements.notStored) };
  const engine = serverEngine(table, brought, { translateError, isTransient, close: () => db.close() });
  return openTableStore(table, engine, { ...options, sessionsView: 'pg_stat_activity' });
}
