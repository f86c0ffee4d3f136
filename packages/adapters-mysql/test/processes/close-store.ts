// A process of its own: adds a plant, says so, waits until its standard input ends, closes the store, and has nothing
// left to do.
//
//   DATABASE_URL=mysql://… node --conditions=development close-store.ts

import { text } from 'node:stream/consumers';
import { openMysql } from '@plant-store/adapters-mysql';

const store = await openMysql({ connectionString: process.env['DATABASE_URL'] ?? '' });
const { outcome } = await store.plants.add({ id: 1n, name: 'Fern' });
process.stdout.write(`${outcome}\n`);
await text(process.stdin);
await store.close();
