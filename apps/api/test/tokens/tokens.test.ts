import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listening } from '@plant-store/testing-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
import { patiently } from '../patiently.ts';
import { create, scratchDirectory, TOKEN } from '../running-service.ts';

const issuer = 'https://issuer.example/';
const audience = 'https://plants.example';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'EdDSA' }] });
const plant = { id: 1, name: 'Fern' };

function issue(claims: object = {}): string {
  const exp = Math.floor(Date.now() / 1_000) + 300;
  const parts = [
    { alg: 'EdDSA', kid: 'one', typ: 'at+jwt' },
    { iss: issuer, aud: audience, sub: 'gardener', exp, ...claims },
  ];
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
}

/** Starts a service on a store of its own, and checks at the end that no token went to its log. */
async function serviceWith(environment: Record<string, string>, secrets: readonly string[]) {
  const lines: string[] = [];
  const service = await composedService(environment, lines);
  onTestFinished(async () => {
    await service.stop();
    for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
  });
  return {
    url: service.url,
    logged: (line: RegExp) => vi.waitFor(() => expect(lines.join('')).toMatch(line), patiently),
  };
}

async function issuerServer(ready: Promise<void> = Promise.resolve()) {
  const server = createServer((_request, response) => void ready.then(() => response.end(jwks)));
  const port = await listening(server, onTestFinished);
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/jwks`, close, comeBack: () => server.listen(port, '127.0.0.1') };
}

test('JWTs are accepted in addition to API_TOKENS', async () => {
  const [good, expired] = [issue(), issue({ exp: 1 })];
  const { url } = await issuerServer();
  const jwt = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: url };
  const service = await serviceWith(jwt, [good, expired, TOKEN]);
  expect((await create(service.url, plant, good)).status).toBe(200);
  expect((await create(service.url, plant, TOKEN)).status).toBe(200);
  expect((await create(service.url, plant, expired)).status).toBe(401);
  expect((await create(service.url, plant, 'stranger')).status).toBe(401);
  await service.logged(/"status":401,[^}]*"reason":"not a listed token; JWT: \\"exp\\" claim timestamp check failed"/);
});

test('JWTs alone suffice to start in production, with the keys in a file', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'jwks.json');
  await writeFile(path, jwks);
  const alone = { API_TOKENS: '', NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' };
  const jwt = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_FILE: path };
  const good = issue();
  const service = await serviceWith({ ...alone, ...jwt }, [good]);
  expect((await create(service.url, plant, good)).status).toBe(200);
  expect((await create(service.url, plant, issue({ aud: 'another' }))).status).toBe(401);

  await expect(composedService({ ...alone, ...jwt, JWT_JWKS_FILE: `${path}.no` })).rejects.toThrow(
    `JWT_JWKS_FILE: ${path}.no: it cannot be read (ENOENT); the service needs it to start`,
  );
});

test('an unreachable issuer does not prevent startup, and only requests with a JWT wait for it', async () => {
  const server = await issuerServer();
  await server.close();
  const good = issue();
  const jwt = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: server.url };
  const service = await serviceWith(jwt, [good, TOKEN]);

  const rejected = await create(service.url, plant, good);
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await rejected.json()).toMatchObject({ error: 50304 });
  expect((await create(service.url, plant, TOKEN)).status).toBe(200);
  expect((await create(service.url, plant, 'stranger-to-all-of-them')).status).toBe(401);
  await service.logged(/JWKS at http:\/\/127\.0\.0\.1:\d+\/jwks: no response \(ECONNREFUSED\); .*; no key is known/);

  server.comeBack();
  const status = async () => (await create(service.url, plant, good)).status;
  await expect.poll(status, { timeout: 5_000, interval: 50 }).toBe(200);
});

test('while an issuer hangs, at most a twentieth of the requests in flight wait for it', async () => {
  const { promise: ready, resolve: respond } = Promise.withResolvers<void>();
  const { url } = await issuerServer(ready);
  const jwt = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: url, JWT_TIMEOUT_MS: '60000' };
  const service = await serviceWith({ ...jwt, MAX_REQUESTS_IN_FLIGHT: '40' }, [TOKEN]);
  const statuses: number[] = [];
  const completed = Array.from({ length: 40 }, async () => {
    statuses.push((await create(service.url, plant, issue())).status);
  });
  await expect.poll(() => statuses, { timeout: 5_000 }).toEqual(Array(38).fill(503));
  expect((await create(service.url, plant, TOKEN)).status).toBe(200);
  respond();
  await Promise.all(completed);
  expect(statuses.slice(38)).toEqual([200, 200]);
});

test('a token removed from API_TOKENS_FILE is rejected within 2 s, without a restart', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'tokens');
  const [alice, bob] = ['token-of-alice-0123456789', 'token-of-bob-0123456789'];
  await writeFile(path, `${alice}\n${bob}\n`);
  const service = await serviceWith({ API_TOKENS: '', API_TOKENS_FILE: path }, [alice, bob]);
  const status = async (token: string) => (await create(service.url, plant, token)).status;
  expect([await status(alice), await status(bob)]).toEqual([200, 200]);
  await writeFile(path, `${bob}\n`);
  await expect.poll(() => status(alice), { timeout: 2_000, interval: 20 }).toBe(401);
  expect(await status(bob)).toBe(200);
});
