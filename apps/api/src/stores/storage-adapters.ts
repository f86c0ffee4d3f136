import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { storageAdapter as citus } from '@plant-store/adapters-citus/storage-adapter';
import { storageAdapter as memory } from '@plant-store/adapters-memory/storage-adapter';
import { storageAdapter as mysql } from '@plant-store/adapters-mysql/storage-adapter';
import { storageAdapter as postgres } from '@plant-store/adapters-postgres/storage-adapter';
import { storageAdapter as sqlite } from '@plant-store/adapters-sqlite/storage-adapter';
import { type StorageAdapter, type StoreLimit, serverLimits } from '@plant-store/store-kit';
import { ConfigError, errorMessage } from '../errors.ts';

/** The storage adapters of this repository. To add one, add it to this list. */
export const storageAdapters: readonly StorageAdapter[] = [postgres, citus, mysql, sqlite, memory];

/**
 * The adapter that supports the URL; undefined if there is none.
 * @param outside an additional adapter, with lower priority.
 */
export function adapterFor(url: string, outside?: StorageAdapter): StorageAdapter | undefined {
  return storageAdapters.find(({ urls }) => urls.test(url)) ?? (outside?.urls.test(url) ? outside : undefined);
}

/** The supported forms of `DATABASE_URL`, for messages: «a, b or c». */
export function urlForms(): string {
  const forms = storageAdapters.map(({ form }) => form);
  // Intl.ListFormat would cost each command 15 ms.
  return `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
}

/** The limits of an adapter's store, by the names of its options. */
export const limitsOf = ({ limits = serverLimits }: StorageAdapter): Readonly<Record<string, StoreLimit>> => limits;

/**
 * Loads the adapter that `STORAGE_ADAPTER` names. Its code runs in this process.
 *
 * @param module a package or a file path, resolved from the working directory; undefined for none.
 * @returns the adapter, or a ConfigError if it cannot be loaded or exports no adapter.
 */
export async function loadStorageAdapter(
  module: string | undefined,
): Promise<StorageAdapter | ConfigError | undefined> {
  if (!module) return undefined;
  try {
    const { storageAdapter } = await import(resolveFromCwd(module));
    const { form, urls, at } = storageAdapter ?? {};
    // With the flags `g` and `y`, `test` is stateful.
    const isPattern = urls instanceof RegExp && !urls.global && !urls.sticky;
    if (typeof form !== 'string' || !isPattern || typeof at !== 'function')
      throw new Error('it does not export a storageAdapter with form, urls (without the flags g and y) and at');
    return storageAdapter;
  } catch (error) {
    const [line] = errorMessage(error).split('\n');
    return new ConfigError(`cannot use ${module}: ${line}`);
  }
}

/** Resolves a module from the working directory. Node resolves only from the importing module by itself. */
function resolveFromCwd(module: string): string {
  const parentURL = pathToFileURL(join(process.cwd(), 'module.js')).href;
  const hooks = registerHooks({ resolve: (specifier, context, next) => next(specifier, { ...context, parentURL }) });
  try {
    return import.meta.resolve(module);
  } finally {
    hooks.deregister();
  }
}
