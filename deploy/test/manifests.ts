import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object as it stands in a file. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: object;
}

export const kubernetes: string = join(import.meta.dirname, '../kubernetes');

/** Every Kubernetes object in `deploy/kubernetes`; kustomize's own file is none. */
export function manifests(): Manifest[] {
  return manifestFiles().flatMap((file) => parseManifests(readFileSync(join(kubernetes, file), 'utf8'), file));
}

/** The names of the files that hold them. */
export function manifestFiles(): string[] {
  return readdirSync(kubernetes).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
}

/** @throws {Error} where the text is not YAML. */
export function parseManifests(text: string, file: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    const object = document.toJS();
    return { file, apiVersion: object.apiVersion, kind: object.kind, object };
  });
}
