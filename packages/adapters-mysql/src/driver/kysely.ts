import { callbackify } from 'node:util';
import { type Tables, withoutMigrationLock } from '@plant-store/sql-store';
import { Kysely, type Logger, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import type { CompleteOptions } from '../options.ts';
import { type Connections, openConnections } from './connections.ts';

/**
 * A database for Kysely, not yet connected; destroying it closes its connections. Statements on the hot path do without it.
 *
 * @param log is told of every statement, and of its error.
 */
export function openKysely(options: CompleteOptions, log?: Logger): Kysely<Tables> {
  const pool = poolOf(openConnections(options));
  return new Kysely({ dialect: withoutMigrationLock(new MysqlDialect({ pool })), ...(log && { log }) });
}

/** The part of mysql2's pool, and of its connections, that Kysely uses unless statements are streamed or cancelled. */
function poolOf({ acquire, end }: Connections): MysqlPool {
  async function getConnection() {
    const { session, release } = await acquire();
    return { query: callbackify(session.query), release } as unknown as MysqlPoolConnection;
  }
  return { getConnection: callbackify(getConnection), end: callbackify(end) };
}
