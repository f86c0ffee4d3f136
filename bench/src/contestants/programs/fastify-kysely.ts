import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { equippedApp } from './equipped-app.ts';

// What a team writes in an afternoon: one INSERT a request. With the argument `equipped`, what it then runs.

/** A typical application reads an id as a double. */
interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

const { DATABASE_URL: url = '', PORT } = process.env;
const text = { type: 'string' };
const schema = {
  body: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text, tag: text } },
  response: { 200: { type: 'object', properties: { name: text, tag: text } } },
};
const insertPlant = url.startsWith('sqlite:') ? onSqlite() : onPostgres();
const app = process.argv[2] === 'equipped' ? equippedApp() : fastify();
app.post<{ Body: NewPlant }>('/plants', { schema }, async ({ body }) => {
  await insertPlant(body);
  return { name: body.name, tag: body.tag };
});
await app.listen({ host: '127.0.0.1', port: Number(PORT) });

function onPostgres() {
  // Between two of its turns, the pool closes no connection: opening them again would be measured.
  const pool = new pg.Pool({ connectionString: url, max: 20, idleTimeoutMillis: 600_000 });
  const db = new Kysely<{ plants: NewPlant }>({ dialect: new PostgresDialect({ pool }) });
  return (plant: NewPlant) => db.insertInto('plants').values(plant).execute();
}

/** As durable as the service. Kysely has no dialect for node:sqlite. */
function onSqlite() {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  // It reports the id as the last row id, which is more than a safe integer.
  insert.setReadBigInts(true);
  return ({ id, name, tag }: NewPlant) => insert.run(BigInt(id), name, tag ?? null);
}
