import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { newToken } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './temporary-directory.ts';

test('no token stays in memory in the clear, and following a file keeps no process alive', {
  timeout: 15_000,
}, async () => {
  const [listed, filed] = [newToken().token, newToken().token];
  const directory = await temporaryDirectory();
  const [file, snapshot] = [join(directory, 'tokens'), join(directory, 'heap.heapsnapshot')];
  await writeFile(file, `# comment\n${filed}\n`);

  const script = fileURLToPath(new URL('processes/hold-tokens.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=development', '--expose-gc', script, file, snapshot], {
    env: { ...process.env, API_TOKENS: `${listed},` },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 10_000,
  });
  child.stdin.end(`${listed}\n${filed}\nstranger`);
  const [answers, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect({ answers, code }).toEqual({ answers: 'true\ntrue\nfalse\n', code: 0 });

  const heap = await readFile(snapshot, 'utf8');
  expect(heap.includes(`canary-${child.pid}`)).toBe(true);
  // Parts as well: a token may have been cut.
  for (const token of [listed, filed]) expect(heap.includes(token.slice(10, 30))).toBe(false);
});
