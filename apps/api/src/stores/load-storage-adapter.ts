import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StorageAdapter } from '@plant-store/store-kit';
import { ConfigError, errorMessage } from '../errors.ts';

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
