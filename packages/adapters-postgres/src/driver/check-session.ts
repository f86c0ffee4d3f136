import { StoreMisconfigured } from '@plant-store/domain';
import type pg from 'pg';

/**
 * Checks a new connection before it is used. It refuses a server that accepts the connection and then does not respond, as
 * a pooler does whose database hangs.
 *
 * @throws {Error} when it must not be used.
 */
export type VerifySession = (client: pg.ClientBase, withinMs: number) => Promise<void>;

/**
 * Refuses sessions whose commits would not be durable. The server, the database or the user may have set
 * `synchronous_commit = off`, and no client would notice: a crash loses what was acknowledged last. It is not
 * overridden here, because a session behind a pooler is shared.
 *
 * @param primaryOnly refuses standbys as well: their rows may be older than what was acknowledged.
 * @param onFault is called with what makes it unfit for adds, if anything does; it may throw.
 */
export function checkSession(
  table: string,
  primaryOnly: boolean,
  onFault: (fault: Fault) => void = () => {},
): VerifySession {
  const text = `SELECT pg_is_in_recovery() AS standby, (${selectFault(table)}) AS fault`;
  return async (client, withinMs) => {
    // pg's types do not know the time-out of a single query.
    const { rows } = await client.query<Session>({ text, query_timeout: withinMs } as pg.QueryConfig);
    const { host, port } = client as pg.Client;
    const [{ standby, fault }] = rows as [Session];
    if (primaryOnly && standby) throw new Error(`${host}:${port} is a standby`);
    if (fault === 'synchronous_commit') throw new StoreMisconfigured(messageOf(fault, table));
    if (fault) onFault(fault);
  };
}

interface Session {
  readonly standby: boolean;
  readonly fault: Fault | null;
}

/**
 * What makes the session, or the table as it is now, unfit for adds; null if nothing does. Other engines may not know a
 * setting.
 */
export function selectFault(table: string): string {
  return `SELECT CASE
  WHEN current_setting('synchronous_commit', true) = 'off' THEN 'synchronous_commit'
  WHEN current_setting('client_min_messages', true) = 'error' THEN 'client_min_messages'
  WHEN current_setting('array_nulls', true) = 'off' THEN 'array_nulls'
  WHEN (SELECT relpersistence FROM pg_class WHERE oid = to_regclass('${table}')) = 'u' THEN 'unlogged' END`;
}

/** What {@link selectFault} finds. */
export type Fault = keyof ReturnType<typeof faults>;

/** What is wrong, and what to do about it. */
export function messageOf(fault: Fault, table: string): string {
  return `PostgreSQL: ${faults(table)[fault]}`;
}

const faults = (table: string) => ({
  synchronous_commit:
    'synchronous_commit is off, so a crash of the server loses what was acknowledged: set it to on for the user (ALTER ROLE … SET synchronous_commit = on)',
  client_min_messages:
    'client_min_messages is error, which hides that a commit was not confirmed by a standby: set it to warning for the user (ALTER ROLE … SET client_min_messages = warning)',
  array_nulls:
    'array_nulls is off, which stores the text NULL where a plant has no tag: set it to on for the user (ALTER ROLE … SET array_nulls = on)',
  unlogged: `the table ${table} is unlogged, so a crash of the server empties it: run ALTER TABLE ${table} SET LOGGED`,
});
