import { generateKeyPairSync, sign } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listening } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/index.ts';
import { developmentToken } from '../src/tokens.ts';
import { composedService } from './composed-service.ts';
import { create, scratchDirectory, TOKEN } from './running-service.ts';

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

test('JWTs are accepted in addition to API_TOKENS, and the log has the reason of a refusal', async () => {
  const [good, expired] = [issue(), issue({ exp: 1 })];
  const { status, lines } = await serviceWith(await issuerAt(), good, expired, TOKEN);
  const statuses = await Promise.all([good, TOKEN, expired, 'stranger'].map(status));
  expect(statuses).toEqual([200, 200, 401, 401]);
  const reason = /"status":401,[^}]*"reason":"JWT: \\"exp\\" claim timestamp check failed"/;
  await expect.poll(() => lines.join('')).toMatch(reason);
});

test('JWTs alone suffice to start in production, with the keys in a file', async () => {
  const JWT_JWKS_FILE = join(await scratchDirectory(onTestFinished), 'jwks.json');
  await writeFile(JWT_JWKS_FILE, jwks);
  const production = { API_TOKENS: '', NODE_ENV: 'production', JWT_ISSUER: issuer, JWT_AUDIENCE: audience };
  const { status } = await serviceWith({ ...production, JWT_JWKS_FILE });
  expect([await status(issue()), await status(issue({ aud: 'another' }))]).toEqual([200, 401]);
});

test('P4/F8 P7/F8 while an issuer is slow, JWTs get 503, other tokens 200, and later JWTs 200', async () => {
  const { promise: ready, resolve: respond } = Promise.withResolvers<void>();
  const { status } = await serviceWith(await issuerAt(ready), TOKEN);
  const statuses = await Promise.all([issue(), issue(), TOKEN].map(status));
  expect(statuses).toEqual([503, 503, 200]);
  respond();
  await expect.poll(() => status(issue())).toBe(200);
});

test('a token removed from API_TOKENS_FILE is rejected without a restart, those of API_TOKENS are not', async () => {
  const API_TOKENS_FILE = join(await scratchDirectory(onTestFinished), 'tokens');
  const [alice, bob] = ['token-of-alice-0123456789', 'token-of-bob-0123456789'];
  await writeFile(API_TOKENS_FILE, `${alice}\n${bob}\n`);
  const { status } = await serviceWith({ API_TOKENS_FILE }, alice, bob, TOKEN);
  expect(await Promise.all([alice, bob, TOKEN].map(status))).toEqual([200, 200, 200]);
  await writeFile(API_TOKENS_FILE, `${bob}\n`);
  await expect.poll(() => status(alice)).toBe(401);
  expect(await Promise.all([bob, TOKEN].map(status))).toEqual([200, 200]);
});

test('the generated token is stored for its owner alone, and used again', async () => {
  const DATA_DIR = join(await scratchDirectory(onTestFinished), 'data');
  const config = readConfig({ DATA_DIR });
  const token = await developmentToken(config);
  expect((await stat(join(DATA_DIR, 'token'))).mode & 0o777).toBe(0o600);
  expect(await developmentToken(config)).toBe(token);
  await writeFile(join(DATA_DIR, 'token'), 'hunter2');
  await expect(developmentToken(config)).rejects.toThrow(/^DATA_DIR: cannot use the generated token: (?!.*hunter2)/);
});
