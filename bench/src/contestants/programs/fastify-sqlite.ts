import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { type NewPlantBody, newPlant } from './new-plant.ts';

// What a team would otherwise write on SQLite, as durable as the service: a synced INSERT per request.
const db = new DatabaseSync((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length));
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
const insert = db.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
// It reports the id as the last row id, and throws if that is not a safe integer.
insert.setReadBigInts(true);

const app = fastify();
app.post<{ Body: NewPlantBody }>('/plants', { schema: newPlant }, async ({ body: { id, name, tag } }) => {
  // SQLite does not accept a double above 2^51 as an integer.
  insert.run(BigInt(id), name, tag ?? null);
  return { name, tag };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
