// Starts a service with the next version of domain on the storage adapter of the given file, and creates plants.
import assert from 'node:assert/strict';
import { createHttpServer } from '@plant-store/adapters-http';
import { digestVerifier, newToken, parseTokenEntry } from '@plant-store/adapters-tokens';
import { useCases } from '@plant-store/domain';

const { storageAdapter } = await import(process.argv[2]);
const store = await storageAdapter.at('file-log:plants.log', {}).open();

const { token, entry } = newToken();
const tokens = digestVerifier([{ digests: [parseTokenEntry(entry)] }]);
const warnings = [];
const ignore = () => {};
const logger = {
  level: 'warn',
  fatal: ignore,
  error: ignore,
  info: ignore,
  debug: ignore,
  trace: ignore,
  silent: ignore,
};
Object.assign(logger, { warn: (message) => warnings.push(message), child: () => logger });
const server = createHttpServer({ useCases: useCases(store), tokens, logger });
const url = await server.listen({ host: '127.0.0.1', port: 0 });
const errors = [];
for (const [id, name] of ['Fern', 'Heracleum mantegazzianum', 'Nettle'].entries()) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/plants`, { method: 'POST', headers, body: JSON.stringify({ id, name }) });
  errors.push((await response.json()).error ?? response.status);
}
assert.deepEqual(errors, [200, 40008, 50301]);

// The adapter lacks the port of the next operation.
assert.match(warnings[0], /^findPlant \(GET \/plants\/\{id\}\) is not served, because the store lacks the port for it/);
const found = await fetch(`${url}/plants/0`, { headers: { authorization: `Bearer ${token}` } });
assert.equal((await found.json()).error, 40401);
await server.close();
await store.close();
