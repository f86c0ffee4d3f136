import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAdminServer } from '@plant-store/adapters-http';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { faultsOf } from './faults-of.ts';
import { kubernetes, manifestFiles, manifests, parseManifests } from './manifests.ts';

const deployment = parse(readFileSync(join(kubernetes, 'deployment.yaml'), 'utf8'));
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

it('holds valid Kubernetes objects', async () => {
  expect(await faultsOf(manifests())).toEqual([]);
});

it.each([
  ['a value of another type', 'maxReplicas: 6', 'maxReplicas: many', /must be integer/],
  ['a missing property', 'kind: Deployment\n    name: plant-store', 'kind: Deployment', /name/],
  ['an unknown property', 'minReplicas:', 'minimumReplicas:', /"minimumReplicas"' does not exist/],
])('rejects %s', async (_what, right, wrong, complaint) => {
  const file = 'horizontal-pod-autoscaler.yaml';
  const text = readFileSync(join(kubernetes, file), 'utf8');
  expect(text).toContain(right);
  expect(await faultsOf(parseManifests(text.replace(right, wrong), file))).toEqual(
    expect.arrayContaining([expect.stringMatching(complaint)]),
  );
});

it('applies every file', () => {
  const { resources } = parse(readFileSync(join(kubernetes, 'kustomization.yaml'), 'utf8'));
  expect(resources.toSorted()).toEqual(manifestFiles().toSorted());
});

it('selects its own pods everywhere', () => {
  const label = { 'app.kubernetes.io/name': 'plant-store' };
  expect(deployment.spec.template.metadata.labels).toEqual(label);
  const selectors = manifests().flatMap(({ object }) => selectorsIn(object));
  expect(selectors).toHaveLength(4);
  for (const selector of selectors) expect(selector).toEqual(label);
});

it('probes paths that the admin listener serves', async () => {
  const server = createAdminServer({ ready: () => Promise.resolve(), metrics: () => Promise.resolve('') });
  const ports = new Map(container.ports.map((port: { name: string; containerPort: number }) => [port.name, port]));
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    const { path, port } = container[probe].httpGet;
    expect(ports.get(port), probe).toEqual({ name: 'admin', containerPort: 3001 });
    expect((await server.inject(path)).statusCode, `${probe} ${path}`).toBe(200);
  }
});

it('runs as the image does: non-root, read-only', () => {
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

/** How objects select pods. */
function selectorsIn(object: {
  spec?: { selector?: { matchLabels?: object }; podSelector?: { matchLabels?: object } };
}): object[] {
  const { selector, podSelector } = object.spec ?? {};
  return [selector, podSelector].flatMap((found) => found?.matchLabels ?? found ?? []);
}
