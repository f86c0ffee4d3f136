import fastify from 'fastify';
import { type NewPlantBody, newPlant } from './new-plant.ts';

// The upper limit of HTTP on Fastify: its own validation and serialization, no checks besides, no store, no log.
const app = fastify();
app.post<{ Body: NewPlantBody }>('/plants', { schema: newPlant }, async ({ body: { name, tag } }) => ({ name, tag }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
