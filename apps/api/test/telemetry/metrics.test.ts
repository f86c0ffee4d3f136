import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { composedService } from '../composed-service.ts';
import { patiently } from '../patiently.ts';
import { create } from '../running-service.ts';
import { scrape, sumOf } from './exposition.ts';

const requests = 'http_server_request_duration_seconds';

async function start() {
  const { url, adminUrl = '', stop } = await composedService({ ADMIN_PORT: '0' });
  onTestFinished(() => stop());
  return { url, adminUrl };
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
  const { url, adminUrl } = await start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => void socket.write('no HTTP\r\n\r\n'));
  await once(socket.resume(), 'close');

  const name = 'http_server_responses_without_request_total';
  const counted = async () => sumOf(await scrape(adminUrl), name, { http_response_status_code: '400' });
  await vi.waitFor(async () => expect(await counted()).toBe(1), patiently);
  const samples = await scrape(adminUrl);
  expect(sumOf(samples, `${requests}_count`)).toBe(0);
});
