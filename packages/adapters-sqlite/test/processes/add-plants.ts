// A process of its own: opens a store on the file and says that it is ready, adds the plants that come on its standard
// input one after the other, each twice concurrently, and writes a line to its standard output for each result.
//
//   node --conditions=development add-plants.ts FILE < PLANTS

import { text } from 'node:stream/consumers';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { parsePlants } from './plants-on-a-pipe.ts';

const [path = ''] = process.argv.slice(2);
const store = await openSqlite({ path });
process.stdout.write('ready\n');
for (const plant of parsePlants(await text(process.stdin))) {
  const add = async () => {
    const { outcome } = await store.plants.add(plant);
    process.stdout.write(`${plant.id} ${outcome}\n`);
  };
  await Promise.all([add(), add()]);
}
await store.close();
