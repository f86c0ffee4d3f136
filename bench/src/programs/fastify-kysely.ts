import { randomUUID, timingSafeEqual } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import fastify, { type FastifyInstance } from 'fastify';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { Histogram, register } from 'prom-client';

// A typical first version: one INSERT per request. With the argument `equipped`, it also has what production needs. With
// `pipelined`, a connection sends a statement before the previous one has completed.

/** The id is a double, as in a typical application. */
interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

const { DATABASE_URL: url = '', PORT } = process.env;
/** The connections of the pool. */
const CONNECTIONS = 20;
const text = { type: 'string' };
const schema = {
  body: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text, tag: text } },
  response: { 200: { type: 'object', properties: { name: text, tag: text } } },
};
const insertPlant = url.startsWith('sqlite:') ? onSqlite() : await onPostgres();
const app = process.argv[2] === 'equipped' ? equippedApp() : fastify();
app.post<{ Body: NewPlant }>('/plants', { schema }, async ({ body }) => {
  await insertPlant(body);
  return { name: body.name, tag: body.tag };
});
await app.listen({ host: '127.0.0.1', port: Number(PORT) });

async function onPostgres() {
  // Connections stay open between two turns, so that opening them is not measured.
  const isPipelined = process.argv[2] === 'pipelined';
  const pool = isPipelined
    ? pipelinedPool()
    : new pg.Pool({ connectionString: url, max: CONNECTIONS, idleTimeoutMillis: 600_000 });
  const db = new Kysely<{ plants: NewPlant }>({ dialect: new PostgresDialect({ pool }) });
  await sql`create table plants (id bigint primary key, name text not null, tag text)`.execute(db);
  return (plant: NewPlant) => db.insertInto('plants').values(plant).execute();
}

/** Hands out its connections in turn, because pg's own pool gives a connection to one query at a time. */
function pipelinedPool(): PostgresPool {
  const open = async (): Promise<PostgresPoolClient> => {
    const client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
    return Object.assign(client, { release() {} });
  };
  const clients = Array.from({ length: CONNECTIONS }, open);
  const connect = () => {
    const client = clients.shift() ?? open();
    clients.push(client);
    return client;
  };
  return { options: {}, connect, end: async () => {} };
}

/** Without Kysely, which has no dialect for node:sqlite. Commits are as durable as the service's. */
function onSqlite() {
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT');
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  // The result has the id as the last row id, which may exceed a safe integer.
  insert.setReadBigInts(true);
  return ({ id, name, tag }: NewPlant) => insert.run(BigInt(id), name, tag ?? null);
}

/** A Fastify application with a log, request ids, metrics and a bearer token. */
function equippedApp(): FastifyInstance {
  const expected = Buffer.from(`Bearer ${process.env['API_TOKENS']}`);
  const genReqId = () => randomUUID();
  const app: FastifyInstance = fastify({ logger: true, requestIdHeader: 'x-request-id', genReqId });
  const labelNames = ['method', 'route', 'status'] as const;
  const duration = new Histogram({ name: 'http_request_duration_seconds', help: 'Duration of requests', labelNames });
  app.get('/metrics', () => register.metrics());
  app.addHook('onRequest', async ({ id, headers: { authorization = '' } }, reply) => {
    reply.header('x-request-id', id);
    const given = Buffer.from(authorization);
    const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
    return isKnown ? undefined : reply.code(401).send({ message: 'a bearer token is required' });
  });
  app.addHook('onResponse', async ({ method, routeOptions: { url: route = '' } }, { statusCode, elapsedTime }) =>
    duration.observe({ method, route, status: statusCode }, elapsedTime / 1_000),
  );
  return app;
}
