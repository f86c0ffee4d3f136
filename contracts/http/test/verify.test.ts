import { createServer } from 'node:http';
import { runCommand } from '@plant-store/contracts-kit/cli';
import { expect, test } from 'vitest';
import { verify } from '../src/cli/verify.ts';
import { fixedIds } from '../src/index.ts';
import { listening } from './listening.ts';

const token = 'token-of-the-tests';
const otherToken = 'other-token-of-the-tests';

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

test('shows neither tokens nor control characters that a service returns, and where to read on', async () => {
  const given = ['--token', token, '--other-token', otherToken];
  const { code, output } = await run(['--url', await wrongService(), '--only', 'HC-1,HC-21,HC-25', ...given], {});
  expect(code).toBe(1);
  expect(output).toMatch(
    /^✗ HC-1 {3}.*\n {4}action: +sent a plant: POST \/plants .*\n {4}actual: +418, .*"a wrong service" \\u.*\n.*\n {4}read on: {2}HC-1 in/,
  );
  expect(output).not.toContain('\u001b');
  expect(output).not.toContain('token-of-the-tests');
});

test('checks no further clause once the service is unreachable, and says since when', async () => {
  // One request checks the access, and one follows each failure.
  const { code, output } = await run(['--url', await wrongService(418, 4), '--only', 'HC-1,HC-2,HC-3']);
  expect(code).toBe(1);
  expect(output).toMatch(/^✗ HC-1 [^✗]*✗ HC-2 [^✗]*\n\? HC-3 .*\(not checked: no response from .* since HC-2 was/);
});

test('counts a clause that it cannot check, and lists the ids that every run reuses', async () => {
  const { code, output } = await run(['--url', await wrongService(), '--only', 'HC-20']);
  expect(code).toBe(0);
  expect(output).toMatch(/^\? HC-20 .* \(not checked: .*--other-token\)\n0 passed, 0 not promised, 1 not checked/);
  expect((await run(['--help'])).output).toContain(fixedIds.join(', '));
});

const nowhere = ['--url', 'http://127.0.0.1:9', '--token', token];
test.each([
  ['the URL is invalid', ['--url', 'garden', '--token', token], '--url: expected the base address'],
  ['the URL has a password', ['--url', 'http://a:sesame@127.0.0.1', '--token', token], '--url: expected the base'],
  ['there is no token', ['--url', 'http://127.0.0.1:9'], 'API_TOKEN'],
  ['a header cannot hold the token', [...nowhere, '--other-token', `${token}\n`], 'that a header cannot have'],
  ['the body limit is too small', [...nowhere, '--body-limit', '4095'], '--body-limit: expected 4096 to'],
])('exits with 2 and a single line if %s', async (_, args, says) => {
  const { code, output } = await run(args, {});
  expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(says) });
  expect(output).toMatch(/^verify: .+\n$/);
  expect(output).not.toMatch(/token-of-the-tests|sesame/);
});

test.each([
  [401, 'does not accept a token: pass one that it accepts (401)'],
  [404, 'has no /plants: check the path of --url (404)'],
  [503, 'cannot store plants: check its log and its store (503)'],
  [0, 'no response from http://127.0.0.1:9 ('],
])('exits with 3 and a single line if the service responds with %d', async (status, says) => {
  const { code, output } = await run(['--url', status === 0 ? 'http://127.0.0.1:9' : await wrongService(status)]);
  expect({ code, output }).toEqual({ code: 3, output: expect.stringContaining(says) });
  expect(output).toMatch(/^verify: [^\n]+\n$/);
});
