import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { show } from '@plant-store/contracts-kit';
import {
  adapterHarness,
  type ScratchDatabase,
  type ServerFaults,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import { serverCapabilities } from '@plant-store/store-kit';
import { CompiledQuery } from 'kysely';
import { mysqlErrors } from '../errors.ts';
import { mysqlExport } from '../export.ts';
import { migrateMysql } from '../migrations.ts';
import type { MysqlOptions } from '../options.ts';
import { openMysql } from '../store.ts';
import { openOne, runSql } from './run-sql.ts';

/**
 * MariaDB or MySQL in scratch databases of the server at the URL, whose user has to be one who may create them. Existing
 * data is left alone.
 *
 * @param faults none by default: an outage is then a lock on the scratch tables, and the server is not killed.
 */
export function storeHarness(url: string, faults?: ServerFaults): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    scratchLocation: 'a scratch database, which the user has to be allowed to create',
    scratch: () => scratchDatabase(url),
    migrate: migrateMysql,
    open: openMysql,
    // An outage is waited for as long.
    export: (options) => mysqlExport({ ...options, dropAfterMs: 2_000 }),
    opener: { module: join(import.meta.dirname, '../store'), name: 'openMysql' },
    refuse: ({ connectionString }, { id }) =>
      runSql(connectionString, `alter table plants add constraint refuse check (id <> ${id})`),
    startOutage: lockTables,
    // No crash-safe engine.
    makeUnsafe: (options) => alter(options, 'engine = MyISAM', 'engine = InnoDB'),
    refuseAll: (options) => alter(options, 'add planted_by varchar(10) not null', 'drop planted_by'),
    misconfigured: ({ connectionString, ...options }) => ({
      ...options,
      connectionString: inDatabase(connectionString, 'plant_store_verify_none'),
    }),
    ...faults,
  });
}

async function scratchDatabase(given: string): Promise<ScratchDatabase<MysqlOptions>> {
  const name = `plant_store_verify_${randomBytes(6).toString('hex')}`;
  const [likeGiven] = await runSql(given, LIKE_GIVEN).catch((error: unknown) => {
    throw mysqlErrors.translate(error);
  });
  await runSql(given, `create database ${name} ${likeGiven?.['options']}`).catch((error: NodeJS.ErrnoException) => {
    if (error.errno !== ACCESS_DENIED) throw mysqlErrors.translate(error);
    throw new Error(
      'the user may not create a scratch database: GRANT ALL ON `plant\\_store\\_verify\\_%`.* TO it, or give the URL of a user who may',
      { cause: error },
    );
  });
  return { options: { connectionString: inDatabase(given, name) }, drop: () => dropped(given, name) };
}

/** The same connection to another database of the server. */
function inDatabase(connectionString: string, name: string): string {
  return connectionString.replace(/^([a-z]+:\/\/[^/?#]*\/)[^?]*/, (_, before: string) => before + name);
}

/** Alters the table, and resolves with what alters it back. */
async function alter({ connectionString }: MysqlOptions, change: string, back: string): Promise<() => Promise<void>> {
  await runSql(connectionString, `alter table plants ${change}`);
  return async () => void (await runSql(connectionString, `alter table plants ${back}`));
}

/** Everything that reads or writes the tables waits. */
async function lockTables({ connectionString }: MysqlOptions): Promise<() => Promise<void>> {
  const db = openOne(connectionString);
  const locked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const holding = db.connection().execute(async (session) => {
    await session.executeQuery(CompiledQuery.raw('lock tables plants write, plant_store_sync write'));
    locked.resolve();
    await ended.promise;
  });
  await Promise.race([locked.promise, holding]);
  return async () => {
    ended.resolve();
    await holding;
    await db.destroy();
  };
}

/** A store that failed to close, or a reader that went away, may still use it: the server waits for their statements. */
async function dropped(given: string, name: string): Promise<void> {
  const statement = `drop database if exists ${name}`;
  await runSql(given, 'set session lock_wait_timeout = 20', statement).catch((error: unknown) => {
    throw new Error(`"${statement}" failed (${show(error)}): run it yourself`, { cause: error });
  });
}

/** The table has a character set of its own: what the database has for others must not matter. */
const LIKE_GIVEN =
  "select concat('character set ', @@character_set_database, ' collate ', @@collation_database) as options";

const ACCESS_DENIED = 1044;
