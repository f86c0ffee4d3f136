// A process of its own: adds the plants that come on its standard input, one JSON record a line, one after the other and
// each by two callers at once, and writes the id to its standard output after every answer.
//
//   node --conditions=development add-plants.ts URL < PLANTS

import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { openNewEngine } from '@plant-store/adapters-new-engine';
import type { NewPlant } from '@plant-store/domain';
import { show } from '@plant-store/domain/contract';

const [url = ''] = process.argv.slice(2);
const plants = await text(process.stdin);
try {
  const store = await openNewEngine({ url });
  for (const line of plants.trim().split('\n')) {
    const { id, ...plant } = JSON.parse(line);
    const add = async (newPlant: NewPlant) => {
      await store.plants.add(newPlant);
      // Written at once, and only after the answer: what stands in the pipe when the process is killed was answered.
      writeSync(1, `${id}\n`);
    };
    await Promise.all([add({ id: BigInt(id), ...plant }), add({ id: BigInt(id), ...plant })]);
  }
  await store.close();
} catch (error) {
  // For the message of the clause, which ends with it.
  writeSync(2, show(error));
  process.exit(1);
}
