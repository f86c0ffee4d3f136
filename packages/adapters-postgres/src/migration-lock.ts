import { acquireMigrationLock, asciiQuoted, type Tables } from '@plant-store/sql-store';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { CompleteOptions } from './options.ts';

/**
 * Takes the lock that lets one process migrate a database at a time, until the transaction ends: the next one sees what
 * was done. PostgreSQL lets any role that may connect take an advisory lock.
 *
 * @throws what {@link acquireMigrationLock} throws.
 */
export function lockMigrations(
  transaction: Transaction<Tables>,
  options: Pick<CompleteOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const lock = {
    tryAcquire: () => tryAcquire(transaction),
    holder: () => holder(transaction),
    endSessionWith: 'pg_terminate_backend',
  };
  return acquireMigrationLock(lock, options);
}

/** Identifies the lock among the advisory locks of the database. */
const key: RawBuilder<bigint> = sql`7310868735423014481::int8`;

async function tryAcquire(transaction: Transaction<Tables>): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${key}) as taken`.execute(
    transaction,
  );
  return rows[0]?.taken === true;
}

/** Who holds the lock. */
async function holder(transaction: Transaction<Tables>): Promise<string> {
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
  return `held by pid ${pid}, role ${asciiQuoted(role)}, application ${asciiQuoted(application)}`;
}

interface Holder {
  readonly pid: number;
  readonly role: string;
  readonly application: string;
}
