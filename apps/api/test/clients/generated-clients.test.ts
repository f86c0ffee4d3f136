import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { compose, readConfig } from '../../src/index.ts';
import { documentedClient, documentedCommand, documentedSerializer, documentedToJson } from './documented-commands.ts';

const run = promisify(execFile);
const application = join(import.meta.dirname, '../..');
const clients = join(import.meta.dirname, 'programs');
const generated = join(clients, 'generated');
const token = 'token-of-the-tests';

/** Runs the documented command on the description of a running service. */
beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
  const description = `${await serve()}/openapi.json`;
  const [tool = '', ...args] = documentedCommand(description);
  expect(tool).toBe('openapi-typescript');
  await run(join(application, 'node_modules/.bin', tool), args, { cwd: generated });
  await writeFile(join(generated, 'exact-integers.ts'), documentedSerializer);
  return () => Promise.all(stops.map((stop) => stop()));
});

const generatorRequire = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'));

const stops: (() => Promise<void>)[] = [];

/** The older one takes seconds of CPU for each program. */
const compilers = [
  ['7.0', join(application, '../../node_modules/.bin/tsc')] as const,
  ...(process.env['TEST_EXHAUSTIVE'] === '1' ? [['5.9', generatorRequire.resolve('typescript/bin/tsc')] as const] : []),
];

describe.each(compilers)('in strict TypeScript %s', (version, tsc) => {
  test('the generated client compiles for a bundler', async () => {
    expect((await run(tsc, ['--version'])).stdout).toContain(`Version ${version}`);
    expect(await run(tsc, ['-p', clients]).catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
  });

  test('what it compiles to under nodenext runs in plain Node', async () => {
    const compiled = join(generated, 'compiled');
    await rm(compiled, { recursive: true, force: true });
    await run(tsc, ['-p', join(clients, 'tsconfig.nodenext.json')]);
    const url = await serve();
    const program = `import { createPlant } from ${JSON.stringify(join(compiled, 'openapi-fetch.js'))};
      console.log(await createPlant(${JSON.stringify(url)}, '${token}', 9007199254740993n, 'Fern'));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('200 Fern\n');
  });
});

describe('a generated client', () => {
  test('creates a plant', async () => {
    const { createPlant, url } = await start();
    expect(await createPlant(url, token, 7, 'Fern')).toBe('200 Fern');
  });

  test('reads what is wrong with a request by its types', async () => {
    const { createPlant, url } = await start();
    await createPlant(url, token, 7, 'Fern');
    expect(await createPlant(url, token, 7, 'Moss')).toMatch(/^400 40005 the id is taken by another plant/);
    expect(await createPlant(url, 'no-such-token-at-all', 7, 'Fern')).toMatch(/^401 40102 /);
    expect(await createPlant(`${url}/elsewhere`, token, 7, 'Fern')).toMatch(/^404 40401 /);
  });

  test('sends a request id, and reads it in the response', async () => {
    const { createPlant, url } = await start();
    expect(await createPlant(url, 'no-such-token-at-all', 7, 'Fern', 'order-7')).toMatch(/^401 .* \(order-7\)$/);
  });

  test.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n])('sends the id %s exactly', async (id) => {
    const { createPlant, url } = await start();
    expect(await createPlant(url, token, id, 'Fern')).toBe('200 Fern');
    expect(await post(url, `{"id":${id},"name":"Moss"}`)).toContain('the id is taken by another plant');
    expect(await post(url, `{"id":${id > 0 ? id - 1n : id + 1n},"name":"Moss"}`)).toBe('{"name":"Moss"}');
  });

  test('cannot know of the digits that a number has lost', async () => {
    const { createPlant, url } = await start();
    expect(await createPlant(url, token, Number('9007199254740993'), 'Fern')).toBe('200 Fern');
    expect(await post(url, '{"id":9007199254740992,"name":"Moss"}')).toContain('the id is taken by another plant');
    expect(await post(url, '{"id":9007199254740993,"name":"Moss"}')).toBe('{"name":"Moss"}');
  });
});

test('with the documented toJSON, JSON.stringify sends every id exactly', async () => {
  const url = await serve();
  const program = `${documentedToJson}
    console.log(JSON.stringify({ id: 9007199254740993n, name: 'Fern' }));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(await post(url, stdout)).toBe('{"name":"Fern"}');
  expect(await post(url, '{"id":9007199254740993,"name":"Moss"}')).toContain('the id is taken by another plant');
});

describe('the documented client with retries', () => {
  const failure = (status: number, error: number) => ({ status, record: { error, message: 'try again' } });
  const created = { status: 200, record: { name: 'Fern' } };

  test('repeats a request without a response, a 503 and a late request, and sends the id exactly', async () => {
    const { url, bodies } = await responding([undefined, failure(503, 50301), failure(400, 40007), created]);
    expect(await retrying(url, { id: 9007199254740993n, name: 'Fern' })).toEqual({ name: 'Fern' });
    expect(bodies).toEqual(Array.from({ length: 4 }, () => '{"id":9007199254740993,"name":"Fern"}'));
  });

  test('repeats no request that has to change', async () => {
    const { url, bodies } = await responding([failure(400, 40005), created]);
    await expect(retrying(url, { id: 7, name: 'Moss' })).rejects.toMatchObject({ status: 400, error: 40005 });
    expect(bodies).toHaveLength(1);
  });

  test('gives up also if Retry-After is a date', async () => {
    const headers = { 'retry-after': 'Thu, 26 Nov 2026 12:00:00 GMT' };
    const { url } = await responding([{ ...failure(503, 50302), headers }, created]);
    await expect(retrying(url, { id: 7, name: 'Fern' }, 0)).rejects.toMatchObject({ status: 503, error: 50302 });
  });

  test.each([
    { status: 302, record: {}, headers: { location: '/login' } },
    { status: 200, record: { message: 'a page to log in' } },
  ])('takes no page of a proxy for a stored plant: $status', async (response) => {
    const { url, bodies } = await responding([response, created]);
    await expect(retrying(url, { id: 7, name: 'Fern' })).rejects.toMatchObject({ status: response.status });
    expect(bodies).toHaveLength(1);
  });

  test('sends no number that may have lost digits', async () => {
    const { url, bodies } = await responding([created]);
    await expect(retrying(url, { id: Number('9007199254740993'), name: 'Fern' })).rejects.toThrow(RangeError);
    expect(bodies).toHaveLength(0);
  });

  async function retrying(url: string, plant: object, giveUpAfterMs?: number): Promise<unknown> {
    const module = `data:text/javascript,${encodeURIComponent(documentedClient)}`;
    const { createPlant } = await import(module);
    return createPlant(url, token, plant, giveUpAfterMs);
  }

  /** A server with these responses in turn; undefined closes the connection. */
  async function responding(responses: ({ status: number; record: object; headers?: object } | undefined)[]) {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const next = responses[bodies.length];
      bodies.push(Buffer.concat(await request.toArray()).toString());
      if (!next) return void request.socket.destroy();
      const headers = { 'content-type': 'application/json', ...next.headers };
      response.writeHead(next.status, headers).end(JSON.stringify(next.record));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    stops.push(async () => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
  }
});

interface Client {
  createPlant(baseUrl: string, token: string, id: number | bigint, name: string, requestId?: string): Promise<string>;
}

/** The program of `clients`, which imports what was generated, and a service for it. */
async function start(): Promise<Client & { readonly url: string }> {
  const client: Client = await import(join(clients, 'openapi-fetch.ts'));
  return { createPlant: client.createPlant, url: await serve() };
}

/** The composed service on a store of its own. All are stopped together: each waits for kept connections. */
async function serve(): Promise<string> {
  const config = readConfig({ PORT: '0', ADMIN_PORT: 'off', DATABASE_URL: 'memory:', API_TOKENS: token });
  const { url, stop } = await compose(config, { logger: pino({ level: 'silent' }) });
  stops.push(stop);
  return url;
}

async function post(url: string, body: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(`${url}/plants`, { method: 'POST', headers, body })).text();
}
