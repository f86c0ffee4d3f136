import { type Tables, withoutMigrationLock } from '@plant-store/sql-store';
import { Kysely, type Logger, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import type { CompleteOptions } from '../options.ts';
import { type Connections, openConnections } from './connections.ts';
import type { Session } from './session.ts';

/**
 * A database for Kysely, not yet connected; destroying it closes its connections. Statements on the hot path do without it.
 *
 * @param log is told of every statement, and of its error.
 */
export function openKysely(options: CompleteOptions, log?: Logger): Kysely<Tables> {
  const pool = poolOf(openConnections(options));
  return new Kysely({ dialect: withoutMigrationLock(new MysqlDialect({ pool })), ...(log && { log }) });
}

function poolOf(connections: Connections): MysqlPool {
  return {
    getConnection(callback) {
      connections.acquire().then(
        (session) =>
          callback(
            null,
            connectionOf(session, () => connections.release(session)),
          ),
        (error: unknown) => callback(error, undefined as unknown as MysqlPoolConnection),
      );
    },
    end(callback) {
      connections.end().then(() => callback(null), callback);
    },
  };
}

/** The part of mysql2's connection that Kysely uses unless statements are streamed or cancelled. */
function connectionOf(session: Session, release: () => void): MysqlPoolConnection {
  const query = (sql: string, values: readonly unknown[], done: (error: unknown, result?: unknown) => void) => {
    session.query(sql, values).then((result) => done(null, result), done);
  };
  return { query, release } as unknown as MysqlPoolConnection;
}
