import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing/postgres';
import { expect, onTestFinished } from 'vitest';
import { plantsIn, plantsInFile, type Result, type SentPlant } from '../load.ts';
import { type Disk, mountDisk } from './disk.ts';

/** Breaks a store, and repairs it. Each resolves once that is done. */
export interface Breaking {
  begin(): unknown;
  repair(): unknown;
}

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
  return { server, sql, ...storeAt(url.href) };
}

/** A store on a server of PostgreSQL. */
export function storeAt(url: string): Store {
  const plants = (ids: readonly number[]) => runSql(url, 'SELECT * FROM plants WHERE id = ANY ($1::int8[])', [ids]);
  return { url, stored: async (sent) => plantsIn(await plants(sent.map(({ plant }) => plant.id))) };
}

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

/** What starts a store that can be broken. */
export type Start = () => Promise<Store & Breaking>;

const onPostgres =
  (breaking: (postgres: Postgres) => Breaking): Start =>
  async () => {
    const postgres = await startPostgres();
    return { ...postgres, ...breaking(postgres) };
  };

/** A SQLite file on a disk of its own. */
const onDisk =
  (breaking: (disk: Disk) => Breaking): Start =>
  async () => {
    const disk = await mountDisk();
    const path = join(disk.directory, 'plants.db');
    const stored: Store['stored'] = async (sent) => {
      const ids = new Set(sent.map(({ plant }) => plant.id));
      return new Map([...plantsInFile(path)].filter(([id]) => ids.has(id)));
    };
    return { url: `sqlite:${path}`, stored, ...breaking(disk) };
  };

const sessions = `FROM pg_stat_activity WHERE usename = 'gardener'`;

/** The stores, by what is wrong with them once they are broken. */
export const stores = {
  intact: onPostgres(() => ({ begin() {}, repair() {} })),
  killed: onPostgres(({ server }) => ({ begin: server.kill, repair: server.start })),
  frozen: onPostgres(({ server }) => ({ begin: server.pause, repair: server.resume })),
  withoutStandby: onPostgres(({ sql }) => {
    const wait = async (standby: string) => {
      await sql(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await sql('SELECT pg_reload_conf()');
    };
    const repair = async () => {
      const backends = Number((await sql(`SELECT count(*) ${sessions}`))[0]?.['count']);
      await wait('');
      expect(backends, "no more than the adapter's pool").toBeLessThanOrEqual(10);
    };
    return { begin: () => wait('nobody'), repair };
  }),
  locked: onPostgres(({ url, sql }) => {
    let locking: Promise<unknown> | undefined;
    const begin = () => {
      locking = runSql(url, "BEGIN; LOCK TABLE plants; SELECT 'of another', pg_sleep(60); COMMIT").catch(() => {});
    };
    const repair = async () => {
      await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK %'");
      await locking;
    };
    return { begin, repair };
  }),
  // What the server says is the same as if sessions of others had taken every slot.
  withoutSlots: onPostgres(({ sql }) => ({
    begin: async () => {
      await sql('ALTER ROLE gardener CONNECTION LIMIT 0');
      await sql(`SELECT pg_terminate_backend(pid) ${sessions}`);
    },
    repair: () => sql('ALTER ROLE gardener CONNECTION LIMIT -1'),
  })),
  // The WAL is elsewhere, so the server itself goes on.
  fullDisk: async () => {
    const { server, sql, url: other } = await startPostgres();
    const { directory, fill, empty } = await mountDisk(server.stop);
    const [small, home] = [join(directory, 'small'), statSync(decodeURIComponent(new URL(server.url).hostname))];
    mkdirSync(small);
    chownSync(small, home.uid, home.gid);
    await sql(`CREATE TABLESPACE small LOCATION '${small}'`);
    await sql('CREATE DATABASE on_small OWNER gardener TEMPLATE template0 TABLESPACE small');
    const { href } = Object.assign(new URL(other), { pathname: 'on_small' });
    return { ...storeAt(href), begin: fill, repair: empty };
  },
  fileOnFullDisk: onDisk(({ fill, empty }) => ({ begin: fill, repair: empty })),
} satisfies Record<string, Start>;
