import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { show } from '@plant-store/contracts-kit';
import {
  adapterHarness,
  type HarnessChanges,
  type ScratchDatabase,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import { serverCapabilities } from '@plant-store/store-kit';
import { CompiledQuery } from 'kysely';
import { mysqlErrors } from '../src/errors.ts';
import { mysqlExport } from '../src/export.ts';
import { migrateMysql } from '../src/migrations.ts';
import type { MysqlOptions } from '../src/options.ts';
import { openMysql } from '../src/store.ts';
import { openSingle, runSql } from './run-sql.ts';

/**
 * Runs the contracts in scratch databases of the server at the URL. It does not touch existing data.
 *
 * @param changes faults of a server that the test owns, or another time-out. By default an outage is a lock on the scratch tables,
 *   and nothing is killed.
 */
export function storeHarness(url: string, changes?: HarnessChanges): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    scratchLocation: 'a scratch database, which the user has to be allowed to create',
    scratch: () => scratchDatabase(url),
    migrate: migrateMysql,
    open: openMysql,
    // Keeps the clauses about outages short.
    export: (options) => mysqlExport({ ...options, dropAfterMs: 2_000 }),
    opener: { module: join(import.meta.dirname, '../src/store'), name: 'openMysql' },
    refuse: ({ connectionString }, { id }) =>
      runSql(connectionString, `alter table plants add constraint refuse check (id <> ${id})`),
    startOutage: lockTables,
    // MyISAM is not crash-safe.
    makeUnsafe: (options) => alter(options, 'engine = MyISAM', 'engine = InnoDB'),
    refuseAll: (options) => alter(options, 'add planted_by varchar(10) not null', 'drop planted_by'),
    misconfigured: ({ connectionString, ...options }) => ({
      ...options,
      connectionString: inDatabase(connectionString, 'plant_store_verify_none'),
    }),
    ...changes,
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
  return { options: { connectionString: inDatabase(given, name) }, drop: () => dropDatabase(given, name) };
}

/** Returns the connection string of another database on the same server. */
function inDatabase(connectionString: string, name: string): string {
  return connectionString.replace(/^([a-z]+:\/\/[^/?#]*\/)[^?]*/, (_, before: string) => before + name);
}

/** Alters the table. @returns a function that reverts the change. */
async function alter({ connectionString }: MysqlOptions, change: string, back: string): Promise<() => Promise<void>> {
  await runSql(connectionString, `alter table plants ${change}`);
  return async () => void (await runSql(connectionString, `alter table plants ${back}`));
}

/** Blocks reads and writes of the tables. @returns a function that ends the lock. */
async function lockTables({ connectionString }: MysqlOptions): Promise<() => Promise<void>> {
  const db = openSingle(connectionString);
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

/** Drops a database, and waits for statements of stores and readers that were not closed. */
async function dropDatabase(given: string, name: string): Promise<void> {
  const statement = `drop database if exists ${name}`;
  await runSql(given, 'set session lock_wait_timeout = 20', statement).catch((error: unknown) => {
    throw new Error(`"${statement}" failed (${show(error)}): run it yourself`, { cause: error });
  });
}

/** The scratch database gets the character set of the given one, which the migrations must not rely on. */
const LIKE_GIVEN =
  "select concat('character set ', @@character_set_database, ' collate ', @@collation_database) as options";

const ACCESS_DENIED = 1044;
