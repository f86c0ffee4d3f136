import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { scratchDirectory } from '../src/index.ts';
import { runSql, startDedicatedServer } from '../src/postgres/index.ts';

/** The directory of an embedded server, which is the host of its URL, because its socket is there. */
const findDirectory = (url: string) => decodeURIComponent(new URL(url).hostname);

// A server that runs is stopped in the same way after each run.
test('a server that is paused does not outlive a process that is killed', async () => {
  const script = fileURLToPath(new URL('processes/start-paused-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=development', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  expect(existsSync(findDirectory(url))).toBe(true);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(existsSync(findDirectory(url))).toBe(false), { timeout: 20_000, interval: 50 });
  await expect(runSql(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a server starts even if the path of the temporary directory is private and too long for a socket, and syncs commits; stopping it after a kill frees its memory', async () => {
  const long = join(await scratchDirectory(onTestFinished), 'x'.repeat(100));
  await mkdir(long);
  vi.stubEnv('TMPDIR', long);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url, kill, stop } = await startDedicatedServer();
  expect(await runSql(url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  const lockFile = await readFile(join(findDirectory(url), 'data', 'postmaster.pid'), 'utf8');
  const memory = lockFile.split('\n')[6]?.trim().split(/\s+/).at(-1);
  const segments = () => execFileSync('ipcs', ['-m'], { encoding: 'utf8' }).match(/(?<=^\S+\s+)\d+(?=\s)/gm) ?? [];
  await kill();
  expect(segments()).toContain(memory);
  await stop();
  expect(segments()).not.toContain(memory);
  expect(existsSync(findDirectory(url))).toBe(false);
});
