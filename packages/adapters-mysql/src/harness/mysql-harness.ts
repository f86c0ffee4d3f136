import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { show } from '@plant-store/contracts-kit';
import type { ExportHarness, PreparedExport, PreparedStore } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import type { NewPlant } from '@plant-store/domain';
import { serverCapabilities } from '@plant-store/sql-store';
import { type Connections, openConnections } from '../driver/connections.ts';
import { MysqlError, storeUnavailable } from '../errors.ts';
import { mysqlExport } from '../export.ts';
import { migrateMysql } from '../migrations.ts';
import { completeOptions } from '../options.ts';
import { openMysql } from '../store.ts';

/** What may be done to the server itself, if it belongs to the test. */
export type Faults = Pick<Required<PreparedStore>, 'startOutage'> & Pick<PreparedStore, 'failCommits' | 'killServer'>;

/**
 * MariaDB or MySQL in scratch databases of the server at the URL, whose user has to be one who may create them. Existing
 * data is left alone.
 *
 * @param faults none by default: an outage is then a lock on the scratch tables, and the server is not killed.
 */
export function mysqlHarness(url: string, faults?: Faults): ExportHarness {
  return { capabilities: serverCapabilities, prepare: () => prepare(url, faults) };
}

async function prepare(given: string, faults: Faults | undefined): Promise<PreparedExport> {
  await using resources = new AsyncDisposableStack();
  const name = `plant_store_verify_${randomBytes(6).toString('hex')}`;
  await run(given, `create database ${name}`).catch((error: unknown) => {
    if (!(error instanceof MysqlError && error.errno === ACCESS_DENIED)) throw storeUnavailable(error);
    throw new Error(
      'the user may not create a scratch database: GRANT ALL ON `plant\\_store\\_verify\\_%`.* TO it, or give the URL of a user who may',
      { cause: error },
    );
  });
  resources.defer(() => dropped(given, name));
  const connectionString = inDatabase(given, name);
  await migrateMysql({ connectionString });

  const toDispose = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    startOutage: () => lockTables(connectionString),
    ...faults,
    // A clause adds many at once: even a slow machine must not refuse some.
    open: (observer) => openMysql({ connectionString, maxWaitMs: 60_000, ...(observer && { observer }) }),
    // An outage is waited for as long.
    export: () => mysqlExport({ connectionString, dropAfterMs: 2_000 }),
    // Once: a second call gets the same error.
    dispose: () => (disposing ??= toDispose.disposeAsync()),
    refusedPlant: () => refuse(connectionString, { id: -7n, name: 'Heracleum mantegazzianum' }),
    addUntilKilled: (plants) =>
      toDispose.use(startAdder(addPlants, { options: { connectionString }, plants })).acknowledgedBeforeKill,
  };
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
async function lockTables(connectionString: string): Promise<() => Promise<void>> {
  const connections = connect(connectionString);
  const session = await connections.acquire();
  await session.query('lock tables plants write, plant_store_sync write');
  return async () => {
    connections.release(session);
    await connections.end();
  };
}

async function refuse(connectionString: string, plant: NewPlant): Promise<NewPlant> {
  await run(connectionString, `alter table plants add constraint refuse check (id <> ${plant.id})`);
  return plant;
}

/** A store that failed to close, or a reader that went away, may still use it: the server waits for their statements. */
async function dropped(given: string, name: string): Promise<void> {
  const statement = `drop database if exists ${name}`;
  await run(given, 'set session lock_wait_timeout = 20', statement).catch((error: unknown) => {
    throw new Error(`"${statement}" failed (${show(error)}): run it yourself`, { cause: error });
  });
}

const ACCESS_DENIED = 1044;

/** The program that adds plants until it is killed, beside this file. */
const addPlants = join(import.meta.dirname, 'add-plants');
