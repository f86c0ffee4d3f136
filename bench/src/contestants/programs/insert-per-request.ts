import fastify from 'fastify';
import { type Dialect, Kysely } from 'kysely';
import { type NewPlantBody, newPlant } from './new-plant.ts';

interface Database {
  readonly plants: { readonly id: number; readonly name: string; readonly tag: string | null };
}

/** Serves what a team would otherwise write: an INSERT with its own commit per request. */
export async function serveOn(dialect: Dialect): Promise<void> {
  const db = new Kysely<Database>({ dialect });
  const app = fastify();
  app.post<{ Body: NewPlantBody }>('/plants', { schema: newPlant }, async ({ body: { id, name, tag } }) => {
    await db
      .insertInto('plants')
      .values({ id, name, tag: tag ?? null })
      .execute();
    return { name, tag };
  });
  await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
}
