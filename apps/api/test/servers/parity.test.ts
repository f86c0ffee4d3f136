import { expect, test } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { storeAt } from '../../src/stores/index.ts';
import { expectFirstWins, seed } from '../parity/history.ts';
import { onEveryServer } from './every-server.ts';

await onEveryServer((engine, server) => {
  test(`${engine} stores the first plant of an id and answers with it, for any sequence of adds (PARITY_SEED=${seed})`, async () => {
    const url = await server.freshDatabase();
    const place = storeAt(readConfig({ DATABASE_URL: url }), { onError: (error) => expect.unreachable(error.message) });
    await place.migrate();
    const store = await place.open();
    try {
      await expectFirstWins(async () => {
        await server.deletePlants(url);
        return store;
      });
    } finally {
      await store.close();
    }
  });
});
