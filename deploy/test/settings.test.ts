import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Another test keeps the table of settings equal to the code. */
const documented = new Set([...read('docs/operations.md').matchAll(/`([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name));

const { environment: compose, ports } = parse(read('deploy/compose.yaml')).services['plant-store'];
const [container] = parse(read('deploy/kubernetes/deployment.yaml')).spec.template.spec.containers;
const [{ literals }] = parse(read('deploy/kubernetes/kustomization.yaml')).configMapGenerator;

it.each([
  ['the image', [...read('deploy/Dockerfile').matchAll(/^ENV (NODE_ENV.*)$/gm)].flatMap(([, set]) => namesIn(set))],
  ['compose', Object.keys(compose)],
  ['the ConfigMap', literals.map((literal: string) => literal.split('=')[0])],
  ['the Deployment', container.env.map(({ name }: { name: string }) => name)],
])('%s sets settings that the service has', (_where, names) => {
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(documented, name).toContain(name);
});

it('compose publishes the listeners at the ports that they name', () => {
  expect(ports).toEqual([compose.PORT, compose.ADMIN_PORT].map((port) => `127.0.0.1:${port}:${port}`));
});

it('has the token file where the secret is mounted', () => {
  const [{ mountPath }] = container.volumeMounts;
  expect(literals).toContain(`API_TOKENS_FILE=${mountPath}/tokens`);
});

function namesIn(assignments = ''): string[] {
  return assignments.split(' ').map((assignment) => assignment.split('=')[0] ?? '');
}
