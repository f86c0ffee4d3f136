import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, UsageError } from '@plant-store/contracts-kit/cli';
import type { StorageAdapter } from '@plant-store/store-kit';
import type { HarnessChanges } from '../adapter-harness.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What is checked of the database at the URL itself. */
export type Store = Pick<ReturnType<StorageAdapter['at']>, 'open' | 'status'>;

/** The exports of the module of a storage adapter. */
interface VerifiableAdapter {
  readonly storageAdapter: Pick<StorageAdapter, 'form' | 'urls'> & {
    readonly at: (...given: Parameters<StorageAdapter['at']>) => Store;
  };
  /** Makes a harness with scratch databases beside the store at the URL, and stores with this time-out. */
  readonly storeHarness: (
    url: string,
    changes?: Pick<HarnessChanges, 'timeoutMs'>,
  ) => StoreHarness | Promise<StoreHarness>;
}

/** Schemes that are other names of an adapter's own. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['mariadb', 'mysql'],
  ['postgresql', 'postgres'],
]);

/**
 * Loads the adapter for a URL: the given one, else `@plant-store/adapters-<scheme>`, which exports `/storage-adapter` and `/harness`.
 *
 * @param given a package or the path of a file.
 * @param from the directory where it is installed.
 * @throws {UsageError} if there is no adapter, or it does not accept the URL.
 */
export async function loadAdapter(url: string, given: string | undefined, from: string): Promise<VerifiableAdapter> {
  const [, scheme = '<scheme>'] = /^([a-z][a-z\d+.-]*):/i.exec(url.toLowerCase()) ?? [];
  const name = given ?? `@plant-store/adapters-${aliases.get(scheme) ?? scheme}`;
  const specifiers = given ? [given] : [`${name}/storage-adapter`, `${name}/harness`];
  const { resolve } = createRequire(join(from, 'module.js'));
  const load = async (specifier: string) => import(pathToFileURL(resolve(specifier)).href);
  const loading = Promise.all(specifiers.map(load)).catch((error: unknown) => {
    const [why] = errorMessage(error).split('\n');
    throw new UsageError(
      `cannot load ${name} from ${from} (${why}): install it there, or pass another one with --adapter`,
    );
  });
  const { storageAdapter, storeHarness }: Partial<VerifiableAdapter> = Object.assign({}, ...(await loading));
  if (!storageAdapter || typeof storeHarness !== 'function')
    throw new UsageError(`${name} does not export storageAdapter and storeHarness, with which its store is checked`);
  // Does not show the URL, because it may contain a password.
  if (!storageAdapter.urls.test(url))
    throw new UsageError(`--url or DATABASE_URL: ${name} expects ${storageAdapter.form}`);
  return { storageAdapter, storeHarness };
}
