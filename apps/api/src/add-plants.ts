import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { storeEngine } from './stores.ts';

/**
 * Adds the plants that come line by line to the store, one after the other and each by two callers at once, and writes
 * the id to standard output after every answer. The contract kills it in mid-work.
 */
export async function addPlants(databaseUrl: string, lines: Readable): Promise<void> {
  const store = await storeEngine(databaseUrl, () => {}).open();
  for await (const line of createInterface({ input: lines })) {
    const { id, name, tag } = JSON.parse(line);
    const add = async () => {
      await store.plants.add({ id: BigInt(id), name, ...(tag !== undefined && { tag }) });
      // Written at once, and only after the answer: what stands in the pipe when the process is killed was answered.
      writeSync(process.stdout.fd, `${id}\n`);
    };
    await Promise.all([add(), add()]);
  }
  await store.close();
}
