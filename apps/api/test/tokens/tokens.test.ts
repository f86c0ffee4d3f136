import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listening } from '@plant-store/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
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

/** Starts a service, and checks at the end that no token went to its log. */
async function serviceWith(environment: Record<string, string>, ...secrets: readonly string[]) {
  const lines: string[] = [];
  const service = await composedService(environment, lines);
  onTestFinished(async () => {
    await service.stop();
    for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
  });
  const status = async (token: string) => (await create(service.url, plant, token)).status;
  return { status, lines };
}

async function issuerAt(ready: Promise<void> = Promise.resolve()) {
  const server = createServer((_request, response) => void ready.then(() => response.end(jwks)));
  const JWT_JWKS_URL = `http://127.0.0.1:${await listening(server, onTestFinished)}/jwks`;
  return { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL };
}

test('JWTs are accepted in addition to API_TOKENS', async () => {
  const [good, expired] = [issue(), issue({ exp: 1 })];
  const { status, lines } = await serviceWith(await issuerAt(), good, expired, TOKEN);
  const statuses = await Promise.all([good, TOKEN, expired, 'stranger'].map(status));
  expect(statuses).toEqual([200, 200, 401, 401]);
  const reason = /"status":401,[^}]*"reason":"not a listed token; JWT: \\"exp\\" claim timestamp check failed"/;
  await expect.poll(() => lines.join('')).toMatch(reason);
});

test('JWTs alone suffice to start in production, with the keys in a file', async () => {
  const JWT_JWKS_FILE = join(await scratchDirectory(onTestFinished), 'jwks.json');
  await writeFile(JWT_JWKS_FILE, jwks);
  const production = {
    DATABASE_URL: 'memory:',
    API_TOKENS: '',
    NODE_ENV: 'production',
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
  };
  const { status } = await serviceWith({ ...production, JWT_JWKS_FILE });
  expect([await status(issue()), await status(issue({ aud: 'another' }))]).toEqual([200, 401]);
});

test('however many JWTs wait for an issuer that hangs, other tokens are accepted, and no JWT is lost', async () => {
  // On a busy machine the 1.5 s that a JWT waits would pass.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => timeout.mockRestore());
  const { promise: ready, resolve: respond } = Promise.withResolvers<void>();
  const { status } = await serviceWith({ ...(await issuerAt(ready)), MAX_REQUESTS_IN_FLIGHT: '10' }, TOKEN);
  const statuses: number[] = [];
  const completed = Array.from({ length: 10 }, async () => statuses.push(await status(issue())));
  for (let times = 0; times < 20; times += 1) expect(await status(TOKEN)).toBe(200);
  expect(statuses).toEqual([]);
  respond();
  await Promise.all(completed);
  expect(statuses).toEqual(Array(10).fill(200));
});

test('a token removed from API_TOKENS_FILE is rejected without a restart, the last one, too', async () => {
  const API_TOKENS_FILE = join(await scratchDirectory(onTestFinished), 'tokens');
  const [alice, bob] = ['token-of-alice-0123456789', 'token-of-bob-0123456789'];
  await writeFile(API_TOKENS_FILE, `${alice}\n${bob}\n`);
  const { status, lines } = await serviceWith({ API_TOKENS: '', API_TOKENS_FILE }, alice, bob);
  expect([await status(alice), await status(bob)]).toEqual([200, 200]);
  await writeFile(API_TOKENS_FILE, `${bob}\n`);
  await expect.poll(() => status(alice)).toBe(401);
  expect(await status(bob)).toBe(200);
  await writeFile(API_TOKENS_FILE, `# ${bob}\n`);
  await expect.poll(() => status(bob)).toBe(401);
  await expect.poll(() => lines.join('')).toMatch(/: it contains no token; all its entries are revoked/);
});
