import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
import { create, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { patiently } from '../started-outage.ts';
import { scrape, sumOf } from './exposition.ts';

const requests = 'http_server_request_duration_seconds';

async function start() {
  const { url, adminUrl = '', stop } = await composedService({ ADMIN_PORT: '0' });
  onTestFinished(() => stop());
  return { url, adminUrl };
}

/** Over a connection of its own, so that the primary hands requests to the workers in turn. */
async function createAlone(url: string, id: number): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', connection: 'close' };
  await fetch(`${url}/plants`, { method: 'POST', headers, body: JSON.stringify({ id, name: 'Fern' }) });
}

test('requests are timed by method, route and status, and responses without a request are counted', async () => {
  const { url, adminUrl } = await start();
  await create(url, { id: 1, name: 'Fern' });
  await create(url, { id: 1, name: 'Fern' });
  await create(url, { id: 1, name: 'Moss' });
  await fetch(`${url}/nothing-${Math.random()}`);
  await fetch(`${url}/plants`, { method: 'REPORT' });
  await fetch(`${url}/%zz`);

  const samples = await scrape(adminUrl);
  const count = (labels: Record<string, string>) => sumOf(samples, `${requests}_count`, labels);
  const post = { http_request_method: 'POST', http_route: '/plants' };
  expect(count({ ...post, http_response_status_code: '200' })).toBe(2);
  expect(count({ ...post, http_response_status_code: '400' })).toBe(1);
  expect(count({ http_request_method: 'GET', http_response_status_code: '404' })).toBe(1);
  expect(count({ http_request_method: 'GET', http_response_status_code: '400' })).toBe(1);
  expect(count({ http_request_method: '_OTHER', http_response_status_code: '405' })).toBe(1);
  expect(count({})).toBe(6);
  // Whatever paths clients invent, they are counted under one route.
  const routes = samples.filter(({ name }) => name === `${requests}_count`).map(({ labels }) => labels['http_route']);
  expect(new Set(routes)).toEqual(new Set([undefined, '/plants']));
  expect(sumOf(samples, `${requests}_bucket`, { le: '+Inf' })).toBe(6);
  expect(sumOf(samples, `${requests}_sum`)).toBeGreaterThan(0);
  expect(sumOf(samples, 'http_server_active_requests')).toBe(0);
  expect(sumOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('malformed HTTP is counted without affecting durations', async () => {
  const service = await startService({ DATABASE_URL: 'memory:' });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const { url, adminUrl } = service;
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => void socket.write('no HTTP\r\n\r\n'));
  await once(socket.resume(), 'close');

  // The former name, too, for one release.
  const names = ['http_server_responses_without_request_total', 'http_server_answers_without_request_total'];
  const counted = async () => (await scrape(adminUrl)).filter(({ value }) => value === 1).map(({ name }) => name);
  await vi.waitFor(async () => expect(await counted()).toEqual(expect.arrayContaining(names)), patiently);
  const samples = await scrape(adminUrl);
  for (const name of names) {
    expect(sumOf(samples, name, { http_response_status_code: '400' })).toBe(1);
    expect(samples).toContainEqual({ name, labels: { http_response_status_code: '503' }, value: 0 });
  }
  expect(sumOf(samples, `${requests}_count`)).toBe(0);
});

test('metrics named _total are counters, and no others', async () => {
  const { adminUrl } = await start();
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  expect(types.length).toBeGreaterThan(30);
  expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
});

test('any worker responds with the metrics of all, each under its name, which a restarted one keeps', async () => {
  const DATABASE_URL = `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`;
  const service = await startService({ WORKERS: '2', DATABASE_URL });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const { url, adminUrl, printed } = service;
  await printed(/Press Ctrl-C to stop/);
  for (let id = 0; id < 10; id += 1) await createAlone(url, id);

  for (let scrapes = 0; scrapes < 4; scrapes += 1) {
    const samples = await scrape(adminUrl);
    expect(sumOf(samples, `${requests}_count`)).toBe(10);
    expect(sumOf(samples, `${requests}_count`, { worker: '1' })).toBeGreaterThan(0);
    expect(sumOf(samples, `${requests}_count`, { worker: '2' })).toBeGreaterThan(0);
    for (const name of ['process_start_time_seconds', 'nodejs_eventloop_lag_p99_seconds', 'plant_store_waiting_adds'])
      expect(samples.filter((sample) => sample.name === name)).toHaveLength(2);
  }

  const [, pid] = await printed(/"pid":(\d+),.*"request completed"/);
  process.kill(Number(pid), 'SIGKILL');
  await printed(/exited .*; restarting/);
  await vi.waitFor(async () => {
    const started = (await scrape(adminUrl)).filter(({ name }) => name === 'process_start_time_seconds');
    expect(started.map(({ labels }) => labels['worker']).toSorted()).toEqual(['1', '2']);
  }, patiently);
});
