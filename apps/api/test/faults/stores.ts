import { join } from 'node:path';
import { freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing/postgres';
import { onTestFinished } from 'vitest';
import { plantsIn, plantsInFile, type Result, type SentPlant } from '../load.ts';
import { mountDisk } from './disk.ts';

/** A store of one test. */
export interface Store {
  readonly url: string;
  /** What is stored under the ids that were sent, read from the database itself. */
  stored(sent: readonly Result[]): Promise<ReadonlyMap<number, SentPlant>>;
}

/** Starts a PostgreSQL server, with a database of an ordinary user, to whom every limit of the server applies. */
export async function startPostgres() {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  const url = new URL(await freshDatabase(server.url));
  const sql = (statement: string) => runSql(server.url, statement);
  await sql('CREATE ROLE gardener LOGIN');
  await sql(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO gardener`);
  url.username = 'gardener';
  const stored: Store['stored'] = (sent) => storedIn(url.href, sent);
  return { server, sql, url: url.href, stored };
}

/** Mounts a disk for a SQLite file. */
export async function startSqlite() {
  const disk = await mountDisk();
  const path = join(disk.directory, 'plants.db');
  const stored: Store['stored'] = async (sent) => {
    const ids = new Set(sent.map(({ plant }) => plant.id));
    return new Map([...plantsInFile(path)].filter(([id]) => ids.has(id)));
  };
  return { disk, url: `sqlite:${path}`, stored };
}

export async function storedIn(url: string, sent: readonly Result[]): Promise<ReadonlyMap<number, SentPlant>> {
  const ids = sent.map(({ plant }) => plant.id);
  return plantsIn(await runSql(url, 'SELECT * FROM plants WHERE id = ANY ($1::int8[])', [ids]));
}
