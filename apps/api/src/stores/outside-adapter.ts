import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '@plant-store/command-line';
import type { StoreHarness } from '@plant-store/contracts-stores';
import type { StorageAdapter } from '@plant-store/store-kit';
import { engines, sampleUrl, sampleUrls } from './engines.ts';

/** The module that was loaded last, with its adapter or why that cannot be used. */
interface Loaded {
  readonly module?: string;
  readonly adapter?: StorageAdapter;
  /** What `verify-store` checks it with, if the module has that. */
  readonly harness?: (url: string) => StoreHarness | Promise<StoreHarness>;
  readonly fault?: string;
}

// The process's own, as what `import` has loaded is: settings and messages are made of it.
let loaded: Loaded = {};

/** The adapter that `STORAGE_ADAPTER` has added to the engines of the table, or its fault. */
export function outsideAdapter(): Loaded {
  return loaded;
}

/**
 * Loads the adapter that `STORAGE_ADAPTER` names, so that the service has its URLs as those of its own engines: before
 * the configuration is read, and before a message names their forms. {@link faultOfStorageAdapter} says if it failed.
 *
 * @param module a package or the path of a file, as `import` takes it in the working directory.
 */
export async function loadStorageAdapter(module: string | undefined): Promise<void> {
  loaded = {};
  if (!module) return;
  try {
    const { storageAdapter: adapter, storeHarness: harness } = await import(resolvedHere(module));
    assertAdapter(adapter);
    if (harness !== undefined && !isFunction(harness)) throw new Error('its storeHarness is no function');
    loaded = { module, adapter, harness };
  } catch (error) {
    const [line = ''] = errorMessage(error).split('\n');
    loaded = { module, fault: `cannot use ${module}: ${line}` };
  }
}

/** Why the adapter that `STORAGE_ADAPTER` names cannot be used; undefined if it can, or none is named. */
export function faultOfStorageAdapter(module: string | undefined): string | undefined {
  if (!module) return undefined;
  return loaded.module === module ? loaded.fault : `${module} has not been loaded`;
}

/** What `import` in a module of the working directory would load: Node's resolution takes no other place by itself. */
function resolvedHere(module: string): string {
  const parentURL = pathToFileURL(join(process.cwd(), 'module.js')).href;
  const hooks = registerHooks({ resolve: (specifier, context, next) => next(specifier, { ...context, parentURL }) });
  try {
    return import.meta.resolve(module);
  } finally {
    hooks.deregister();
  }
}

/** @throws {Error} that says what is wrong with what the module exports. */
function assertAdapter(adapter: StorageAdapter | undefined): asserts adapter {
  if (adapter === undefined) throw new Error('it does not export storageAdapter');
  const missing = Object.entries(members).filter(
    ([name, isRight]) => !isRight(adapter?.[name as keyof StorageAdapter]),
  );
  if (missing.length > 0)
    throw new Error(
      `its storageAdapter is no StorageAdapter: ${missing.map(([name]) => name).join(', ')} is missing or wrong`,
    );
  const url = sampleUrl(adapter);
  if (!adapter.urls.test(url)) throw new Error(`its urls do not match its own form, ${adapter.form}`);
  const taken = engines.find(({ urls }, at) => urls.test(url) || adapter.urls.test(sampleUrls[at] ?? ''));
  if (taken) throw new Error(`its URLs, ${adapter.form}, are those of a store that is built in: ${taken.form}`);
  if (adapter.urls.test('http://host/'))
    throw new Error(`its URLs, ${adapter.form}, would be those of a running service`);
  const store = adapter.at(url, { onError: () => {} });
  const without = (['open', 'migrate', 'status'] as const).filter((name) => typeof store[name] !== 'function');
  if (without.length > 0) throw new Error(`its at() returns a store without ${without.join(', ')}`);
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) => typeof value === 'function';

/** What an adapter must have, and whether it is that. */
const members: Readonly<Record<keyof StorageAdapter, (value: unknown) => boolean>> = {
  form: (value) => typeof value === 'string' && /^[a-z][a-z0-9+.-]*:/.test(value),
  // With one of these flags, `test` would remember where it stopped.
  urls: (value) => value instanceof RegExp && !value.global && !value.sticky,
  scratchPlace: isText,
  at: isFunction,
  isPlaintext: (value) => value === undefined || isFunction(value),
  tls: (value) =>
    value === undefined ||
    ['verified', 'disabled'].every((name) => isText((value as Record<string, unknown> | null)?.[name])),
};
