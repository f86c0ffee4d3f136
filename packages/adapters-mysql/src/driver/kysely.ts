import { type Tables, withoutMigrationLock } from '@plant-store/sql-store';
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

/** The connections for Kysely; destroying it closes them. Statements on the hot path do without it. */
export function kyselyOn(connections: Connections): Kysely<Tables> {
  return new Kysely({ dialect: withoutMigrationLock(new MysqlDialect({ pool: poolOf(connections) })) });
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
