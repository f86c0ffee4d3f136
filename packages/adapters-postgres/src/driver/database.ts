import { StoreMisconfigured } from '@plant-store/domain';
import { type Tables, withoutMigrationLock } from '@plant-store/sql-store';
import { Kysely, type Logger, PostgresDialect } from 'kysely';
import type { CompleteOptions } from '../options.ts';
import { messageOf } from './check-session.ts';
import { type Connections, openConnections, type Traits } from './connections.ts';
import { kyselyPool } from './kysely.ts';
import { type PreparedStatements, preparedStatements } from './prepared-statements.ts';

/** A database, not yet connected. Both share its connections. */
export interface Database {
  /** For a statement on its own, as most adds are: ready-made text, prepared, and no layer above pg. */
  readonly statements: PreparedStatements;
  /** For transactions; it prepares nothing. */
  readonly kysely: Kysely<Tables>;
  /** For several statements on one connection, without Kysely. */
  readonly connections: Pick<Connections, 'run'>;
  /** Closes the connections; what still runs is cut off. */
  close(): Promise<void>;
}

/** @throws {Error} when the connection string cannot be used. */
export function openDatabase(options: CompleteOptions, traits: Pick<Traits, 'isRemote'> = {}): Database {
  // Reading, as an export does, comes without this: it saves what is there.
  const onFault: Traits['onFault'] = (fault) => {
    throw new StoreMisconfigured(messageOf(fault, options.table));
  };
  const connections = openConnections(options, { ...traits, onFault });
  return {
    connections,
    statements: preparedStatements(connections, options.onError),
    kysely: kyselyOn(connections),
    close: () => connections.end(),
  };
}

/**
 * A database for Kysely alone, not yet connected. Destroying it closes its connections.
 *
 * @param log is told of every statement, and of its error.
 * @throws {Error} when the connection string cannot be used.
 */
export function openKysely(options: CompleteOptions, log?: Logger): Kysely<Tables> {
  return kyselyOn(openConnections(options), log);
}

function kyselyOn(connections: Connections, log?: Logger): Kysely<Tables> {
  return new Kysely({
    dialect: withoutMigrationLock(new PostgresDialect({ pool: kyselyPool(connections) })),
    ...(log && { log }),
  });
}
