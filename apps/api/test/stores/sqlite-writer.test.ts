import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { patiently } from '../patiently.ts';
import { create, type RunningService, scratchDirectory, startService } from '../running-service.ts';

// A writer that is stopped is to the service what one is that waits for a file system that hangs: `test:faults` has a real
// one, which needs root.

const TIMEOUT_MS = 300;

test('a SQLite file that hangs: 503 in time, live but not ready, as before once it goes on, and SIGTERM ends it', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const service = await startService({
    DATABASE_URL: `sqlite:${join(directory, 'plants.db')}`,
    DATABASE_TIMEOUT_MS: String(TIMEOUT_MS),
    SHUTDOWN_DELAY_MS: '0',
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const writer = await writerOf(service);
  expect(await statuses(service, 1)).toEqual({ create: 200, livez: 200, readyz: 200 });

  process.kill(writer, 'SIGSTOP');
  const began = performance.now();
  expect(await statuses(service, 2)).toEqual({ create: 503, livez: 200, readyz: 503 });
  expect(performance.now() - began).toBeLessThan(TIMEOUT_MS + 2_000);

  process.kill(writer, 'SIGCONT');
  await vi.waitFor(async () => expect(await statuses(service, 3)).toEqual({ create: 200, livez: 200, readyz: 200 }), {
    timeout: 10_000,
  });

  process.kill(writer, 'SIGSTOP');
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});

async function statuses({ url, adminUrl }: RunningService, id: number) {
  const [created, livez, readyz] = await Promise.all([
    create(url, { id, name: 'Fern' }),
    fetch(`${adminUrl}/livez`),
    fetch(`${adminUrl}/readyz`),
  ]);
  return { create: created.status, livez: livez.status, readyz: readyz.status };
}

/** The one that is left: what migrated the file may still be exiting. */
function writerOf(service: RunningService): Promise<number> {
  return vi.waitFor(() => {
    const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const pids = processes.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const [writer = 0, ...others] = pids.flatMap(([pid, parent]) => (parent === service.process.pid ? pid : []));
    expect([writer > 0, others]).toEqual([true, []]);
    return writer;
  }, patiently);
}
