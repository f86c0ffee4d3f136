import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { httpContract } from '@plant-store/adapters-http/contract';
import { freshDatabase } from '@plant-store/testing-postgres';
import { describe, expect, test } from 'vitest';
import { plantStore, scratchDirectory, startService, TOKEN } from './running-service.ts';

const OTHER_TOKEN = 'other-token-of-the-tests';

// Together: most of the time that a verification takes it waits for slow requests to time out.
describe.concurrent('plant-store verify', () => {
  test.for(['memory', 'sqlite', 'postgres'])(
    'finds every promise kept by a service on %s',
    { timeout: 120_000 },
    async (engine, { onTestFinished }) => {
      const DATABASE_URL = {
        memory: async () => 'memory:',
        sqlite: async () => `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`,
        postgres: () => freshDatabase(),
      }[engine];
      const service = await startService({
        DATABASE_URL: (await DATABASE_URL?.()) ?? '',
        API_TOKENS: `${TOKEN},${OTHER_TOKEN}`,
        LOG_LEVEL: 'info',
      });
      onTestFinished(() => void service.process.kill('SIGKILL'));

      const run = plantStore(['verify', '--url', service.url, '--other-token', OTHER_TOKEN], { API_TOKEN: TOKEN });
      const code = await run.ended;
      const lines = run.output().split('\n');
      const all = httpContract.clauses.map(({ id, title }) => `✓ ${id.padEnd(5)}  ${title}`);
      expect(lines.slice(0, -2)).toEqual(all);
      expect(lines.slice(-2)).toEqual([
        expect.stringMatching(
          new RegExp(`^${all.length} kept, 0 not promised, 0 not checked, 0 broken, in \\d+\\.\\d s$`),
        ),
        '',
      ]);
      expect(code).toBe(0);
    },
  );

  test('says of every broken promise what was sent, what came and what was promised, and ends with 1', async ({
    onTestFinished,
  }) => {
    const url = await wrongService(onTestFinished);
    const run = plantStore(['verify', '--url', url, '--only', 'HC-2,HC-1'], { API_TOKEN: TOKEN });
    expect(await run.ended).toBe(1);
    const [first, did, came, promised, second] = run.output().split('\n');
    expect(first).toMatch(/^✗ HC-1 {3}a NewPlant is answered 200/);
    expect(did).toMatch(/^ {4}did: {6}sent POST \/plants with the body \{"id":/);
    expect(came).toMatch(/^ {4}came: {5}418, .*"a wrong service"/);
    expect(promised).toMatch(/^ {4}promised: 200, application\/json, /);
    expect(second).toMatch(/^✗ HC-2 {3}/);
    expect(run.output()).toMatch(/^0 kept, 0 not promised, 0 not checked, 2 broken, in \d+\.\d s\n$/m);
  });

  test('shows neither a token nor a control character that a service sends back', async ({ onTestFinished }) => {
    const url = await wrongService(onTestFinished);
    const given = ['--token', TOKEN, '--other-token', OTHER_TOKEN];
    const run = plantStore(['verify', '--url', url, '--only', 'HC-1,HC-31,HC-38', ...given]);
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain('\\u{1b}[2J');
    expect(run.output()).not.toContain('\u001b');
    expect(run.output()).not.toMatch(/token-of-the-tests/);
  });

  test('prints with --json the report and nothing else', async ({ onTestFinished }) => {
    const run = plantStore(['verify', '--url', await wrongService(onTestFinished), '--only', 'HC-1', '--json'], {
      API_TOKEN: TOKEN,
    });
    expect(await run.ended).toBe(1);
    expect(JSON.parse(run.output())).toEqual({
      contract: 'HTTP',
      results: [
        {
          id: 'HC-1',
          title: expect.any(String),
          verdict: 'broken',
          message: expect.stringMatching(/^did: .*\ncame: .*\npromised: /),
        },
      ],
      kept: 0,
      notPromised: 0,
      notChecked: 0,
      broken: 1,
    });
  });

  test('counts a promise that it was not given the means to check', async ({ onTestFinished }) => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const ids = httpContract.clauses.filter(({ promisedBy }) => promisedBy).map(({ id }) => id);
    const run = plantStore(['verify', '--url', service.url, '--only', ids.join()], { API_TOKEN: TOKEN });
    expect(await run.ended).toBe(0);
    expect(run.output()).toMatch(/^– HC-\d+ .* \(not promised\)$/m);
    expect(run.output()).toContain(`0 kept, ${ids.length} not promised, 0 not checked, 0 broken`);
  });

  test.each<[string, string[], string]>([
    ['nobody answers', ['--url', 'http://127.0.0.1:9', '--token', TOKEN], 'nobody answers at http://127.0.0.1:9 ('],
    ['there is no such host', ['--url', 'http://nowhere.invalid', '--token', TOKEN], 'nobody answers at http://'],
    ['there is no URL', ['--token', TOKEN], '--url'],
    ['the URL is none', ['--url', 'garden', '--token', TOKEN], '--url: expected the base address'],
    ['the URL is not one of HTTP', ['--url', 'ftp://127.0.0.1', '--token', TOKEN], '--url: expected the base address'],
    ['the URL has a password', ['--url', 'http://a:sesame@127.0.0.1', '--token', TOKEN], '--url: expected the base'],
    ['there is no token', ['--url', 'http://127.0.0.1:9'], 'API_TOKEN'],
    ['a header cannot hold the token', ['--url', 'http://127.0.0.1:9', '--token', `${TOKEN}\n`], 'no header can hold'],
    ['there is no such clause', ['--url', 'http://127.0.0.1:9', '--token', TOKEN, '--only', 'HC-1,HC-0'], '"HC-0"'],
    ['there is no such option', ['--url', 'http://127.0.0.1:9', '--colour'], '--colour'],
  ])('ends with 2 and a single line when %s', async (_, args, says) => {
    const run = plantStore(['verify', ...args]);
    expect(await run.ended).toBe(2);
    expect(run.output()).toContain(says);
    expect(run.output()).toMatch(/^.+\n$/);
    expect(run.output()).not.toMatch(/token-of-the-tests|sesame/);
  });

  test('ends with 2 when the service does not accept the token', async ({ onTestFinished }) => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const run = plantStore(['verify', '--url', service.url, '--token', OTHER_TOKEN]);
    expect(await run.ended).toBe(2);
    expect(run.output()).toMatch(/^plant-store: .* does not accept the token: .*\n$/);
  });
});

/** A service that keeps no promise, and sends back what it was sent, with a sequence that clears a terminal. */
async function wrongService(onTestFinished: (stop: () => void) => void): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(418, { 'content-type': 'text/plain' });
    response.end(`"a wrong service" \u001b[2J ${request.headers.authorization}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
