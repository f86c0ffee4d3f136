import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runSql } from '@plant-store/testing-postgres';
import { expect, test, vi } from 'vitest';
import { directoryOf } from './server-directory.ts';

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
