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
const directoryOf = (url: string) => decodeURIComponent(new URL(url).hostname);

test.concurrent.each(['running', 'paused'])(
  'a server that is %s does not outlive a process that is killed',
  async (state) => {
    const script = fileURLToPath(new URL('processes/start-server.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=development', script, state], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(createInterface({ input: child.stdout }), 'line');
    expect(existsSync(directoryOf(url))).toBe(true);
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(existsSync(directoryOf(url))).toBe(false), { timeout: 20_000, interval: 50 });
    await expect(runSql(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

test('stopping a killed server frees its shared memory and removes its directory', async () => {
  const { url, kill, stop } = await startDedicatedServer();
  const lockFile = await readFile(join(directoryOf(url), 'data', 'postmaster.pid'), 'utf8');
  const memory = lockFile.split('\n')[6]?.trim().split(/\s+/).at(-1);
  const segments = () => execFileSync('ipcs', ['-m'], { encoding: 'utf8' }).match(/(?<=^\S+\s+)\d+(?=\s)/gm) ?? [];
  await kill();
  expect(segments()).toContain(memory);
  await stop();
  expect(segments()).not.toContain(memory);
  expect(existsSync(directoryOf(url))).toBe(false);
});

test('a server syncs commits, and starts if the temporary directory is private or its path is too long for a socket', async () => {
  const long = join(await scratchDirectory(onTestFinished), 'x'.repeat(100));
  await mkdir(long);
  vi.stubEnv('TMPDIR', long);
  onTestFinished(() => void vi.unstubAllEnvs());
  const other = await startDedicatedServer();
  onTestFinished(() => other.stop());
  expect(await runSql(other.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
});
