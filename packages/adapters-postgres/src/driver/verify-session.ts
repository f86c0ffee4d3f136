import type pg from 'pg';

/** Looks at a new connection before it is used. @throws {Error} when it must not be. */
export type VerifySession = (client: pg.ClientBase) => Promise<void>;

/**
 * Refuses sessions whose commits would not be durable. The server, the database or the user may say so
 * (`synchronous_commit = off`), and nothing tells the caller: what was acknowledged in the last moments before a crash is
 * gone. It is not set here to something else, since a session behind a pooler is not ours to set.
 *
 * @param primaryOnly refuses standbys as well: they answer, too, and their rows may be older than what was acknowledged.
 * @param withinMs refuses a server that lets in and then does not answer, as a pooler does whose database hangs.
 */
export function verifySession(primaryOnly: boolean, withinMs: number): VerifySession {
  return async (client) => {
    const text = `SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit', true) AS commit`;
    // pg's types do not know the time-out of a single query.
    const { rows } = await client.query<Session>({ text, query_timeout: withinMs } as pg.QueryConfig);
    const { host, port } = client as pg.Client;
    if (primaryOnly && rows[0]?.standby) throw new Error(`${host}:${port} is a standby`);
    if (rows[0]?.commit === 'off') throw new Error(NOT_DURABLE);
  };
}

interface Session {
  readonly standby: boolean;
  readonly commit: string | null;
}

const NOT_DURABLE =
  'synchronous_commit is off, so a crash of the server loses what was acknowledged: set it to on for the user (ALTER ROLE … SET synchronous_commit = on); the store recovers automatically';
