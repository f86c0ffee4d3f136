import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { show } from '@plant-store/contracts-kit';
import { adapterHarness, type ScratchPlace, type ServerFaults, type StoreHarness } from '@plant-store/contracts-stores';
import { serverCapabilities } from '@plant-store/sql-store';
import { type Connections, openConnections } from '../driver/connections.ts';
import { MysqlError, storeUnavailable } from '../errors.ts';
import { mysqlExport } from '../export.ts';
import { migrateMysql } from '../migrations.ts';
import { completeOptions, type MysqlOptions } from '../options.ts';
import { openMysql } from '../store.ts';

/**
 * MariaDB or MySQL in scratch databases of the server at the URL, whose user has to be one who may create them. Existing
 * data is left alone.
 *
 * @param faults none by default: an outage is then a lock on the scratch tables, and the server is not killed.
 */
export function mysqlHarness(url: string, faults?: ServerFaults): StoreHarness {
  return adapterHarness({
    capabilities: serverCapabilities,
    scratch: () => scratchDatabase(url),
    migrate: migrateMysql,
    open: openMysql,
    // An outage is waited for as long.
    export: (options) => mysqlExport({ ...options, dropAfterMs: 2_000 }),
    addPlants: join(import.meta.dirname, 'add-plants'),
    refuse: ({ connectionString }, { id }) =>
      run(connectionString, `alter table plants add constraint refuse check (id <> ${id})`),
    startOutage: lockTables,
    ...faults,
  });
}

async function scratchDatabase(given: string): Promise<ScratchPlace<MysqlOptions>> {
  const name = `plant_store_verify_${randomBytes(6).toString('hex')}`;
  await run(given, `create database ${name}`).catch((error: unknown) => {
    if (!(error instanceof MysqlError && error.errno === ACCESS_DENIED)) throw storeUnavailable(error);
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

async function run(connectionString: string, ...statements: string[]): Promise<void> {
  const connections = connect(connectionString);
  try {
    await connections.use(async (session) => {
      for (const statement of statements) await session.query(statement);
    });
  } finally {
    await connections.end();
  }
}

function connect(connectionString: string): Connections {
  return openConnections(completeOptions({ connectionString, poolSize: 1, connectWithinMs: 10_000 }));
}

/** Everything that reads or writes the tables waits. */
async function lockTables({ connectionString }: MysqlOptions): Promise<() => Promise<void>> {
  const connections = connect(connectionString);
  const { session, release } = await connections.acquire();
  await session.query('lock tables plants write, plant_store_sync write');
  return async () => {
    release();
    await connections.end();
  };
}

/** A store that failed to close, or a reader that went away, may still use it: the server waits for their statements. */
async function dropped(given: string, name: string): Promise<void> {
  const statement = `drop database if exists ${name}`;
  await run(given, 'set session lock_wait_timeout = 20', statement).catch((error: unknown) => {
    throw new Error(`"${statement}" failed (${show(error)}): run it yourself`, { cause: error });
  });
}

const ACCESS_DENIED = 1044;
