import type pg from 'pg';

/** Checks a new connection before it is used. @throws {Error} when it must not be. */
export type VerifySession = (client: pg.ClientBase) => Promise<void>;

/** Learns of a new connection that is durable, and whether its database has Citus. @throws {Error} when it must not be used. */
export type OnSession = (client: pg.ClientBase, hasCitus: boolean) => void | Promise<void>;

/**
 * Refuses sessions whose commits would not be durable. The server, the database or the user may have set
 * `synchronous_commit = off`, and no client would notice: a crash loses what was acknowledged last. It is not
 * overridden here, because a session behind a pooler is shared.
 *
 * @param primaryOnly refuses standbys as well: their rows may be older than what was acknowledged.
 * @param withinMs refuses a server that accepts the connection and then does not respond, as a pooler does whose
 * database hangs.
 * @param onSession is called last.
 */
export function checkSession(primaryOnly: boolean, withinMs: number, onSession: OnSession = () => {}): VerifySession {
  return async (client) => {
    const text = `SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit', true) AS commit,
      to_regclass('pg_dist_partition') IS NOT NULL AS citus`;
    // pg's types do not know the time-out of a single query.
    const { rows } = await client.query<Session>({ text, query_timeout: withinMs } as pg.QueryConfig);
    const { host, port } = client as pg.Client;
    const [{ standby, commit, citus }] = rows as [Session];
    if (primaryOnly && standby) throw new Error(`${host}:${port} is a standby`);
    if (commit === 'off') throw new Error(NOT_DURABLE);
    await onSession(client, citus);
  };
}

interface Session {
  readonly standby: boolean;
  readonly commit: string | null;
  readonly citus: boolean;
}

const NOT_DURABLE =
  'synchronous_commit is off, so a crash of the server loses what was acknowledged: set it to on for the user (ALTER ROLE … SET synchronous_commit = on)';
