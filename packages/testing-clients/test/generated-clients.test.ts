import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compose, readConfig } from '@plant-store/api';
import { pino } from 'pino';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentedCommands, documentedConfig, documentedSerializer } from '../src/documented-commands.ts';

const run = promisify(execFile);
const here = join(import.meta.dirname, '..');
const callers = join(here, 'callers');
const generated = join(callers, 'generated');
const compiled = join(generated, 'compiled');
const names = ['openapi-fetch', 'hey-api'];
const token = 'token-of-the-tests';

/** Runs the commands of docs/clients.md on the description of a running service. */
beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  const description = `${await serve((stop) => void stops.push(stop))}/openapi.json`;
  await mkdir(generated);
  await writeFile(join(generated, 'documented.mjs'), documentedConfig);
  await writeFile(join(generated, 'openapi-ts.config.mjs'), farFromAnyTsconfig);
  const commands = documentedCommands(description);
  expect(commands.map(([tool]) => tool)).toEqual(['openapi-typescript', 'openapi-ts']);
  await Promise.all(
    commands.map(([tool = '', ...args]) => run(join(here, 'node_modules/.bin', tool), args, { cwd: generated })),
  );
  await writeFile(join(generated, 'exact-integers.ts'), documentedSerializer);
  return () => Promise.all(stops.map((stop) => stop()));
});

/** The generator looks for a tsconfig.json above itself. Here it would find nodenext, and where npx puts it, nothing. */
const farFromAnyTsconfig = `import config from './documented.mjs';
export default { ...config, output: { ...config.output, tsConfigPath: null } };
`;

const stops: (() => Promise<void>)[] = [];

const compilers = [
  ['5.9', join(here, 'node_modules/.bin/tsc')],
  ['7.0', join(here, '../../node_modules/.bin/tsc')],
] as const;

test.each(compilers)('both clients and their callers compile in strict TypeScript %s', async (version, tsc) => {
  expect((await run(tsc, ['--version'])).stdout).toContain(`Version ${version}`);
  expect(await run(tsc, ['-p', callers]).catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
});

describe.each(compilers)('what TypeScript %s makes of both under nodenext', (_version, tsc) => {
  beforeAll(async () => {
    await rm(compiled, { recursive: true, force: true });
    await run(tsc, ['-p', join(callers, 'tsconfig.nodenext.json')]);
  });

  test.each(names)('plain Node runs, with %s', async (name) => {
    const url = await serve(onTestFinished);
    const program = `import { createPlant } from ${JSON.stringify(join(compiled, `${name}.js`))};
      console.log(await createPlant(${JSON.stringify(url)}, '${token}', 9007199254740993n, 'Fern'));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('200 Fern\n');
  });
});

describe.each(names)('a client with %s', (name) => {
  test('creates a plant', async () => {
    const { createPlant, url } = await start(name);
    expect(await createPlant(url, token, 7, 'Fern')).toBe('200 Fern');
  });

  test('reads what is wrong with a request by its types', async () => {
    const { createPlant, url } = await start(name);
    await createPlant(url, token, 7, 'Fern');
    expect(await createPlant(url, token, 7, 'Moss')).toMatch(/^400 40005 id: another plant has the id 7/);
    expect(await createPlant(url, 'no-such-token-at-all', 7, 'Fern')).toMatch(/^401 40102 /);
    expect(await createPlant(`${url}/elsewhere`, token, 7, 'Fern')).toMatch(/^404 40401 /);
  });

  test('names the request, and reads the name in the answer', async () => {
    const { createPlant, url } = await start(name);
    expect(await createPlant(url, 'no-such-token-at-all', 7, 'Fern', 'order-7')).toMatch(/^401 .* \(order-7\)$/);
  });

  test.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n])('sends the id %s exactly', async (id) => {
    const { createPlant, url } = await start(name);
    expect(await createPlant(url, token, id, 'Fern')).toBe('200 Fern');
    expect(await post(url, `{"id":${id},"name":"Moss"}`)).toContain(`another plant has the id ${id};`);
    expect(await post(url, `{"id":${id > 0 ? id - 1n : id + 1n},"name":"Moss"}`)).toBe('{"name":"Moss"}');
  });

  test('cannot know of the digits that a number has lost', async () => {
    const { createPlant, url } = await start(name);
    expect(await createPlant(url, token, Number('9007199254740993'), 'Fern')).toBe('200 Fern');
    expect(await post(url, '{"id":9007199254740992,"name":"Moss"}')).toContain('another plant has the id');
    expect(await post(url, '{"id":9007199254740993,"name":"Moss"}')).toBe('{"name":"Moss"}');
  });
});

interface Caller {
  createPlant(baseUrl: string, token: string, id: number | bigint, name: string, requestId?: string): Promise<string>;
}

/** A caller that imports a generated client, and a service for it. */
async function start(name: string): Promise<Caller & { readonly url: string }> {
  const caller: Caller = await import(join(callers, `${name}.ts`));
  return { createPlant: caller.createPlant, url: await serve(onTestFinished) };
}

/** The composed service on a store of its own. */
async function serve(onEnd: (stop: () => Promise<void>) => void): Promise<string> {
  const config = readConfig({ PORT: '0', ADMIN_PORT: 'off', DATABASE_URL: 'memory:', API_TOKENS: token });
  const { url, stop } = await compose(config, pino({ level: 'silent' }));
  onEnd(stop);
  return url;
}

async function post(url: string, body: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(`${url}/plants`, { method: 'POST', headers, body })).text();
}
