import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@plant-store/api';
import { SHUTDOWN_MS } from '@plant-store/api/reference';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => parse(readFileSync(join(import.meta.dirname, '..', path), 'utf8'));

const pod = read('kubernetes/deployment.yaml').spec.template.spec;
const [{ readinessProbe }] = pod.containers;
const [{ literals }]: [{ literals: string[] }] = read('kubernetes/kustomization.yaml').configMapGenerator;
const configMap = Object.fromEntries(literals.map((literal) => literal.split('=', 2)));
const compose = read('compose.yaml').services['plant-store'];

/** The configuration in production: in a pod, and in compose if the operator sets NODE_ENV. */
const inPod = readConfig({ ...configMap, NODE_ENV: 'production' });
const inCompose = readConfig({ NODE_ENV: 'production' });

it.each([
  ['a pod', inPod, pod.terminationGracePeriodSeconds],
  ['compose', inCompose, seconds(compose.stop_grace_period)],
])('%s is killed only after the service had time to shut down', (_where, { SHUTDOWN_DELAY_MS }, grace) => {
  expect(SHUTDOWN_DELAY_MS).toBeGreaterThan(0);
  expect(grace * 1_000).toBeGreaterThan(SHUTDOWN_DELAY_MS + SHUTDOWN_MS);
});

it('a service that hangs is ended by the liveness probe in a pod', () => {
  expect(pod.containers[0].livenessProbe.httpGet.path).toBe('/livez');
});

it('readiness is probed again before a pod stops serving', () => {
  expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold * 1_000).toBeLessThan(inPod.SHUTDOWN_DELAY_MS);
});

it('the readiness probe waits for the store', () => {
  expect(readinessProbe.timeoutSeconds * 1_000).toBeGreaterThan(inPod.DATABASE_TIMEOUT_MS);
});

/** @example seconds('15s') → 15 */
function seconds(duration: string): number {
  expect(duration).toMatch(/^\d+s$/);
  return Number.parseInt(duration, 10);
}
