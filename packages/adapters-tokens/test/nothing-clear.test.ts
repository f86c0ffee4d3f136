import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { newToken } from '@plant-store/adapters-tokens';
import { scratchDirectory } from '@plant-store/testing-servers';
import { expect, onTestFinished, test } from 'vitest';
import { issue } from './jwt/fixed-verifier.ts';
import { keySetOf, newKey } from './jwt/signing-key.ts';

test('no token stays in memory in the clear, and following a file keeps no process alive', {
  timeout: 15_000,
}, async () => {
  const [listed, filed] = [newToken().token, newToken().token];
  const key = newKey('ES256');
  const [jwt, expired] = [issue(key), issue(key, { exp: 1 })];
  const directory = await scratchDirectory(onTestFinished);
  const names = ['tokens', 'jwks.json', 'heap.heapsnapshot'];
  const [file = '', jwksFile = '', snapshot = ''] = names.map((name) => join(directory, name));
  await writeFile(file, `# comment\n${filed}\n`);
  await writeFile(jwksFile, keySetOf(key));

  const script = fileURLToPath(new URL('processes/hold-tokens.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=development', '--expose-gc', script, file, jwksFile, snapshot], {
    env: { ...process.env, API_TOKENS: `${listed},` },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 10_000,
  });
  child.stdin.end([listed, filed, jwt, jwt, 'stranger', expired].join('\n'));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect({ output, code }).toEqual({ output: 'true\ntrue\ntrue\ntrue\nfalse\nfalse\n', code: 0 });

  const heap = await readFile(snapshot, 'utf8');
  expect(heap.includes(`canary-${child.pid}`)).toBe(true);
  // Parts as well: a token may have been cut.
  for (const token of [listed, filed]) expect(heap.includes(token.slice(10, 30))).toBe(false);
  // The signature is what makes a JWT a secret: the rest of it is no better than its claims.
  for (const token of [jwt, expired]) expect(heap.includes(token.slice(-60, -40))).toBe(false);
});
