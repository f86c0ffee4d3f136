import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listening } from '@plant-store/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { composedService } from '../composed-service.ts';
import { create, TOKEN } from '../running-service.ts';

const run = promisify(execFile);
const application = join(import.meta.dirname, '../..');
const page = join(application, '../../docs/http-api.md');
const retryingClient = import.meta.resolve('../../../../docs/clients/create-plant.js');
const exactIntegers = import.meta.resolve('../../../../docs/clients/exact-integers.ts');
const programs = join(import.meta.dirname, 'programs');
const generated = join(programs, 'generated');
let url: string;

/** Runs the documented command on the description of a running service. */
beforeAll(async () => {
  const service = await composedService();
  ({ url } = service);
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
  const [, command = ''] = /^npx -y openapi-typescript@\S+ (.*)$/m.exec(readFileSync(page, 'utf8')) ?? [];
  const args = command.replace('http://127.0.0.1:3000', url).split(' ');
  await run(join(application, 'node_modules/.bin/openapi-typescript'), args, { cwd: generated });
  await copyFile(new URL(exactIntegers), join(generated, 'exact-integers.ts'));
  return () => service.stop();
});

/** Whether a plant with this id is stored, and none with its neighbour, to which a double rounds it. */
async function isStoredExactly(id: bigint): Promise<void> {
  expect((await create(url, `{"id":${id},"name":"Moss"}`)).status).toBe(400);
  expect((await create(url, `{"id":${id > 0 ? id - 1n : id + 1n},"name":"Moss"}`)).status).toBe(200);
}

test('the generated client compiles in strict TypeScript, sends ids exactly and reads errors by their types', async () => {
  const tsc = join(application, '../../node_modules/.bin/tsc');
  expect(await run(tsc, ['-p', programs]).catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
  const { createPlant } = await import(join(generated, 'compiled/openapi-fetch.js'));
  for (const id of [9007199254740993n, 9223372036854775807n, -9223372036854775808n]) {
    expect(await createPlant(url, TOKEN, id, 'Fern')).toBe('200 Fern');
    await isStoredExactly(id);
  }
  const taken = await createPlant(url, TOKEN, 9007199254740993n, 'Rose');
  expect(taken).toMatch(/^400 40005 the id is taken by another plant/);
  const unknown = await createPlant(url, 'no-such-token-at-all', 7, 'Fern', 'order-7');
  expect(unknown).toMatch(/^401 40102 .* \(order-7\)$/);
});

test('with makeBigIntsExact, JSON.stringify sends every id exactly', async () => {
  const { makeBigIntsExact } = await import(exactIntegers);
  makeBigIntsExact();
  onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'));
  expect((await create(url, { id: 9007199254740997n, name: 'Fern' })).status).toBe(200);
  await isStoredExactly(9007199254740997n);
});

describe('the documented client with retries', () => {
  /** A response of the service; undefined closes the connection. */
  type Responding = { readonly status: number; readonly record: object; readonly headers?: object } | undefined;

  const failure = (status: number, error: number) => ({ status, record: { error, message: 'try again' } });
  const created = { status: 200, record: { name: 'Fern' } };
  const headers = { location: '/login', 'retry-after': 'Thu, 26 Nov 2026 12:00:00 GMT' };

  test('repeats a request without a response, a 503 and a late request, and sends the id exactly', async () => {
    const { sent, bodies } = await sendTo([undefined, failure(503, 50301), failure(400, 40007), created]);
    expect(await sent).toEqual({ name: 'Fern' });
    expect(bodies).toEqual(Array.from({ length: 4 }, () => '{"id":9007199254740993,"name":"Fern"}'));
  });

  test.each<[what: string, response: Responding, thrown: object, forMs?: number]>([
    ['a request that has to change', failure(400, 40005), { status: 400, error: 40005 }],
    ['a redirection of a proxy, which stored nothing', { status: 302, record: {}, headers }, { status: 302 }],
    ['a page of a proxy, which stored nothing', { status: 200, record: { message: 'log in' } }, { status: 200 }],
    ['that its time is over, also if Retry-After is a date', { ...failure(503, 50302), headers }, { error: 50302 }, 0],
  ])('reports %s, and does not repeat it', async (_, response, thrown, forMs) => {
    const { sent, bodies } = await sendTo([response, created], forMs);
    await expect(sent).rejects.toMatchObject(thrown);
    expect(bodies).toHaveLength(1);
  });

  test('sends no number that may have lost digits', async () => {
    const { sent, bodies } = await sendTo([created], 0, Number('9007199254740993'));
    await expect(sent).rejects.toThrow(RangeError);
    expect(bodies).toHaveLength(0);
  });

  /** What comes of a plant that is sent to a server with these responses in turn, and what that was sent. */
  async function sendTo(responses: readonly Responding[], forMs?: number, id: bigint | number = 9007199254740993n) {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const next = responses[bodies.length];
      bodies.push(Buffer.concat(await request.toArray()).toString());
      if (!next) return void request.socket.destroy();
      const headers = { 'content-type': 'application/json', ...next.headers };
      response.writeHead(next.status, headers).end(JSON.stringify(next.record));
    });
    const baseUrl = `http://127.0.0.1:${await listening(server, onTestFinished)}`;
    const { createPlant } = await import(retryingClient);
    return { sent: createPlant(baseUrl, TOKEN, { id, name: 'Fern' }, forMs) as Promise<unknown>, bodies };
  }
});
