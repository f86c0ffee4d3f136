// Adds long plants to the file at the given path until one fails, and prints why.
import { openSqlite } from '@plant-store/adapters-sqlite';

const store = await openSqlite({ path: process.argv[2] ?? '' });
try {
  for (let id = 0n; ; id += 1n) await store.plants.add({ id, name: 'x'.repeat(60_000) });
} catch (error) {
  process.stdout.write((error as Error).message);
}
await store.close();
