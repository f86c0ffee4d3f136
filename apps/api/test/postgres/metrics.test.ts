import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freshDatabase } from '@plant-store/testing/postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Application } from '../../src/index.ts';
import { composedService } from '../composed-service.ts';
import { type Sample, scrape, sumSamples } from '../exposition.ts';
import { connectTo, create } from '../running-service.ts';

let service: Application;
let samples: readonly Sample[];

beforeAll(async () => {
  const environment = { DATABASE_URL: await freshDatabase(), DATABASE_POOL_SIZE: '7', ADMIN_PORT: '0' };
  service = await composedService({ ...environment, DATABASE_TIMEOUT_MS: '20000' });
  const { url, adminUrl = '' } = service;
  await Promise.all(Array.from({ length: 40 }, (_, id) => create(url, { id, name: 'Fern' })));
  await create(url, { id: 1, name: 'Moss' });
  await fetch(`${url}/nothing-${Math.random()}`);
  const socket = connectTo(url);
  socket.write('no HTTP\r\n\r\n');
  await once(socket.resume(), 'close');
  // What the client has is counted a moment later, and there is nothing of a garbage collection before the first one.
  await vi.waitFor(
    async () => {
      samples = await scrape(adminUrl);
      expect(sumSamples(samples, 'http_server_responses_without_request_total')).toBe(1);
      expect(sumSamples(samples, 'nodejs_gc_duration_seconds_sum')).toBeGreaterThan(0);
    },
    { timeout: 20_000 },
  );
});

afterAll(() => service.stop());

const requests = 'http_server_request_duration_seconds';
const post = { http_request_method: 'POST', http_route: '/plants' };
const stored = { outcome: 'stored' };

test.each<[what: string, number, name: string, labels?: Record<string, string>]>([
  ['requests by method, route and status', 40, `${requests}_count`, { ...post, http_response_status_code: '200' }],
  ['rejected requests', 1, `${requests}_count`, { ...post, http_response_status_code: '400' }],
  ['requests for paths that clients invent', 1, `${requests}_count`, { http_response_status_code: '404' }],
  ['all requests, and no malformed HTTP', 42, `${requests}_bucket`, { le: '+Inf' }],
  ['requests in flight', 0, 'http_server_active_requests'],
  ['plants in commits, one of them already taken', 41, 'plant_store_write_plants_sum', stored],
  ['the size of the pool', 7, 'plant_store_connections_max'],
  ['the queue', 0, 'plant_store_waiting_adds'],
  ['requests for a connection', 0, 'plant_store_connections_pending'],
  ['a store that is available', 1, 'plant_store_ready'],
  ['retries', 0, 'plant_store_retries_total'],
])('the service counts %s: %i', (_, count, name, labels = {}) => {
  expect(samples.map((sample) => sample.name)).toContain(name);
  expect(sumSamples(samples, name, labels)).toBe(count);
});

test('paths that clients invent make no label, and commits are counted as often as they are timed', () => {
  const routes = samples.filter(({ name }) => name === `${requests}_count`).map(({ labels }) => labels['http_route']);
  expect(new Set(routes)).toEqual(new Set([undefined, '/plants']));
  const writes = sumSamples(samples, 'plant_store_write_plants_count', stored);
  expect(sumSamples(samples, 'plant_store_write_duration_seconds_count', stored)).toBe(writes);
});

const read = (path: string) => readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8');
const deployed = read('grafana/plant-store.json') + read('prometheus/plant-store.rules.yaml');

test('the dashboard and the alerts ask for metrics that the service has', () => {
  const asked = new Set(deployed.match(/\b(?:http_server|nodejs|plant_store|process)_\w+/g));
  expect(asked.size).toBeGreaterThan(15);
  const known = samples.map(({ name }) => name);
  expect([...asked].filter((name) => !known.includes(name))).toEqual([]);
});
