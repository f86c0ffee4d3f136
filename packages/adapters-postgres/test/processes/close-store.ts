// A process of its own: adds a plant, says so, waits until its standard input ends, closes the store, and has nothing
// left to do.
//
//   DATABASE_URL=postgres://… node --conditions=development close-store.ts

import { text } from 'node:stream/consumers';
import { openPostgres } from '@plant-store/adapters-postgres';

const store = await openPostgres({ connectionString: process.env['DATABASE_URL'] ?? '' });
const { outcome } = await store.plants.add({ id: 1n, name: 'Fern' });
process.stdout.write(`${outcome}\n`);
await text(process.stdin);
await store.close();
