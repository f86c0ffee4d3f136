import { expect, test } from 'vitest';
import { storeAt } from '../../src/stores/index.ts';
import { expectAgreesWithMemory } from '../parity/agrees-with-memory.ts';
import { onEveryServer } from './every-server.ts';

await onEveryServer((engine, server) => {
  test(`${engine} gives the same results as memory for a sequence of adds, and stores the same plants`, async () => {
    const url = await server.freshDatabase();
    const place = storeAt(url, { onError: (error) => expect.unreachable(error.message) });
    await place.migrate();
    const store = await place.open();
    try {
      await expectAgreesWithMemory(engine, async () => {
        await server.deletePlants(url);
        return store;
      });
    } finally {
      await store.close();
    }
  });
});
