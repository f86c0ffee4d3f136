import fastify from 'fastify';
import { Kysely, MysqlDialect } from 'kysely';
import { createPool } from 'mysql2';
import { type NewPlantBody, newPlant } from './new-plant.ts';

interface Database {
  readonly plants: { readonly id: number; readonly name: string; readonly tag: string | null };
}

// What a team would otherwise write: an INSERT with its own commit per request.
const db = new Kysely<Database>({
  dialect: new MysqlDialect({ pool: createPool({ uri: process.env['DATABASE_URL'] ?? '', connectionLimit: 10 }) }),
});

const app = fastify();
app.post<{ Body: NewPlantBody }>('/plants', { schema: newPlant }, async ({ body: { id, name, tag } }) => {
  await db
    .insertInto('plants')
    .values({ id, name, tag: tag ?? null })
    .execute();
  return { name, tag };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
