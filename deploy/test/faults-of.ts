import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Manifest } from './manifests.ts';

/**
 * Faults in Kubernetes objects, by the types and validators that kubernetes-models generates from Kubernetes' OpenAPI
 * description: invalid values and unknown properties.
 */
export async function faultsOf(manifests: readonly Manifest[]): Promise<string[]> {
  const values = await Promise.all(manifests.map(invalidValues));
  return [...values.flat(), ...(await unknownProperties(manifests))];
}

async function invalidValues(manifest: Manifest): Promise<string[]> {
  const { [manifest.kind]: Model } = await import(moduleOf(manifest));
  try {
    new Model(manifest.object).validate();
    return [];
  } catch (error) {
    return [`${manifest.file}: ${error instanceof Error ? error.message : error}`];
  }
}

/** The validators accept any property; a type does not, if it is given an object literal. */
async function unknownProperties(manifests: readonly Manifest[]): Promise<string[]> {
  // Below this directory, so that kubernetes-models is found.
  const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/manifests-'));
  try {
    const file = join(directory, 'manifests.ts');
    writeFileSync(file, manifests.map(asTypeScript).join('\n'));
    const report = await compile(file);
    return report.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function asTypeScript(manifest: Manifest): string {
  const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
  return `/* ${manifest.file} */ export const _${crypto.randomUUID().replaceAll('-', '')}: ${type} = ${JSON.stringify(manifest.object)};`;
}

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

function compile(file: string): Promise<string> {
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
  return new Promise((resolve) => {
    // A non-zero exit code is expected; the report is on standard output.
    execFile(process.execPath, [tsc, ...flags, file], (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}

/** @example moduleOf({apiVersion: 'apps/v1', kind: 'Deployment'}) → 'kubernetes-models/apps/v1/Deployment' */
function moduleOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `kubernetes-models/${apiVersion}/${kind}`;
}
