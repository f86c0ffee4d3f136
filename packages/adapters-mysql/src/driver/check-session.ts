import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/** Runs a statement and resolves with its rows. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** What a server has set that matters to every statement. */
export interface ServerSettings {
  /** The longest statement, in bytes. */
  readonly maxAllowedPacket: number;
  /** Whether it is MariaDB, which has `SET STATEMENT … FOR`; MySQL has not. */
  readonly isMariaDb: boolean;
}

/** Sets what a session needs, whatever the server has by default or runs on connecting (`init_connect`). */
export async function prepareSession(query: Query): Promise<void> {
  await query(SESSION);
  await query(ISOLATION);
}

/**
 * Refuses a server whose commits would not be durable, which no client would notice: a crash loses what was acknowledged
 * last. Two of the settings are the server's alone, so no session can override them.
 *
 * @throws {StoreMisconfigured} when a setting has to be changed, with its name; {@link StoreUnavailable} when the server
 * is not one that writes.
 */
export async function checkServer(query: Query, address: string, table: string): Promise<ServerSettings> {
  const rows = await query('show global variables where variable_name in (?)', [variables]);
  const values = new Map(rows.map((row) => [String(row['Variable_name']).toLowerCase(), String(row['Value'])]));
  const is = (name: (typeof variables)[number], ...expected: string[]) => expected.includes(values.get(name) ?? '');

  if (!is('innodb_flush_log_at_trx_commit', '1')) throw notDurable('innodb_flush_log_at_trx_commit');
  if (is('log_bin', 'ON', '1') && !is('sync_binlog', '1')) throw notDurable('sync_binlog');
  if (!is('read_only', 'OFF', '0')) throw new StoreUnavailable(`${address} is read-only`);
  if (is('wsrep_on', 'ON', '1') && !(await isReady(query)))
    throw new StoreUnavailable(`${address} is not in the primary component of its cluster`);
  const [other] = await query(notInnodb, [[table, 'plant_store_sync']]);
  if (other)
    throw new StoreMisconfigured(
      `MySQL: the engine of the table ${other['name']} is ${other['engine']}, which syncs no commit: run ALTER TABLE ${other['name']} ENGINE = InnoDB`,
    );
  return {
    maxAllowedPacket: Number(values.get('max_allowed_packet')),
    // Not by its version, which MariaDB can be told to hide.
    isMariaDb: values.has('gtid_domain_id'),
  };
}

/**
 * UTF-8, in which no character holds the byte of a backslash or a quote: in gbk or sjis an escaped text could end early.
 * Strict, so that no value is cut to fit; without NO_BACKSLASH_ESCAPES and ANSI_QUOTES, which would change what an escaped
 * text means. Locks are waited for 1 s, the shortest that MySQL allows: a commit takes milliseconds, and not to wait
 * would make a conflict of each that another writer is about to end.
 */
const SESSION = `set names utf8mb4 collate utf8mb4_bin,
  session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', session autocommit = 1,
  session innodb_lock_wait_timeout = 1, session lock_wait_timeout = 1`;

/**
 * No outcome may rest on what is not committed. With READ COMMITTED no server whose binlog_format is STATEMENT would
 * insert. Its variable has not the same name everywhere, so it is a statement of its own.
 */
const ISOLATION = 'set session transaction isolation level repeatable read';

const variables = [
  'gtid_domain_id',
  'innodb_flush_log_at_trx_commit',
  'log_bin',
  'max_allowed_packet',
  'read_only',
  'sync_binlog',
  'wsrep_on',
] as const;

const notInnodb = `select table_name as name, engine as engine from information_schema.tables
  where table_schema = database() and table_name in (?) and engine <> 'InnoDB'`;

/** Of a node of a Galera cluster: whether it may write. */
async function isReady(query: Query): Promise<boolean> {
  const [row] = await query("show global status like 'wsrep_ready'");
  return row?.['Value'] === 'ON';
}

function notDurable(setting: string): StoreMisconfigured {
  return new StoreMisconfigured(
    `MySQL: ${setting} is not 1, so a crash of the server loses what was acknowledged: set it to 1 (SET GLOBAL ${setting} = 1, and in the server's configuration file)`,
  );
}
