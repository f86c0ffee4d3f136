import { createServer } from 'node:http';
import { runCommand } from '@plant-store/contracts-kit/cli';
import { expect, test } from 'vitest';
import { verify } from '../src/cli/verify.ts';
import { fixedIds } from '../src/index.ts';
import { listening } from './listening.ts';

const [token, otherToken] = ['token-of-the-tests', 'other-token-of-the-tests'];

async function run(args: readonly string[], environment: NodeJS.ProcessEnv = { API_TOKEN: token }) {
  let output = '';
  const stream = { write: (text: string) => (output += text) };
  return { code: await runCommand(verify, args, environment, { stdout: stream, stderr: stream }), output };
}

/**
 * A service that fails every clause, and returns the token with a control sequence that clears a terminal.
 * @param requests the number of requests after which it stops.
 */
function wrongService(status = 418, requests = Number.POSITIVE_INFINITY): Promise<string> {
  let served = 0;
  const server = createServer((request, response) => {
    response.statusCode = status;
    served += 1;
    response.end(`"a wrong service" \u001b[2J ${request.headers.authorization}`, () => {
      if (served === requests) server.close().closeAllConnections();
    });
  });
  return listening(server);
}

test('shows neither tokens nor control characters that a service returns', async () => {
  const given = ['--token', token, '--other-token', otherToken];
  const { code, output } = await run(['--url', await wrongService(), '--only', 'HC-1,HC-21,HC-25', ...given], {});
  expect(code).toBe(1);
  expect(output).toMatch(
    /^✗ HC-1 {3}.*\n {4}action: +sent a plant: POST \/plants .*\n {4}actual: +418, .*"a wrong service" \\u/,
  );
  expect(output).not.toContain('\u001b');
  expect(output).not.toContain('token-of-the-tests');
});

test('stops when the service becomes unreachable, and says where that was', async () => {
  const args = ['--only', 'HC-1,HC-2,HC-3'];
  // One request checks the access, and one follows each failure.
  const stopped = await run(['--url', await wrongService(418, 4), ...args]);
  expect(stopped).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^✗ HC-1 [^✗]*✗ HC-2 [^✗]*\nthe service became unreachable while HC-2 was being checked: no response from .*ECONN.* After HC-1 it still responded\..*\n0 passed, 0 not promised, 1 not checked, 2 failed, in .* s \(revision \d{4}-\d\d\)\n$/,
    ),
  });
  const { output } = await run(['--url', await wrongService(418, 2), '--json', ...args]);
  expect(JSON.parse(output)).toMatchObject({
    results: [
      { verdict: 'failed' },
      { verdict: 'not-checked', message: 'the service became unreachable during HC-1' },
      { verdict: 'not-checked' },
    ],
    stopped: { during: 'HC-1', message: expect.stringContaining('It was the first clause.') },
  });
});

test('counts a clause that it cannot check, and lists the ids that every run reuses', async () => {
  const { code, output } = await run(['--url', await wrongService(), '--only', 'HC-20']);
  expect(code).toBe(0);
  expect(output).toMatch(/^\? HC-20 .* \(not checked: .*--other-token\)\n0 passed, 0 not promised, 1 not checked/);
  expect((await run(['--help'])).output).toContain(fixedIds.join(', '));
});

const nowhere = ['--url', 'http://127.0.0.1:9', '--token', token];
test.each([
  ['there is no URL', ['--token', token], '--url: expected the base address'],
  ['the URL is invalid', ['--url', 'garden', '--token', token], '--url: expected the base address'],
  ['the URL is not one of HTTP', ['--url', 'ftp://127.0.0.1', '--token', token], '--url: expected the base address'],
  ['the URL has a password', ['--url', 'http://a:sesame@127.0.0.1', '--token', token], '--url: expected the base'],
  ['there is no token', ['--url', 'http://127.0.0.1:9'], 'API_TOKEN'],
  ['a header cannot hold the token', [...nowhere, '--other-token', `${token}\n`], 'that a header cannot have'],
  ['the body limit is not a number', [...nowhere, '--body-limit', '1 MiB'], '--body-limit: expected 4096 to 67108864'],
  ['the body limit is too small', [...nowhere, '--body-limit', '4095'], '--body-limit: expected 4096 to'],
  ['the known failures are not there', [...nowhere, '--known-failures', '/none'], '--known-failures: /none: ENOENT'],
  ['a report cannot be written', [...nowhere, '--report', '/none/report'], '--report: /none/report cannot be written'],
  ['the body limit is too large', [...nowhere, '--body-limit', '67108865'], 'pass --except HC-16,HC-36 instead'],
])('exits with 2 and a single line if %s', async (_, args, says) => {
  const { code, output } = await run(args, {});
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(says) });
  expect(output).toMatch(/^verify: .+\n$/);
  expect(output).not.toMatch(/token-of-the-tests|sesame/);
});

test.each([
  [301, '', /redirects POST \/plants: pass the address that it redirects to \(301\)\n$/],
  [401, '', /does not accept the token: pass one that it accepts \(401\)\n$/],
  [404, '/garden', /\/garden has no \/plants: check the path of --url \(404\)\n$/],
  [429, '', /limits the rate of requests: switch its limit off while verify runs \(429\)\n$/],
  [503, '', /cannot store plants: check its log and its store \(503\)\n$/],
])('exits with 3 and a single line if the service responds with %d', async (status, path, says) => {
  const url = await wrongService(status);
  const { code, output } = await run(['--url', `${url}${path}`]);
  expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(says) });
  expect(output).toMatch(/^verify: [^\n]+\n$/);
});

test.each([
  ['no service responds', 'http://127.0.0.1:9', 'no response from http://127.0.0.1:9 ('],
  ['there is no such host', 'http://nowhere.invalid', 'no response from http://nowhere.invalid ('],
])('exits with 3 and a single line if %s', async (_, url, says) => {
  const { code, output } = await run(['--url', url, '--token', token]);
  expect({ code, output }).toEqual({ code: 3, output: expect.stringContaining(says) });
  expect(output).toMatch(/^verify: [^\n]+\n$/);
});

test('waits for a service that begins to store plants', async () => {
  let requests = 0;
  const url = await listening(createServer((_, response) => response.writeHead(requests++ < 2 ? 503 : 200).end()));
  expect(await run(['--url', url, '--only', 'HC-1'])).toMatchObject({ code: 1 });
});

test('the command in a report repeats the run, without tokens', async () => {
  const url = await wrongService();
  const given = ['--token', token, '--other-token', otherToken, '--body-limit', '8192'];
  const { output } = await run(['--url', `${url}/`, '--json', '--only', 'HC-1', ...given], {});
  expect(JSON.parse(output)).toMatchObject({
    suite: { name: '@plant-store/contracts-http' },
    subject: url,
    command: `API_TOKEN=… npx @plant-store/contracts-http@${JSON.parse(output).suite.version} --url ${url} --other-token … --body-limit 8192 --only HC-1`,
  });
  expect(output).not.toContain('token-of-the-tests');
});
