import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, UsageError } from '@plant-store/contracts-kit/cli';
import type { StorageAdapter } from '@plant-store/store-kit';
import type { StoreHarness } from '../store-harness.ts';

/** What the module of a storage adapter exports. */
export interface VerifiableAdapter {
  readonly storageAdapter: StorageAdapter;
  /** Of scratch places beside the store at the URL. */
  readonly storeHarness: (url: string) => StoreHarness | Promise<StoreHarness>;
}

/** The adapters of this repository, by the scheme of their URLs. They export `/storage-adapter` and `/harness`. */
const published: Readonly<Record<string, string>> = {
  citus: '@plant-store/adapters-citus',
  mariadb: '@plant-store/adapters-mysql',
  memory: '@plant-store/adapters-memory',
  mysql: '@plant-store/adapters-mysql',
  postgres: '@plant-store/adapters-postgres',
  postgresql: '@plant-store/adapters-postgres',
  sqlite: '@plant-store/adapters-sqlite',
};

/** For messages. */
export const schemes: string = Object.keys(published)
  .map((scheme) => `${scheme}:`)
  .join(', ');

/**
 * Loads the adapter of a URL: the one that is given, else the published one for its scheme, else `STORAGE_ADAPTER`.
 *
 * @param adapter a package or the path of a file, as `import` takes it in the working directory.
 * @param from the directory where a published adapter is installed.
 * @throws {UsageError} if there is none, or it does not take the URL.
 */
export async function loadAdapter(
  url: string,
  { adapter, from }: { readonly adapter?: string | undefined; readonly from: string },
  { STORAGE_ADAPTER }: NodeJS.ProcessEnv = {},
): Promise<VerifiableAdapter> {
  const ours = adapter ? undefined : published[/^[a-z][a-z\d+.-]*(?=:)/i.exec(url)?.[0] ?? ''];
  const name = ours ?? adapter ?? STORAGE_ADAPTER;
  if (!name)
    throw new UsageError(`--url or DATABASE_URL: expected ${schemes}, or pass the URL's adapter with --adapter`);
  const advice = ours
    ? `run npm install ${ours} @plant-store/contracts-stores there`
    : 'pass --adapter a package or a path that begins with ./ or /';
  const specifiers = ours ? [`${ours}/storage-adapter`, `${ours}/harness`] : [name];
  const directory = ours ? from : process.cwd();
  const modules = await Promise.all(specifiers.map((specifier) => importFrom(directory, specifier, advice)));
  const { storageAdapter, storeHarness }: Partial<VerifiableAdapter> = Object.assign({}, ...modules);
  if (!storageAdapter || typeof storeHarness !== 'function')
    throw new UsageError(`${name} does not export storageAdapter and storeHarness, with which its store is checked`);
  // Without the URL: it may contain a password.
  if (!storageAdapter.urls.test(url))
    throw new UsageError(`--url or DATABASE_URL: ${name} expects ${storageAdapter.form}`);
  return { storageAdapter, storeHarness };
}

async function importFrom(directory: string, specifier: string, advice: string): Promise<object> {
  try {
    return await import(resolvedFrom(directory, specifier));
  } catch (cause) {
    const [why] = errorMessage(cause).split('\n');
    throw new UsageError(`cannot load ${specifier} (${why}): ${advice}`, { cause });
  }
}

/** What `import` in a module of the directory would load: Node's resolution takes no other place by itself. */
function resolvedFrom(directory: string, specifier: string): string {
  const parentURL = pathToFileURL(join(directory, 'module.js')).href;
  const hooks = registerHooks({ resolve: (name, context, next) => next(name, { ...context, parentURL }) });
  try {
    return import.meta.resolve(specifier);
  } finally {
    hooks.deregister();
  }
}
