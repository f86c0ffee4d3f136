import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { equippedApp } from './equipped-app.ts';

// A typical first version: one INSERT per request. With the argument `equipped`, it also has what production needs.

/** The id is a double, as in a typical application. */
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
  // Connections stay open between two turns, so that opening them is not measured.
  const pool = new pg.Pool({ connectionString: url, max: 20, idleTimeoutMillis: 600_000 });
  const db = new Kysely<{ plants: NewPlant }>({ dialect: new PostgresDialect({ pool }) });
  return (plant: NewPlant) => db.insertInto('plants').values(plant).execute();
}

/** Without Kysely, which has no dialect for node:sqlite. Commits are as durable as the service's. */
function onSqlite() {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  // The result has the id as the last row id, which may exceed a safe integer.
  insert.setReadBigInts(true);
  return ({ id, name, tag }: NewPlant) => insert.run(BigInt(id), name, tag ?? null);
}
