import { freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing/postgres';
import { onTestFinished } from 'vitest';
import { plantsIn, type Result, type SentPlant } from '../load.ts';

export type PostgresStore = Awaited<ReturnType<typeof startStore>>;

/** Starts a PostgreSQL server for one test, with a database of an ordinary user, to whom every limit of the server applies. */
export async function startStore() {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  const url = new URL(await freshDatabase(server.url));
  const sql = (...statements: readonly string[]) => Promise.all(statements.map((each) => runSql(server.url, each)));
  await sql('CREATE ROLE gardener LOGIN');
  await sql(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO gardener`);
  url.username = 'gardener';
  return { server, url: url.href, sql };
}

/** Stores each plant so many milliseconds later. The table must exist. */
export async function slowDown(url: string, ms: number): Promise<void> {
  await runSql(
    url,
    `CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${ms / 1_000}); RETURN NEW; END';
     CREATE TRIGGER slow BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION be_slow()`,
  );
}

/** What is stored under the ids that were sent, read from the database itself. */
export async function storedIn(url: string, sent: readonly Result[]): Promise<ReadonlyMap<number, SentPlant>> {
  const ids = sent.map(({ plant }) => plant.id);
  return plantsIn(await runSql(url, 'SELECT * FROM plants WHERE id = ANY ($1::int8[])', [ids]));
}
