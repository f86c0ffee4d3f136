import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { show } from '@plant-store/contracts-kit';
import {
  adapterHarness,
  type HarnessChanges,
  type ScratchDatabase,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import type { PlantStore } from '@plant-store/domain';
import { serverCapabilities } from '@plant-store/store-kit';
import { CompiledQuery } from 'kysely';
import { mysqlErrors } from '../src/errors.ts';
import type { MysqlOptions } from '../src/store.ts';
import { mysqlStorage } from '../src/store.ts';
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
    scratch: () => createScratchDatabase(url),
    migrate: (options) => mysqlStorage(options).migrate(),
    open: openMysql,
    // Keeps the clauses about outages short.
    export: (options) => mysqlStorage({ ...options, timeoutMs: 2_000 }).export(),
    opener: { module: join(import.meta.dirname, 'mysql-harness'), name: 'openMysql' },
    // Not a CHECK, which a stored plant may violate already.
    refuse: ({ connectionString }, { id }) =>
      runSql(
        connectionString,
        `create trigger refuse before insert on plants for each row if new.id = ${id} then signal sqlstate '45000'; end if`,
      ),
    startOutage: lockTables,
    faults: {
      // It is not crash-safe.
      'the engine MyISAM': changeTable('alter table plants engine = MyISAM', 'alter table plants engine = InnoDB'),
      'a further column that is NOT NULL': changeTable(
        'alter table plants add planted_by varchar(10) not null',
        'alter table plants drop planted_by',
      ),
      'a trigger that trims the name': changeTable(
        'create trigger fault before insert on plants for each row set new.name = trim(new.name)',
        'drop trigger fault',
      ),
    },
    ...changes,
  });
}

/** Opens a store, also in a process of its own. */
export const openMysql = (options: MysqlOptions): Promise<PlantStore> => mysqlStorage(options).open();

async function createScratchDatabase(given: string): Promise<ScratchDatabase<MysqlOptions>> {
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

/** @returns a fault that runs a statement, and another one that reverts it. */
const changeTable =
  (change: string, back: string) =>
  async ({ connectionString }: MysqlOptions) => {
    await runSql(connectionString, change);
    return async () => void (await runSql(connectionString, back));
  };

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
