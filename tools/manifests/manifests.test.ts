import { execFileSync, spawnSync } from 'node:child_process';
import { settings } from '@plant-store/api/reference';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { files, read, root } from '../repository.ts';

const kustomization = parse(read('deploy/kubernetes/kustomization.yaml'));
const objects = files('deploy/kubernetes/*.yaml')
  .filter((path) => !path.endsWith('/kustomization.yaml'))
  .flatMap((path) => parseAllDocuments(read(path)).map((document) => document.toJS()));

/** Validates an object by the schemas of Kubernetes' OpenAPI description. @throws {Error} if it is invalid. */
async function validate(object: { apiVersion: string; kind: string }): Promise<void> {
  const { [object.kind]: Model } = await import(
    /* @vite-ignore */ `kubernetes-models/${object.apiVersion}/${object.kind}`
  );
  new Model(object).validate();
}

test('the manifests are valid Kubernetes objects, and an invalid one is rejected', async () => {
  expect(objects.length).toBeGreaterThan(3);
  for (const object of objects) await validate(object);
  const [wrong] = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').map((each) => structuredClone(each));
  wrong.spec.maxReplicas = 'many';
  await expect(validate(wrong)).rejects.toThrow(/must be integer/);
});

test('the image, compose and the manifests set settings that the service has', () => {
  const [container] = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;
  const names = [
    ...kustomization.configMapGenerator[0].literals.map((literal: string) => literal.split('=')[0]),
    ...container.env.map(({ name }: { name: string }) => name),
    ...Object.keys(parse(read('deploy/compose.yaml')).services['plant-store'].environment),
    ...[...read('deploy/Dockerfile').matchAll(/ (\w+)=\S+/g)].flatMap(([, name = '']) =>
      /^[A-Z_]+$/.test(name) ? [name] : [],
    ),
  ];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !(name in settings.shape) && !['CI', 'NODE_IMAGE'].includes(name))).toEqual([]);
});

// Runs if promtool is installed. The configuration is not checked, because Debian's promtool does not support pods.
if (spawnSync('promtool', ['--version']).status === 0) {
  test('promtool accepts the alerts', () => {
    execFileSync('promtool', ['check', 'rules', 'deploy/prometheus/plant-store.rules.yaml'], { cwd: root });
  });
}
