import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { create, type RunningService, scratchDirectory, startService } from '../running-service.ts';

async function startTwoWorkers(environment: Record<string, string> = {}): Promise<RunningService> {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const service = await startService({ WORKERS: '2', DATABASE_URL, ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await vi.waitFor(() => expect(service.output()).toContain('Press Ctrl-C to stop'), 5_000);
  return service;
}

/** The processes that have answered, by their lines in the log. */
function answeredBy(service: RunningService): Set<string> {
  return new Set([...service.output().matchAll(/"pid":(\d+),.*"request completed"/g)].map(([, pid = '']) => pid));
}

/** Creates plants, each over a connection of its own, so that the primary hands them out in turn. */
async function createSome(service: RunningService, from: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let id = from; id < from + 6; id += 1) {
    const answer = await fetch(`${service.url}/plants`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-the-tests', 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ id, name: 'Fern' }),
    });
    statuses.push(answer.status);
  }
  return statuses;
}

/** Sends a request over a connection of its own, and says what has become of it so far. */
function endOfRequest({ url }: RunningService): { how: 'waiting' | 'answered' | 'hung up on' } {
  const end: ReturnType<typeof endOfRequest> = { how: 'waiting' };
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n');
  socket.once('data', () => {
    end.how = 'answered';
  });
  // A close follows.
  socket.on('error', () => {});
  socket.once('close', () => {
    if (end.how === 'waiting') end.how = 'hung up on';
  });
  return end;
}

test('two workers share one port and one store, and print one greeting', async () => {
  const service = await startTwoWorkers();
  expect(new Set(await createSome(service, 0))).toEqual(new Set([200]));
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2), 5_000);
  const racers = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, racer) => (await create(service.url, { id: 99, name: `racer ${racer}` })).status,
    ),
  );
  expect(racers.filter((status) => status === 200)).toHaveLength(1);
  expect(service.output().match(/Press Ctrl-C to stop/g)).toHaveLength(1);
});

test('a killed worker is restarted', async () => {
  const service = await startTwoWorkers();
  await createSome(service, 0);
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2), 5_000);
  const [victim] = answeredBy(service);
  process.kill(Number(victim), 'SIGKILL');
  await service.printed(/exited .*; restarting/);
  await vi.waitFor(async () => {
    await createSome(service, 0);
    expect(answeredBy(service).size).toBe(3);
  }, 10_000);
});

test('if a worker is killed before it accepts a connection, the connection is closed', async () => {
  const service = await startTwoWorkers();
  await createSome(service, 0);
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2), 5_000);
  const [victim] = answeredBy(service);
  // Frozen, it is handed a connection, and will never say that it took it.
  process.kill(Number(victim), 'SIGSTOP');
  const ends = Array.from({ length: 8 }, () => endOfRequest(service));
  await vi.waitFor(() => expect(ends.filter(({ how }) => how === 'answered')).toHaveLength(7), 5_000);
  process.kill(Number(victim), 'SIGKILL');
  await service.printed(/exited .*; restarting/);
  ends.push(...Array.from({ length: 8 }, () => endOfRequest(service)));
  await vi.waitFor(() => expect(ends.filter(({ how }) => how === 'waiting')).toEqual([]), 5_000);
  expect(ends.filter(({ how }) => how === 'hung up on')).toHaveLength(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s to the primary stops all of them, with exit code 0', async (signal) => {
  const service = await startTwoWorkers();
  await createSome(service, 0);
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2), 5_000);
  const workers = [...answeredBy(service)].map(Number);
  service.process.kill(signal);
  expect(await service.ended).toBe(0);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('all of them keep serving for SHUTDOWN_DELAY_MS', async () => {
  const service = await startTwoWorkers({ SHUTDOWN_DELAY_MS: '2000' });
  service.process.kill('SIGTERM');
  await service.printed(/draining; exits in 2000 ms/);
  await vi.waitFor(async () => expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503));
  expect(new Set(await createSome(service, 0))).toEqual(new Set([200]));
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2));
  expect(await service.ended).toBe(0);
});

test('workers exit when the primary is killed', async () => {
  const service = await startTwoWorkers();
  await createSome(service, 0);
  await vi.waitFor(() => expect(answeredBy(service).size).toBe(2), 5_000);
  const workers = [...answeredBy(service)].map(Number);
  service.process.kill('SIGKILL');
  await vi.waitFor(() => {
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, 10_000);
});
