import { createServer } from 'node:http';
import { fixedIds, httpContract } from '@plant-store/contracts-http';
import { listening } from '@plant-store/testing-servers';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Application } from '../../src/index.ts';
import { composedService } from '../composed-service.ts';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { create, type OnTestFinished, startService, TOKEN } from '../running-service.ts';
import { patiently } from '../started-outage.ts';

const OTHER_TOKEN = 'other-token-of-the-tests';
const verification = { timeout: 120_000 };
const nowhere = ['--url', 'http://127.0.0.1:9', '--token', TOKEN];

/** For the tests that leave it as it is. */
let service: Application;
beforeAll(async () => {
  service = await composedService();
  return () => service.stop();
});

// Together: most of the time that a verification takes it waits for slow requests to time out.
describe.concurrent('plant-store verify, completed or cut short,', () => {
  test('finds every clause passed by a service on memory', verification, async ({ onTestFinished }) => {
    const service = await composedService({ API_TOKENS: `${TOKEN},${OTHER_TOKEN}` });
    onTestFinished(() => service.stop());

    const args = ['verify', '--url', service.url, '--other-token', OTHER_TOKEN];
    const { code, output } = await runToEnd(args, { API_TOKEN: TOKEN });
    const lines = output.split('\n');
    const all = httpContract.clauses.map(({ id, title }) => `✓ ${id.padEnd(5)}  ${title}`);
    expect(lines.slice(0, -2)).toEqual(all);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(
        new RegExp(`^${all.length} passed, 0 not promised, 0 not checked, 0 failed, in \\d+\\.\\d s$`),
      ),
      '',
    ]);
    expect(code).toBe(0);
  });

  test('stops when the service becomes unreachable, and says where that was', async ({ onTestFinished }) => {
    // It ends at once: a shutdown would still respond to the clause that is being checked.
    const service = await startService({ DATABASE_URL: 'memory:' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const run = startInProcess(['verify', '--url', service.url], { API_TOKEN: TOKEN });
    await vi.waitFor(() => expect(run.output()).toMatch(/✓ HC-7 .*\n/), patiently);
    service.process.kill('SIGKILL');
    expect(await run.ended).toBe(1);
    const [, failed] = /^✗ (HC-\d+) /m.exec(run.output()) ?? [];
    const passed = run.output().match(/(?<=^✓ )HC-\d+/gm) ?? [];
    const all = httpContract.clauses.map(({ id }) => id);
    expect([...passed, failed]).toEqual(all.slice(0, passed.length + 1));
    const [reason, summary] = run.output().split('\n').slice(-3);
    expect(reason).toMatch(
      new RegExp(
        `^the service became unreachable while ${failed} was being checked: no response from ${service.url} .*ECONNREFUSED.* After ${passed.at(-1)} it still responded\\.`,
      ),
    );
    const left = all.length - passed.length - 1;
    expect(summary).toContain(`${passed.length} passed, 0 not promised, ${left} not checked, 1 failed`);
  });
});

describe('plant-store verify', () => {
  test('reports action, actual and expected result of every failed clause, and exits with 1', async ({
    onTestFinished,
  }) => {
    const url = await wrongService(onTestFinished);
    const { code, output } = await runToEnd(['verify', '--url', url, '--only', 'HC-2,HC-1'], { API_TOKEN: TOKEN });
    expect(code).toBe(1);
    const [first, action, actual, expected, second] = output.split('\n');
    expect(first).toMatch(/^✗ HC-1 {3}a NewPlant gets 200/);
    expect(action).toMatch(/^ {4}action: {3}sent POST \/plants with the body \{"id":/);
    expect(actual).toMatch(/^ {4}actual: {3}418, .*"a wrong service"/);
    expect(expected).toMatch(/^ {4}expected: 200, application\/json, /);
    expect(second).toMatch(/^✗ HC-2 {3}/);
    expect(output).toMatch(/^0 passed, 0 not promised, 0 not checked, 2 failed, in \d+\.\d s\n$/m);
  });

  test('shows neither tokens nor control characters that a service returns', async ({ onTestFinished }) => {
    const url = await wrongService(onTestFinished);
    const given = ['--token', TOKEN, '--other-token', OTHER_TOKEN];
    const { code, output } = await runToEnd(['verify', '--url', url, '--only', 'HC-1,HC-31,HC-38', ...given]);
    expect(code).toBe(1);
    expect(output).toContain('\\u{1b}[2J');
    expect(output).not.toContain('\u001b');
    expect(output).not.toMatch(/token-of-the-tests/);
  });

  test('prints only the report with --json', async ({ onTestFinished }) => {
    const { code, output } = await runToEnd(
      ['verify', '--url', await wrongService(onTestFinished), '--only', 'HC-1', '--json'],
      {
        API_TOKEN: TOKEN,
      },
    );
    expect(code).toBe(1);
    expect(JSON.parse(output)).toEqual({
      contract: 'HTTP',
      results: [
        {
          id: 'HC-1',
          title: expect.any(String),
          verdict: 'failed',
          message: expect.stringMatching(/^action: .*\nactual: .*\nexpected: /),
        },
      ],
      passed: 0,
      notPromised: 0,
      notChecked: 0,
      failed: 1,
    });
  });

  test('counts a clause that it cannot check', async () => {
    const { code, output } = await runToEnd(['verify', '--url', service.url, '--only', 'HC-32'], { API_TOKEN: TOKEN });
    expect(code).toBe(0);
    expect(output).toMatch(/^\? HC-32 .* \(not checked: .*--other-token\)$/m);
    expect(output).toContain('0 passed, 0 not promised, 1 not checked, 0 failed');
  });

  test('skips the clauses of --except, and says so', async ({ onTestFinished }) => {
    const url = await wrongService(onTestFinished);
    const args = ['verify', '--url', url, '--only', 'HC-1,HC-2,HC-60', '--except', 'HC-60, HC-1,HC-3'];
    const { code, output } = await runToEnd(args, { API_TOKEN: TOKEN });
    expect(code).toBe(1);
    expect(output).toMatch(/^\? HC-1 .* \(not checked: skipped by --except\)$/m);
    expect(output).toMatch(/^✗ HC-2 /m);
    expect(output).toMatch(/^\? HC-60 .* \(not checked: skipped by --except\)$/m);
    expect(output).toContain('0 passed, 0 not promised, 2 not checked, 1 failed');
  });

  test('works if other plants have the ids that it uses in every run', async ({ onTestFinished }) => {
    const service = await composedService();
    onTestFinished(() => service.stop());
    for (const id of fixedIds) expect((await create(service.url, `{"id":${id},"name":"Fern"}`)).status).toBe(200);
    for (let time = 1; time <= 2; time += 1) {
      const { code, output } = await runToEnd(['verify', '--url', service.url, '--only', 'HC-8,HC-9'], {
        API_TOKEN: TOKEN,
      });
      expect(code).toBe(0);
      expect(output).toContain('2 passed, 0 not promised, 0 not checked, 0 failed');
    }
    for (const id of fixedIds) expect((await create(service.url, `{"id":${id},"name":"Fern"}`)).status).toBe(200);
  });

  test('uses another body limit', async ({ onTestFinished }) => {
    const service = await composedService({ BODY_LIMIT: '8192' });
    onTestFinished(() => service.stop());
    const args = ['verify', '--url', service.url, '--only', 'HC-12,HC-13,HC-25,HC-26,HC-27'];
    const smaller = await runToEnd([...args, '--body-limit', '8192'], { API_TOKEN: TOKEN });
    expect(smaller.code).toBe(0);
    expect(smaller.output).toContain('5 passed, 0 not promised, 0 not checked, 0 failed');
    const usual = await runToEnd(args, { API_TOKEN: TOKEN });
    expect(usual.code).toBe(1);
    expect(usual.output).toMatch(/^✗ HC-26 [^✗]*a body of 65536 bytes, the limit/m);
    for (const id of ['HC-12', 'HC-13', 'HC-25', 'HC-26'])
      expect(usual.output).toMatch(
        new RegExp(`^✗ ${id} [^✗]*tell verify about a smaller limit with --body-limit$`, 'm'),
      );
    expect(usual.output).toContain('1 passed, 0 not promised, 0 not checked, 4 failed');
  });

  test('reports with --json where the service became unreachable', async ({ onTestFinished }) => {
    const url = await wrongService(onTestFinished, { requests: 2 });
    const { code, output } = await runToEnd(['verify', '--url', url, '--only', 'HC-1,HC-2', '--json'], {
      API_TOKEN: TOKEN,
    });
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      results: [
        { id: 'HC-1', verdict: 'failed' },
        { id: 'HC-2', verdict: 'not-checked', message: 'the service became unreachable during HC-1' },
      ],
      notChecked: 1,
      failed: 1,
      stopped: {
        during: 'HC-1',
        message: expect.stringMatching(/^the service became unreachable .*It was the first clause\./),
      },
    });
  });

  test.each<[string, string[], string]>([
    ['no service responds', ['--url', 'http://127.0.0.1:9', '--token', TOKEN], 'no response from http://127.0.0.1:9 ('],
    ['there is no such host', ['--url', 'http://nowhere.invalid', '--token', TOKEN], 'no response from http://'],
    ['the URL is none', ['--url', 'garden', '--token', TOKEN], '--url: expected the base address'],
    ['the URL is not one of HTTP', ['--url', 'ftp://127.0.0.1', '--token', TOKEN], '--url: expected the base address'],
    ['the URL has a password', ['--url', 'http://a:sesame@127.0.0.1', '--token', TOKEN], '--url: expected the base'],
    ['there is no token', ['--url', 'http://127.0.0.1:9'], 'API_TOKEN'],
    [
      'a header cannot hold the token',
      ['--url', 'http://127.0.0.1:9', '--token', `${TOKEN}\n`],
      'not allowed in a header',
    ],
    ['the body limit is none', [...nowhere, '--body-limit', '1 MiB'], '--body-limit: expected a number of bytes'],
    ['the body limit is too small', [...nowhere, '--body-limit', '4095'], '--body-limit: expected a number of bytes'],
    ['there is no such clause', ['--url', 'http://127.0.0.1:9', '--token', TOKEN, '--only', 'HC-1,HC-0'], '"HC-0"'],
    ['there is no such clause to leave out', [...nowhere, '--except', 'HC-1,HC-0'], '--except: the HTTP contract has'],
  ])('exits with 2 and a single line if %s', async (_, args, says) => {
    const { code, output } = await runToEnd(['verify', ...args]);
    expect(code).toBe(2);
    expect(output).toContain(says);
    expect(output).toMatch(/^.+\n$/);
    expect(output).not.toMatch(/token-of-the-tests|sesame/);
  });

  test('exits with 2 if the path of the URL does not exist', async () => {
    const { code, output } = await runToEnd(['verify', '--url', `${service.url}/garden`, '--token', TOKEN]);
    expect(code).toBe(2);
    expect(output).toMatch(/^plant-store: .*\/garden\/plants not found \(404\): .*--url.*\n$/);
  });

  test('exits with 2 if the service does not accept the token', async () => {
    const { code, output } = await runToEnd(['verify', '--url', service.url, '--token', OTHER_TOKEN]);
    expect(code).toBe(2);
    expect(output).toMatch(/^plant-store: .* does not accept the token: .*\n$/);
  });
});

/**
 * A service that fails every clause, and sends the token back with a control sequence that clears a terminal.
 * @param requests how many it serves before it stops.
 */
async function wrongService(
  onTestFinished: OnTestFinished,
  { requests = Number.POSITIVE_INFINITY } = {},
): Promise<string> {
  let served = 0;
  const server = createServer((request, response) => {
    response.writeHead(418, { 'content-type': 'text/plain' });
    served += 1;
    response.end(`"a wrong service" \u001b[2J ${request.headers.authorization}`, () => {
      if (served === requests) server.close().closeAllConnections();
    });
  });
  return `http://127.0.0.1:${await listening(server, onTestFinished)}`;
}
