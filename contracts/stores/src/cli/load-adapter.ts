import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, UsageError } from '@plant-store/contracts-kit/cli';
import type { StorageAdapter } from '@plant-store/store-kit';
import type { StoreHarness } from '../store-harness.ts';

/** The exports of the module of a storage adapter. */
interface VerifiableAdapter {
  readonly storageAdapter: StorageAdapter;
  /** Makes a harness with scratch databases beside the store at the URL. */
  readonly storeHarness: (url: string) => StoreHarness | Promise<StoreHarness>;
}

/** An adapter that was loaded. */
interface LoadedAdapter extends VerifiableAdapter {
  /** The `--adapter` that loads it. Undefined if the scheme of the URL does. */
  readonly adapter?: string;
}

/** Schemes that are other names of an adapter's own. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['mariadb', 'mysql'],
  ['postgresql', 'postgres'],
]);

/**
 * Loads the adapter for a URL: the given one, else `@plant-store/adapters-<scheme>` if it is installed, else
 * `STORAGE_ADAPTER`. The published one exports `/storage-adapter` and `/harness`.
 *
 * @param adapter a package or the path of a file, as `import` takes it in the working directory.
 * @param from the directory where a published adapter is installed.
 * @throws {UsageError} if there is no adapter, or it does not accept the URL.
 */
export async function loadAdapter(
  url: string,
  { adapter, from }: { readonly adapter?: string | undefined; readonly from: string },
  { STORAGE_ADAPTER }: NodeJS.ProcessEnv = {},
): Promise<LoadedAdapter> {
  const scheme = /^[a-z][a-z\d+.-]*(?=:)/i.exec(url)?.[0].toLowerCase() ?? '<scheme>';
  const published = `@plant-store/adapters-${aliases.get(scheme) ?? scheme}`;
  const install = `run npm install ${published} @plant-store/contracts-stores there`;
  const isPublished = !adapter && isInstalled(from, `${published}/storage-adapter`);
  const name = isPublished ? published : (adapter ?? STORAGE_ADAPTER);
  if (!name)
    throw new UsageError(
      `--url or DATABASE_URL: no adapter of ${scheme}: is installed in ${from}: ${install}, or pass one with --adapter`,
    );
  const advice = isPublished ? install : 'pass --adapter a package or a path that begins with ./ or /';
  const specifiers = isPublished ? [`${name}/storage-adapter`, `${name}/harness`] : [name];
  const directory = isPublished ? from : process.cwd();
  const modules = await Promise.all(specifiers.map((specifier) => importFrom(directory, specifier, advice)));
  const { storageAdapter, storeHarness }: Partial<VerifiableAdapter> = Object.assign({}, ...modules);
  if (!storageAdapter || typeof storeHarness !== 'function')
    throw new UsageError(`${name} does not export storageAdapter and storeHarness, with which its store is checked`);
  // Does not show the URL, because it may contain a password.
  if (!storageAdapter.urls.test(url))
    throw new UsageError(`--url or DATABASE_URL: ${name} expects ${storageAdapter.form}`);
  return { storageAdapter, storeHarness, ...(!isPublished && { adapter: name }) };
}

async function importFrom(directory: string, specifier: string, advice: string): Promise<object> {
  try {
    return await import(resolvedFrom(directory, specifier));
  } catch (cause) {
    const [why] = errorMessage(cause).split('\n');
    throw new UsageError(`cannot load ${specifier} (${why}): ${advice}`, { cause });
  }
}

function isInstalled(directory: string, specifier: string): boolean {
  try {
    resolvedFrom(directory, specifier);
    return true;
  } catch {
    return false;
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
