import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createHttpServer } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { migratePostgres, openPostgres } from '@plant-store/adapters-postgres';
import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { digestVerifier, newToken, parseTokenEntry } from '@plant-store/adapters-tokens';
import { httpContract } from '@plant-store/contracts-http';
import { runClause } from '@plant-store/contracts-kit';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { useCases } from '@plant-store/domain';

const connectionString = process.argv[2];
// Time-outs of the contract keep no process alive; while it runs, this does.
const alive = setInterval(() => {}, 1_000);
const tools = { sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()) };

async function openStores() {
  rmSync('plants.db', { force: true });
  await migratePostgres({ connectionString });
  await migrateSqlite({ path: 'plants.db' });
  return [await openPostgres({ connectionString }), await openSqlite({ path: 'plants.db' }), openMemory()];
}

/** Creates a plant, and another one under its id, over HTTP. */
async function createOver(store) {
  const { token, entry } = newToken();
  const tokens = digestVerifier([{ digests: [parseTokenEntry(entry)] }]);
  const server = createHttpServer({ useCases: useCases(store), tokens });
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const post = async (body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body });
    return `${response.status} ${await response.text()}`;
  };
  const results = [await post('{"id":9007199254740993,"name":"Fern","tag":""}')];
  results.push((await post('{"id":9007199254740993,"name":"Moss"}')).slice(0, 19));
  const [clause] = httpContract.clauses;
  results.push((await runClause(clause, { baseUrl, token }, tools)).verdict);
  await server.close();
  await store.close();
  return results;
}

const results = [];
for (const store of await openStores()) results.push(await createOver(store));
// The harness starts a process from a file of the package.
const clause = plantRepositoryContract.clauses.find(({ id }) => id === 'PR-11');
const crash = await runClause(clause, storeHarness(connectionString), tools);
const expected = ['200 {"name":"Fern","tag":""}', '400 {"error":40005,', 'passed'];
assert.deepEqual(
  { results, crash: crash.message ?? crash.verdict },
  { results: [expected, expected, expected], crash: 'passed' },
);
process.stdout.write('a service over each store responds, and passes the contracts\n');
clearInterval(alive);
