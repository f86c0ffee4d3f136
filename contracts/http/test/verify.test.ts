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
  ['no service responds', nowhere, 'no response from http://127.0.0.1:9 ('],
  ['there is no such host', ['--url', 'http://nowhere.invalid', '--token', token], 'no response from http://'],
  ['the URL is invalid', ['--url', 'garden', '--token', token], '--url: expected the base address'],
  ['the URL is not one of HTTP', ['--url', 'ftp://127.0.0.1', '--token', token], '--url: expected the base address'],
  ['the URL has a password', ['--url', 'http://a:sesame@127.0.0.1', '--token', token], '--url: expected the base'],
  ['there is no token', ['--url', 'http://127.0.0.1:9'], 'API_TOKEN'],
  ['a header cannot hold the token', [...nowhere, '--other-token', `${token}\n`], 'that a header cannot have'],
  ['the body limit is not a number', [...nowhere, '--body-limit', '1 MiB'], '--body-limit: expected 4096 to 67108864'],
  ['the body limit is too small', [...nowhere, '--body-limit', '4095'], '--body-limit: expected 4096 to'],
  ['the body limit is too large', [...nowhere, '--body-limit', '67108865'], 'pass --except HC-16,HC-36 instead'],
])('exits with 2 and a single line if %s', async (_, args, says) => {
  const { code, output } = await run(args, {});
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(says) });
  expect(output).toMatch(/^verify: .+\n$/);
  expect(output).not.toMatch(/token-of-the-tests|sesame/);
});

test.each([
  [404, '/garden', /\/garden\/plants not found \(404\): check the path of --url\n$/],
  [401, '', /does not accept the token: pass one that it accepts\n$/],
])('exits with 2 if the service responds with %d', async (status, path, says) => {
  const url = await wrongService(status);
  expect(await run(['--url', `${url}${path}`])).toEqual({ code: 2, output: expect.stringMatching(says) });
});
