import { type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import type { Kysely } from 'kysely';
import type { CompleteServerOptions } from '../options.ts';
import { openPlantStore, withTimeout } from '../plant-store.ts';
import type { Database } from '../rows.ts';
import { type SqlStatements, sqlEngine } from './engine.ts';
import type { DriverSession, SessionPool } from './sessions.ts';

/** The session pool of a database server, and Kysely on that pool. It connects on first use. */
export interface SqlDatabase<Session extends DriverSession> {
  readonly sessions: SessionPool<Session>;
  readonly db: Kysely<Database>;
}

/**
 * Opens a store on a database server. In an outage, or if the database is not migrated, it resolves within `timeoutMs` with a
 * store that recovers automatically.
 *
 * @param sessionsView the view of the database in which an operator finds sessions with locks.
 * @throws {StoreMisconfigured} if a retry cannot help.
 */
export async function openSqlStore<Session extends DriverSession>(
  { sessions }: SqlDatabase<Session>,
  statements: SqlStatements<Session>,
  options: CompleteServerOptions,
  sessionsView: string,
): Promise<PlantStore> {
  const engine = sqlEngine(sessions, statements, options);
  try {
    await withTimeout(engine.checkTable(), options.timeoutMs);
  } catch (error) {
    if (StoreMisconfigured.is(error)) {
      await sessions.end();
      throw error;
    }
  }
  return openPlantStore(engine, { ...options, sessionsView, lockedBy: engine.lockedBy, waitsFor: engine.waitsFor });
}
