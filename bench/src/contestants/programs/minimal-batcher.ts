import fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

// The shortest way to gather plants into one INSERT per commit. It shows what the promises of the service cost, since it
// keeps none of them: no deadline, no bound on its queue, no retry, no circuit breaker, no token, no log, ids rounded to
// doubles, and a taken id gets 200 whoever has it.
interface NewPlant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

const newPlant = z.object({ id: z.number(), name: z.string(), tag: z.string().optional() });
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 2 });

let waiting: { readonly plant: NewPlant; resolve(): void; reject(error: unknown): void }[] = [];
let writes = 0;

function add(plant: NewPlant): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.push({ plant, resolve, reject }) === 1) setImmediate(write);
  });
}

/** At most two batches at once; the next one leaves when one returns. */
async function write(): Promise<void> {
  if (writes === 2 || waiting.length === 0) return;
  writes += 1;
  const batch = waiting;
  waiting = [];
  try {
    await pool.query({
      name: 'insert',
      text: 'INSERT INTO plants SELECT * FROM unnest($1::int8[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING',
      values: [
        batch.map(({ plant }) => plant.id),
        batch.map(({ plant }) => plant.name),
        batch.map(({ plant }) => plant.tag),
      ],
    });
    for (const { resolve } of batch) resolve();
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
  writes -= 1;
  await write();
}

const app = fastify();
app.post('/plants', async ({ body }, reply) => {
  const { success, data } = newPlant.safeParse(body);
  if (!success) return reply.code(400).send({ error: 400, message: 'not a new plant' });
  await add(data);
  return { name: data.name, tag: data.tag };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
