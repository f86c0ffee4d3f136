// Starts a service on a store in memory from packed packages, and uses it with the contract's command and the client.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createHttpServer } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { digestVerifier, newToken, parseTokenEntry } from '@plant-store/adapters-tokens';
import { plantStoreClient } from '@plant-store/clients-typescript';
import { useCases } from '@plant-store/domain';

const { token, entry } = newToken();
const tokens = digestVerifier([{ digests: [parseTokenEntry(entry)] }]);
const server = createHttpServer({ useCases: useCases(openMemory()), tokens });
const url = await server.listen({ host: '127.0.0.1', port: 0 });
const env = { ...process.env, API_TOKEN: token };
await promisify(execFile)('npx', ['@plant-store/contracts-http', '--url', url], { env });
assert.deepEqual(await plantStoreClient({ baseUrl: url, token }).createPlant({ id: 7n, name: 'Fern' }), {
  name: 'Fern',
});
await server.close();
