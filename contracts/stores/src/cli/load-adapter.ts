import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, UsageError } from '@plant-store/contracts-kit/cli';
import type { StorageAdapter } from '@plant-store/store-kit';
import type { StoreHarness } from '../store-harness.ts';

/** The exports of the module of a storage adapter. */
export interface VerifiableAdapter {
  readonly storageAdapter: StorageAdapter;
  /** Makes a harness with scratch databases beside the store at the URL. */
  readonly storeHarness: (url: string) => StoreHarness | Promise<StoreHarness>;
}

/** The published adapters by URL scheme. Each exports `/storage-adapter` and `/harness`. */
const publishedAdapters: Readonly<Record<string, string>> = {
  citus: '@plant-store/adapters-citus',
  mariadb: '@plant-store/adapters-mysql',
  memory: '@plant-store/adapters-memory',
  mysql: '@plant-store/adapters-mysql',
  postgres: '@plant-store/adapters-postgres',
  postgresql: '@plant-store/adapters-postgres',
  sqlite: '@plant-store/adapters-sqlite',
};

/** The URL schemes of the published adapters, for messages. */
export const schemes: string = Object.keys(publishedAdapters)
  .map((scheme) => `${scheme}:`)
  .join(', ');

/**
 * Loads the adapter for a URL: the given one, else the published one for its scheme, else `STORAGE_ADAPTER`.
 *
 * @param adapter a package or the path of a file, as `import` takes it in the working directory.
 * @param from the directory where a published adapter is installed.
 * @throws {UsageError} if there is no adapter, or it does not accept the URL.
 */
export async function loadAdapter(
  url: string,
  { adapter, from }: { readonly adapter?: string | undefined; readonly from: string },
  { STORAGE_ADAPTER }: NodeJS.ProcessEnv = {},
): Promise<VerifiableAdapter> {
  const ours = adapter ? undefined : publishedAdapters[/^[a-z][a-z\d+.-]*(?=:)/i.exec(url)?.[0] ?? ''];
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
  // Does not show the URL, because it may contain a password.
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

/** Resolves a specifier as `import` in a module of the directory would. Without the hook, Node resolves from this module only. */
function resolvedFrom(directory: string, specifier: string): string {
  const parentURL = pathToFileURL(join(directory, 'module.js')).href;
  const hooks = registerHooks({ resolve: (name, context, next) => next(name, { ...context, parentURL }) });
  try {
    return import.meta.resolve(specifier);
  } finally {
    hooks.deregister();
  }
}
