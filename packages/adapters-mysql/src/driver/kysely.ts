import {
  type DialectAdapter,
  Kysely,
  MysqlAdapter,
  MysqlDialect,
  type MysqlPool,
  type MysqlPoolConnection,
} from 'kysely';
import type { Schema } from '../schema.ts';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

/** Takes a lock with the connection that migrates, and keeps it until that is over. */
export interface MigrationLock {
  acquire(db: Kysely<Schema>): Promise<void>;
  release(db: Kysely<Schema>): Promise<void>;
}

/** The connections for Kysely; destroying it closes them. Statements on the hot path do without it. */
export function kyselyOn(connections: Connections, lock?: MigrationLock): Kysely<Schema> {
  return new Kysely({ dialect: new Dialect({ pool: poolOf(connections) }, lock) });
}

class Dialect extends MysqlDialect {
  readonly #lock: MigrationLock | undefined;

  constructor(config: { readonly pool: MysqlPool }, lock: MigrationLock | undefined) {
    super(config);
    this.#lock = lock;
  }

  override createAdapter(): DialectAdapter {
    return new Adapter(this.#lock);
  }
}

/** Kysely's own lock has one name for all databases of a server, and waits for it for an hour, in silence. */
class Adapter extends MysqlAdapter {
  readonly #lock: MigrationLock | undefined;

  constructor(lock: MigrationLock | undefined) {
    super();
    this.#lock = lock;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature.
  override async acquireMigrationLock(db: Kysely<any>): Promise<void> {
    await this.#lock?.acquire(db);
  }

  // biome-ignore lint/suspicious/noExplicitAny: Kysely's own signature.
  override async releaseMigrationLock(db: Kysely<any>): Promise<void> {
    await this.#lock?.release(db);
  }
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
