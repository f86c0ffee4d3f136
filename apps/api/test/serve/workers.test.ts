import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  connectTo,
  create,
  type OnTestFinished,
  plantStore,
  type RunningService,
  scratchDirectory,
  startService,
} from '../running-service.ts';
import { patiently } from '../started-outage.ts';
import { scrape, sumOf } from '../telemetry/exposition.ts';
import { blockingFile } from './blocking-file.ts';

async function startTwoWorkers(
  onTestFinished: OnTestFinished,
  environment: Record<string, string> = {},
): Promise<RunningService> {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const service = await startService({ WORKERS: '2', DATABASE_URL, ...environment });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await service.printed(/Press Ctrl-C to stop/);
  return service;
}

/** The worker processes that have completed requests, according to the log, or to what it got after so many characters. */
function activeWorkers(service: RunningService, after = 0): Set<string> {
  const log = service.output().slice(after);
  return new Set([...log.matchAll(/"pid":(\d+),.*"request completed"/g)].map(([, pid = '']) => pid));
}

/** The processes of two workers, once both have created plants. */
async function bothActive(service: RunningService): Promise<[number, number]> {
  await createSome(service, 0);
  await vi.waitFor(() => expect(activeWorkers(service).size).toBe(2), patiently);
  return [...activeWorkers(service)].map(Number) as [number, number];
}

/** Creates plants, each over a new connection, so that the primary distributes them among the workers. */
async function createSome(service: RunningService, from: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let id = from; id < from + 6; id += 1) {
    const response = await fetch(`${service.url}/plants`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-the-tests', 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ id, name: 'Fern' }),
    });
    statuses.push(response.status);
  }
  return statuses;
}

/** Sends a request over a new connection; the returned object shows its outcome so far. */
function endOfRequest(
  { url }: RunningService,
  onTestFinished: OnTestFinished,
): { how: 'waiting' | 'responded' | 'closed' } {
  const end: ReturnType<typeof endOfRequest> = { how: 'waiting' };
  const socket = connectTo(url);
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n');
  socket.once('data', () => {
    end.how = 'responded';
  });
  // It is followed by a close.
  socket.on('error', () => {});
  socket.once('close', () => {
    if (end.how === 'waiting') end.how = 'closed';
  });
  return end;
}

// Together: most of their time they wait.
describe.concurrent('with WORKERS=2', () => {
  test('a frozen worker gets one connection at most, is killed and restarted under its name, and its connection is closed; workers exit when their primary is killed', async ({
    onTestFinished,
  }) => {
    const service = await startTwoWorkers(onTestFinished);
    const [paused] = await bothActive(service);
    // A paused worker gets a connection from the primary, and never acknowledges it.
    process.kill(paused, 'SIGSTOP');
    const ends = Array.from({ length: 8 }, () => endOfRequest(service, onTestFinished));
    await vi.waitFor(() => expect(ends.filter(({ how }) => how === 'responded')).toHaveLength(7), patiently);
    await service.printed(/has not responded for 5000 ms; killing it.*exited .*; restarting/s);
    ends.push(...Array.from({ length: 8 }, () => endOfRequest(service, onTestFinished)));
    await vi.waitFor(() => expect(ends.filter(({ how }) => how === 'waiting')).toEqual([]), patiently);
    expect(ends.filter(({ how }) => how === 'closed')).toHaveLength(1);
    await vi.waitFor(async () => {
      await createSome(service, 0);
      expect(activeWorkers(service).size).toBe(3);
    }, patiently);

    const started = (await scrape(service.adminUrl)).filter(({ name }) => name === 'process_start_time_seconds');
    expect(started.map(({ labels }) => labels['worker']).toSorted()).toEqual(['1', '2']);

    const workers = [...activeWorkers(service)].map(Number);
    service.process.kill('SIGKILL');
    await vi.waitFor(() => {
      for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    }, patiently);
  });

  test('a setting that only the workers find wrong is exit code 2, too', async ({ onTestFinished }) => {
    const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
    const service = plantStore(['serve'], { WORKERS: '2', PORT: '0', DATABASE_URL, API_TOKENS_FILE: '/nonexistent' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    expect(await service.ended).toBe(2);
    expect(service.output()).toMatch(/^plant-store: token file \/nonexistent: it cannot be read \(ENOENT\)/m);
  });

  test('two workers share one port and one store, print one startup message, respond with the metrics of both, leave SIGHUP to their primary, and serve for SHUTDOWN_DELAY_MS before they exit with it', async ({
    onTestFinished,
  }) => {
    const service = await startTwoWorkers(onTestFinished, { SHUTDOWN_DELAY_MS: '2000' });
    const workers = await bothActive(service);
    for (let scrapes = 0; scrapes < 4; scrapes += 1) {
      const samples = await scrape(service.adminUrl);
      const completed = (labels?: Record<string, string>) =>
        sumOf(samples, 'http_server_request_duration_seconds_count', labels);
      expect(completed({ http_route: '/plants' })).toBe(6);
      for (const worker of ['1', '2']) expect(completed({ worker })).toBeGreaterThan(0);
      for (const name of ['process_start_time_seconds', 'nodejs_eventloop_lag_p99_seconds', 'plant_store_waiting_adds'])
        expect(samples.filter((sample) => sample.name === name)).toHaveLength(2);
    }
    const racers = await Promise.all(
      Array.from(
        { length: 50 },
        async (_, racer) => (await create(service.url, { id: 99, name: `racer ${racer}` })).status,
      ),
    );
    expect(racers.filter((status) => status === 200)).toHaveLength(1);
    expect(service.output().match(/Press Ctrl-C to stop/g)).toHaveLength(1);

    // A terminal that closes sends it to every process.
    for (const pid of workers) process.kill(pid, 'SIGHUP');
    expect(new Set(await createSome(service, 0))).toEqual(new Set([200]));
    service.process.kill('SIGHUP');
    await service.printed(/graceful shutdown; stops accepting connections in 2000 ms/);
    const before = service.output().length;
    await vi.waitFor(async () => expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503), patiently);
    expect(new Set(await createSome(service, 0))).toEqual(new Set([200]));
    await vi.waitFor(() => expect(activeWorkers(service, before).size).toBe(2), patiently);
    expect(await service.ended).toBe(0);
    expect(service.output()).not.toContain('exited (');
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('Ctrl-C ends the worker that runs, and does not wait for one that is starting', async ({ onTestFinished }) => {
    const tokens = await blockingFile(onTestFinished);
    tokens.block(2);
    const service = await startService({
      WORKERS: '2',
      DATABASE_URL: `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`,
      ...tokens.environment,
    });
    await tokens.isRead();
    onTestFinished(() => void service.process.kill('SIGKILL'));
    expect((await create(service.url, { id: 1, name: 'Fern' })).status).toBe(200);
    service.process.kill('SIGINT');
    expect(await service.ended).toBe(0);
    expect(service.output()).not.toContain('Press Ctrl-C to stop');
    const [worker] = activeWorkers(service);
    expect(() => process.kill(Number(worker), 0)).toThrow('ESRCH');
  });
});

// Alone: the other worker has to respond in the two seconds that a frozen one gets.
test('a shutdown does not wait for a frozen worker', async ({ onTestFinished }) => {
  const service = await startTwoWorkers(onTestFinished);
  const [paused] = await bothActive(service);
  process.kill(paused, 'SIGSTOP');
  service.process.kill('SIGTERM');
  // The probe that the frozen worker gets has no response.
  const probe = () => fetch(`${service.adminUrl}/readyz`, { signal: AbortSignal.timeout(100) });
  await vi.waitFor(async () => expect((await probe()).status).toBe(503), { ...patiently, interval: 10 });
  // Not yet killed: the other one does not accept connections for longer than it.
  expect(() => process.kill(paused, 0)).not.toThrow();
  const ends = Array.from({ length: 3 }, () => endOfRequest(service, onTestFinished));
  await vi.waitFor(() => expect(ends.filter(({ how }) => how === 'responded').length).toBeGreaterThan(1), patiently);
  expect(() => process.kill(paused, 0)).not.toThrow();
  // What the frozen worker had accepted is unknown.
  expect(await service.ended).toBe(1);
  expect(service.output()).toMatch(/worker \d+ exited \(SIGKILL\).*shutdown failed/);
  expect(service.output()).not.toContain('shutdown not complete');
});
