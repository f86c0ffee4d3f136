// A process of its own: adds the plants that come on its standard input, one JSON record a line, one after the other and
// each by two callers at once, and writes the id to its standard output after every answer.
//
//   DATABASE_URL=postgres://… node --conditions=development add-plants.ts < PLANTS

import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openPostgres } from '@plant-store/adapters-postgres';
import type { NewPlant } from '@plant-store/domain';

const plants = await text(process.stdin);
const store = await openPostgres({ connectionString: process.env['DATABASE_URL'] ?? '' });
for (const line of plants.trim().split('\n')) {
  const { id, ...plant } = JSON.parse(line);
  await Promise.all([add({ id: BigInt(id), ...plant }), add({ id: BigInt(id), ...plant })]);
}
await store.close();

async function add(plant: NewPlant): Promise<void> {
  await store.plants.add(plant);
  // Written at once, and only after the answer: what stands in the pipe when the process is killed was answered.
  writeSync(1, `${plant.id}\n`);
}
