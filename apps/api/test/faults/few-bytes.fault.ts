import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpLimits } from '@plant-store/adapters-http/limits';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { newPlants, startLoad } from '../load.ts';
import { connectTo, create, startService, TOKEN } from '../running-service.ts';
import { longest, milliseconds, print } from './under-fault.ts';

/** What a container of 512 MiB leaves for JavaScript's heap, and what the process may take altogether. */
const [HEAP_MIB, MOST_MIB] = [256, 350];

/** How long others may wait: 2 s, and half a second for a busy machine, which also runs the attack. */
const OTHERS_WAIT_MS = 2_500;

/** Node's parser calls back for each chunk. That of 8 million takes 4 s of CPU, whatever is done with them. */
const PARSED = 'chunks of a byte without a token';

const SLOW_ISSUER = 'JWTs of an unknown key, while the issuer hangs';

/** What an attack may send. */
const MOST_BYTES = 50e6;

/** Nearly all connections that there may be: a few are left for other clients. */
const ALL = httpLimits.maxConnections - 10;

/** So many bodies at the limit are 39 MB, so many with 16,000 chunks 48 MB. */
const [BODIES, CHUNKED] = [600, 500];

/** So many requests may be pipelined. */
const PIPELINED = 10;

const bearer = `Authorization: Bearer ${TOKEN}\r\n`;
const json = 'Content-Type: application/json\r\n';
const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const post = (fields: string, body = '', length = body.length) =>
  `POST /plants HTTP/1.1\r\nHost: x\r\n${fields}Content-Length: ${length}\r\n\r\n${body}`;
const chunks = (fields: string, bytes: number) =>
  `POST /plants HTTP/1.1\r\nHost: x\r\n${json}${fields}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(bytes)}`;

/** Nearly 16 KiB, the limit on heads. */
const long = (unit: string) => unit.repeat(16_000 / unit.length);

/** As many fields as a head may have besides those of a body, with names that no other connection sends. */
const fields = (at: number) =>
  Array.from({ length: 95 }, (_, each) => `x${(95 * at + each).toString(36)}: ${'v'.repeat(150)}\r\n`).join('');

const docs = { DOCS: 'on' };
/** Nobody receives the spans. */
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

/** The keys of an issuer, and tokens with a signature of another one. */
const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const jwks = join(mkdtempSync(join(tmpdir(), 'plant-store-')), 'jwks.json');
writeFileSync(
  jwks,
  JSON.stringify({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }] }),
);
afterAll(() => rmSync(dirname(jwks), { recursive: true }));
const jwts = { JWT_ISSUER: 'https://issuer.example/', JWT_AUDIENCE: 'plants', JWT_JWKS_FILE: jwks };
/** An issuer that serves its keys once, and then does not respond. */
let isAsked = false;
const issuer = createServer((_, response) => {
  if (!isAsked) response.setHeader('content-type', 'application/json').end(readFileSync(jwks));
  isAsked = true;
}).listen(0, '127.0.0.1');
await once(issuer, 'listening');
afterAll(() => issuer.close().closeAllConnections());
const hanging = {
  ...jwts,
  JWT_JWKS_FILE: '',
  JWT_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`,
};
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = (at: number, kid = 'one', more = 1_000) => {
  const claims = { iss: jwts.JWT_ISSUER, aud: jwts.JWT_AUDIENCE, sub: `${at}`, exp: 2 ** 32, more: 'x'.repeat(more) };
  const token = `${part({ alg: 'RS256', kid })}.${part(claims)}.${'A'.repeat(342)}`;
  return post(`Authorization: Bearer ${token}\r\n`);
};

/** A body at the limit. */
const whole = (text: string) => post(bearer + json, text.padEnd(httpLimits.bodyLimit, ' '));
const array = (unit: string, last: string) => whole(`[${unit.repeat(65_000 / unit.length)}${last}]`);

/**
 * @param reached is in most responses, which shows that the attack was not refused before it could work.
 * @param send makes what each connection sends.
 * @param how responses are not read for two seconds, or the clients leave at once and get none, or stay connected.
 * @param settings of the service. The page is off, as in production, unless they say otherwise.
 */
type Attack = [
  title: string,
  connections: number,
  reached: RegExp,
  send: (at: number) => string,
  how?: 'unread' | 'leaving' | 'idle' | undefined,
  settings?: Record<string, string>,
];

test.each<Attack>([
  ['heads of 98 fields', ALL, /40101/, (at) => post(fields(at), '', 9)],
  ['unfinished heads', ALL, /40007/, (at) => get('/', fields(at)).slice(0, -2)],
  ['pipelined GET', ALL, /40401/, () => get('/no').repeat(PIPELINED)],
  ['a flood of GET, leaving', ALL, /none/, () => get('/no').repeat(850), 'leaving'],
  ['unread responses', ALL, / 200 /, () => get('/openapi.json').repeat(PIPELINED), 'unread'],
  ['chunks of a byte', ALL, /40007/, () => chunks(bearer, 63)],
  [PARSED, CHUNKED, /40101/, () => chunks('', 16_000)],
  ['paths of percent-encodings', ALL, /40401/, () => get(`/${long('%25')}`)],
  ['a long field', ALL, /40102/, () => post(`Authorization: Bearer ${long('a')}\r\n`)],
  ['bodies that never come', ALL, /40007/, () => post(bearer + json, '', 65_000)],
  ['JSON nested deeply', BODIES, /40002/, () => whole('['.repeat(32_000) + ']'.repeat(32_000))],
  ['JSON of big ids', BODIES, /40002|50302/, () => array('{"id":1e99},', '1')],
  [
    'numbers beside an exact id',
    BODIES,
    / 200 /,
    (at) => whole(`{"id":${at}.0,"name":"n","a":[${'1,'.repeat(32_000)}1]}`),
  ],
  ['large plants', BODIES, / 200 /, (at) => post(bearer + json, `{"id":${at},"name":"${'n'.repeat(65_000)}"}`)],
  ['idle after a request', ALL, / 200 /, () => get('/'), 'idle'],
  ['the page, unread', ALL, /50302/, () => get('/docs/static/swagger-ui-bundle.js').repeat(PIPELINED), 'unread', docs],
  [
    'the page by other URLs, unread',
    ALL,
    /50302/,
    (at) => get(`/docs/static/swagger-ui-bundle.js?${at}`).repeat(PIPELINED),
    'unread',
    docs,
  ],
  ['the description, unread', ALL, / 200 /, () => get('/openapi.yaml').repeat(PIPELINED), 'unread', docs],
  ['baggage', ALL, / 200 /, () => get('/', `baggage: ${long('k=v,')}\r\n`).repeat(2), undefined, traced],
  ['forged JWTs', ALL, /40102/, (at) => forged(at).repeat(PIPELINED), undefined, jwts],
  [SLOW_ISSUER, ALL, / 503 /, (at) => forged(at, 'unknown', 1_900).repeat(PIPELINED), undefined, hanging],
])('a service with little memory lives: %s', async (title, connections, reached, send, how, settings) => {
  const production = { DATABASE_URL: 'memory:', DOCS: 'off', NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
  using service = await startService({ ...production, ...settings });
  const loads = [
    startLoad(() => service.url, 20),
    startLoad(() => service.url, 20, newPlants(), { connection: 'close' }),
  ];

  let answered = 0;
  const sockets = await opened(service.url, connections);
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const read = () => {
    for (const socket of sockets)
      socket.once('data', (bytes: Buffer) => {
        if (reached.test(String(bytes))) answered += 1;
        // A whole page for each request is 20 GB.
        if (how === 'unread') socket.pause();
        else socket.resume();
      });
  };
  if (how !== 'unread') read();
  // Within two seconds after a fetch there is no other one.
  if (title === SLOW_ISSUER) await sleep(2_500);
  const parts = sockets.map((_, at) => send(at));
  const sentBytes = parts.join('').length;
  for (const [at, socket] of sockets.entries()) socket.write(parts[at] ?? '', 'latin1');
  await sleep(2_000);
  if (how === 'leaving') for (const socket of sockets) socket.resetAndDestroy();
  if (how === 'unread') read();
  if (how !== 'leaving') await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThan(connections / 10);
  // Idle connections stay; above half of them, a second at most.
  if (how === 'idle') await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThan(ALL / 3);
  for (const socket of sockets) socket.destroy();
  const [kept = 0, fresh = 0] = (await Promise.all(loads.map((load) => load.stop()))).map((results) =>
    longest(results),
  );

  expect((await create(service.url, { id: -1, name: 'Moss' })).status).toBe(200);
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8')) ?? [];
  const most = Math.round(Number(kib) / 1_024);
  const sent = `${(sentBytes / 1e6).toFixed(1)} MB on ${connections} connections`;
  print(title, [
    sent,
    `${most} MiB`,
    `others waited ${milliseconds(kept)}, with fresh connections ${milliseconds(fresh)}`,
  ]);
  const metrics = async () => (await fetch(`${service.adminUrl}/metrics`)).text();
  await expect.poll(metrics, { timeout: 30_000 }).toContain('http_server_active_requests 0\n');
  expect(service.output().includes('Warning'), 'printed past the log').toBe(false);
  expect(sentBytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(most).toBeLessThanOrEqual(MOST_MIB);
  if (title !== PARSED) expect(Math.max(kept, fresh)).toBeLessThanOrEqual(OTHERS_WAIT_MS);
});

/** A few at a time: the kernel drops those that do not fit into the accept queue, and tries again a second later. */
async function opened(url: string, connections: number) {
  const sockets: Socket[] = [];
  while (sockets.length < connections) {
    const some = Array.from({ length: Math.min(200, connections - sockets.length) }, () => connectTo(url));
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  return sockets.map((socket) => socket.on('error', () => {}));
}
