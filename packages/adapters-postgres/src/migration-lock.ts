import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { CompleteOptions } from './options.ts';
import type { Schema } from './schema.ts';

/**
 * Takes the lock that lets one process migrate a database at a time, until the transaction ends: the next one sees what
 * was done. PostgreSQL lets any role that may connect take an advisory lock. So nobody waits for one in silence, which
 * `pg_advisory_xact_lock` would: after {@link SAY_AFTER_MS} `onWarning` is told who holds it.
 *
 * @throws {StoreUnavailable} when it is not free within `migrationLockTimeoutMs`, with who holds it.
 */
export async function lockMigrations(
  transaction: Transaction<Schema>,
  { migrationLockTimeoutMs, onWarning }: Pick<CompleteOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const startedAt = performance.now();
  const sayAfterMs = Math.min(SAY_AFTER_MS, migrationLockTimeoutMs);
  for (let said = false; !(await isTaken(transaction)); await sleep(POLL_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= migrationLockTimeoutMs)
      throw new StoreUnavailable(
        `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await holder(transaction)}. Wait for it if it is migrating, otherwise end it with pg_terminate_backend`,
      );
    if (said || waitedMs < sayAfterMs) continue;
    said = true;
    onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await holder(transaction)}`);
  }
}

/** 1 s: migrating an empty database takes a tenth of that, and a person begins to wonder. */
const SAY_AFTER_MS = 1_000;

/** 50 ms: twenty cheap statements a second, and a start loses no time that anybody notices. */
const POLL_MS = 50;

/** Identifies the lock among the advisory locks of the database. */
const key: RawBuilder<bigint> = sql`7310868735423014481::int8`;

async function isTaken(transaction: Transaction<Schema>): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${key}) as taken`.execute(
    transaction,
  );
  return rows[0]?.taken === true;
}

/** Who holds the lock. */
async function holder(transaction: Transaction<Schema>): Promise<string> {
  // https://www.postgresql.org/docs/current/view-pg-locks.html: a bigint key is split over classid and objid.
  const { rows } = await sql<Holder>`
    select pid, coalesce(usename, '') as role, coalesce(application_name, '') as application
    from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and classid = (${key} >> 32)::oid and objid = (${key} & 4294967295)::oid`.execute(transaction);
  const [first] = rows;
  if (!first) return 'its holder is unknown';
  const { pid, role, application } = first;
  return `held by pid ${pid}, role ${quoted(role)}, application ${quoted(application)}`;
}

/** A name as JSON in ASCII: whoever holds the lock chose it, and it goes to logs and terminals. */
function quoted(name: string): string {
  return JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

interface Holder {
  readonly pid: number;
  readonly role: string;
  readonly application: string;
}
