import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { storageAdapter as citus } from '@plant-store/adapters-citus/storage-adapter';
import { storageAdapter as memory } from '@plant-store/adapters-memory/storage-adapter';
import { storageAdapter as mysql } from '@plant-store/adapters-mysql/storage-adapter';
import { storageAdapter as postgres } from '@plant-store/adapters-postgres/storage-adapter';
import { storageAdapter as sqlite } from '@plant-store/adapters-sqlite/storage-adapter';
import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type Storage, type StorageAdapter, type StoreLimit, serverLimits } from '@plant-store/store-kit';
import { ConfigError, errorMessage } from './errors.ts';

/** The storage adapters of this repository. To add one, add it to this list. */
export const storageAdapters: readonly StorageAdapter[] = [postgres, citus, mysql, sqlite, memory];

/**
 * The adapter that supports the URL; undefined if there is none.
 * @param outside an additional adapter, with lower priority.
 */
export function findAdapter(url: string, outside?: StorageAdapter): StorageAdapter | undefined {
  return storageAdapters.find(({ urls }) => urls.test(url)) ?? (outside?.urls.test(url) ? outside : undefined);
}

/** The supported forms of `DATABASE_URL`, for messages: «a, b or c». */
export function describeUrls(): string {
  const forms = storageAdapters.map(({ form }) => form);
  // Intl.ListFormat would cost each command 15 ms.
  return `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
}

/** The limits of an adapter's store that can be set, by the names of its options. */
export function settableLimits({ limits = serverLimits }: StorageAdapter) {
  return Object.entries<StoreLimit>(limits).flatMap(([option, { setting, default: byDefault }]) =>
    setting ? [{ option, ...setting, min: 1, byDefault }] : [],
  );
}

/**
 * Opens a store with a current schema.
 *
 * @param migrates whether to apply missing migrations first.
 * @returns the store, and the state of its schema for people.
 * @throws {ConfigError} if a migration is missing, and it does not migrate; {@link StoreUnavailable} if the store is unreachable.
 */
export async function openStore(
  storage: Storage,
  migrates: boolean,
): Promise<{ readonly store: PlantStore; readonly state: string }> {
  const status = await (migrates ? storage.migrate() : storage.status());
  const missing = status.filter(({ applied }) => !applied).map(({ name }) => name);
  if (missing.length > 0)
    throw new ConfigError(
      `MIGRATE: the store's schema is out of date, missing ${missing.join(', ')}: run "plant-store migrate up", or set it to auto`,
    );
  const state = status.length === 0 ? 'without a schema' : `schema up to date (${status.at(-1)?.name})`;
  return { store: await storage.open(), state };
}

/**
 * Whether waiting may resolve this error. It does not if the server has rejected the password, the user or the database. An
 * unknown host name may belong to a container that has not started.
 */
export function canRecover(error: unknown): boolean {
  return StoreUnavailable.is(error) && (!StoreMisconfigured.is(error) || isUnknownHost(error.cause));
}

function isUnknownHost(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isUnknownHost);
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && cause.code === 'ENOTFOUND') || isUnknownHost(cause.cause);
}

/**
 * Loads the adapter that `STORAGE_ADAPTER` names. Its code runs in this process.
 *
 * @param module a package or a file path, resolved from the working directory; undefined for none.
 * @throws {ConfigError} if it cannot be loaded or exports no adapter.
 */
export async function loadStorageAdapter(module: string | undefined): Promise<StorageAdapter | undefined> {
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
    throw new ConfigError(`STORAGE_ADAPTER: cannot use ${module}: ${line}`);
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
