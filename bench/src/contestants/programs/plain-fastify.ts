import fastify from 'fastify';
import { type Dialect, Kysely, MysqlDialect, PostgresDialect } from 'kysely';

// What a team would otherwise write, on the driver that DRIVER names. Fastify validates and serializes by itself. The id is
// rounded to a double, as a typical application reads it.
interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string;
}

type Insert = (plant: NewPlant) => unknown;

const { DRIVER = '', DATABASE_URL: url = '', POOL_SIZE = '20', EQUIPPED, PORT } = process.env;
const size = Number(POOL_SIZE);
// Between two of its turns, the pool closes no connection: opening them again would be measured.
const idle = 600_000;

const drivers: Readonly<Record<string, () => Promise<Insert>>> = {
  async pg() {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: url, max: size, idleTimeoutMillis: idle });
    return kysely(new PostgresDialect({ pool }));
  },
  async mysql2() {
    const { createPool } = await import('mysql2');
    return kysely(new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: size, idleTimeout: idle }) }));
  },
  /** Past Kysely, prepared; a pool would not send two statements to one connection, so requests take turns. */
  async 'pg-pipeline'() {
    const { default: pg } = await import('pg');
    const clients = Array.from({ length: size }, () => new pg.Client({ connectionString: url, pipeline: true }));
    await Promise.all(clients.map((client) => client.connect()));
    const text = 'INSERT INTO plants (id, name, tag) VALUES ($1, $2, $3)';
    let turn = 0;
    return ({ id, name, tag }) =>
      clients[turn++ % size]?.query({ name: 'insert', text, values: [id, name, tag ?? null] });
  },
  /**
   * The shortest way to gather plants into one INSERT per commit, at most two at once. It shows what the promises of the
   * service cost, since it keeps none of them: no deadline, no bound on its queue, no retry, no circuit breaker, ids rounded
   * to doubles, and a taken id gets 200 whoever has it.
   */
  async 'pg-batched'() {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: idle });
    const text = 'INSERT INTO plants SELECT * FROM unnest($1::int8[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING';
    let waiting: NewPlant[] = [];
    let inserted = Promise.withResolvers<void>();
    let writes = 0;
    async function write(): Promise<void> {
      if (writes === 2 || waiting.length === 0) return;
      writes += 1;
      const [batch, { resolve, reject }] = [waiting, inserted];
      [waiting, inserted] = [[], Promise.withResolvers()];
      const values = [batch.map(({ id }) => id), batch.map(({ name }) => name), batch.map(({ tag }) => tag)];
      await pool.query({ name: 'insert', text, values }).then(() => resolve(), reject);
      writes -= 1;
      await write();
    }
    return (plant) => {
      if (waiting.push(plant) === 1) setImmediate(write);
      return inserted.promise;
    };
  },
  /** It prepares and pipelines by itself. */
  async 'postgres.js'() {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url, { host: decodeURIComponent(new URL(url).hostname), max: size });
    return ({ id, name, tag }) => sql`INSERT INTO plants (id, name, tag) VALUES (${id}, ${name}, ${tag ?? null})`;
  },
  /** As durable as the service. */
  async 'node:sqlite'() {
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(url.slice('sqlite:'.length));
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
    // It reports the id as the last row id, and throws if that is not a safe integer.
    insert.setReadBigInts(true);
    // SQLite does not accept a double above 2^51 as an integer.
    return ({ id, name, tag }) => insert.run(BigInt(id), name, tag ?? null);
  },
  none: async () => () => {},
};

function kysely(dialect: Dialect): Insert {
  const db = new Kysely<{ plants: { id: number; name: string; tag: string | null } }>({ dialect });
  return ({ id, name, tag = null }) => db.insertInto('plants').values({ id, name, tag }).execute();
}

const insert = await drivers[DRIVER]?.();
if (!insert) throw new Error(`DRIVER: ${DRIVER} is none of ${Object.keys(drivers).join(', ')}`);
const app = fastify({ logger: EQUIPPED !== undefined });
if (EQUIPPED !== undefined) {
  const { Histogram, register } = await import('prom-client');
  const labelNames = ['method', 'route', 'status'] as const;
  const duration = new Histogram({ name: 'http_request_duration_seconds', help: 'Duration of requests', labelNames });
  app.addHook(
    'onResponse',
    async ({ method, routeOptions: { url: route = '' } }, { statusCode: status, elapsedTime }) =>
      duration.observe({ method, route, status }, elapsedTime / 1_000),
  );
  app.get('/metrics', () => register.metrics());
}
const text = { type: 'string' };
const schema = {
  body: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text, tag: text } },
  response: { 200: { type: 'object', properties: { name: text, tag: text } } },
};
app.post<{ Body: NewPlant }>('/plants', { schema }, async ({ body }) => {
  await insert(body);
  return { name: body.name, tag: body.tag };
});
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
