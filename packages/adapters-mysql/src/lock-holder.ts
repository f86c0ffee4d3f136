import { type Blocker, OWN, type SessionRow } from '@plant-store/store-kit/sql';
import type { Session } from './database.ts';

/**
 * Finds the session, or the prepared transaction, that blocks adds. What the server does not tell, because a privilege, a plugin or an
 * instrument is missing, stays unknown.
 */
export async function findBlocker(session: Session): Promise<Blocker | undefined> {
  const rowsOf = <Row>(query: string) => session.query(query).catch(() => []) as Promise<readonly Row[]>;
  if ((await rowsOf(SEMI_SYNC_WAIT)).length > 0) return WAITS_FOR_REPLICA;
  for (const query of [METADATA_LOCK_INFO, METADATA_LOCKS, ROW_LOCKS]) {
    const [holder] = await rowsOf<HolderRow>(query);
    if (holder?.id === '0') return preparedIn(await rowsOf<PreparedRow>('xa recover'));
    if (holder) return describe(holder);
  }
  return undefined;
}

const WAITS_FOR_REPLICA = {
  session: null,
  waitsFor: 'a semi-synchronous replica: start it, or turn semi-synchronous replication off',
};

const describe = ({ id, ...names }: HolderRow): SessionRow => ({ session: `connection ${id}`, ...names });

/** The server does not show which of several has the lock. A name may have any bytes, so it is in hexadecimal. */
function preparedIn([row, ...others]: readonly PreparedRow[]): SessionRow | undefined {
  if (row === undefined) return undefined;
  if (others.length > 0) return { session: 'one of the prepared transactions of XA RECOVER (XA ROLLBACK ends one)' };
  const [global, branch] = [
    row.data.subarray(0, Number(row.gtrid_length)),
    row.data.subarray(Number(row.gtrid_length)),
  ];
  const name = `X'${global.toString('hex')}',X'${branch.toString('hex')}',${row.formatID}`;
  return { session: `a prepared transaction (XA ROLLBACK ${name} ends it)` };
}

/** A row of `XA RECOVER`. `data` is the global part of the name and the part of the branch. */
interface PreparedRow {
  readonly formatID: bigint;
  readonly gtrid_length: bigint;
  readonly data: Buffer;
}

/** The id of a connection, which is 0 for a prepared transaction whose session has ended, and what is known of it. */
type HolderRow = { readonly id: string } & { readonly [column: string]: string | null };

/** A commit that waits for a replica holds locks, but ending it would not help. */
const SEMI_SYNC_WAIT = `
  select 1 from information_schema.processlist where state like 'Waiting for semi-sync ACK%' limit 1`;

/** From a plugin of MariaDB. The modes are those that block adds. */
const METADATA_LOCK_INFO = `
  select concat(thread_id) as id, process.user, concat(now() - interval lock_time_ms div 1000 second) as since
  from information_schema.metadata_lock_info
    left join information_schema.processlist as process on process.id = thread_id
  where lock_mode in ('MDL_BACKUP_FTWRL1', 'MDL_BACKUP_FTWRL2', 'MDL_BACKUP_WAIT_COMMIT')
    or (table_schema = database() and table_name = 'plants' and lock_mode in (
      'MDL_SHARED_READ_ONLY', 'MDL_SHARED_NO_WRITE', 'MDL_SHARED_NO_READ_WRITE', 'MDL_EXCLUSIVE'))
  order by lock_time_ms desc limit 1`;

/** Also on MySQL, which has other objects for FLUSH TABLES WITH READ LOCK. */
const METADATA_LOCKS = `
  select concat(processlist_id) as id, processlist_user as user
  from performance_schema.metadata_locks join performance_schema.threads on thread_id = owner_thread_id
  where lock_status = 'GRANTED' and (
    (object_type in ('GLOBAL', 'COMMIT') and lock_type = 'SHARED')
    or (object_type = 'BACKUP' and lock_type in ('BACKUP_FTWRL1', 'BACKUP_FTWRL2', 'BACKUP_WAIT_COMMIT'))
    or (object_type = 'TABLE' and object_schema = database() and object_name = 'plants' and lock_type in (
      'SHARED_READ_ONLY', 'SHARED_NO_WRITE', 'SHARED_NO_READ_WRITE', 'EXCLUSIVE')))
  limit 1`;

/**
 * Filters by the session's database, because the server does not show the table of a row lock. Excludes young transactions, because
 * ours take milliseconds, and sessions that are ours or wait, which something else blocks. It needs the privilege PROCESS.
 */
const ROW_LOCKS = `
  select concat(trx_mysql_thread_id) as id, process.user, concat(trx_started) as since
  from information_schema.innodb_trx
    left join information_schema.processlist as process on process.id = trx_mysql_thread_id
  where (trx_mysql_thread_id = 0 or process.db = database()) and trx_rows_locked > 0 and trx_state = 'RUNNING'
    and trx_started < convert_tz(now(6), @@session.time_zone, 'SYSTEM') - interval 500000 microsecond
    and process.state like 'Waiting for %' is not true and process.info like '${OWN}%' is not true
  order by trx_mysql_thread_id = 0, trx_started limit 1`;
