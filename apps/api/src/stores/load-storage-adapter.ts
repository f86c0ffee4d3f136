import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StorageAdapter } from '@plant-store/store-kit';
import { ConfigError, errorMessage } from '../errors.ts';

/**
 * Loads the adapter that `STORAGE_ADAPTER` names. Its code runs in this process.
 *
 * @param module a package or the path of a file, as `import` takes it in the working directory; undefined for none.
 * @returns a ConfigError if it cannot be loaded or exports no adapter.
 */
export async function loadStorageAdapter(
  module: string | undefined,
): Promise<StorageAdapter | ConfigError | undefined> {
  if (!module) return undefined;
  try {
    shareDomain();
    const { storageAdapter } = await import(resolvedHere(module));
    const { form, urls, at } = storageAdapter ?? {};
    // With one of these flags, `test` would remember where it stopped.
    const isPattern = urls instanceof RegExp && !urls.global && !urls.sticky;
    if (typeof form !== 'string' || !isPattern || typeof at !== 'function')
      throw new Error('it does not export a storageAdapter with form, urls (without the flags g and y) and at');
    return storageAdapter;
  } catch (error) {
    const [line] = errorMessage(error).split('\n');
    return new ConfigError(`cannot use ${module}: ${line}`);
  }
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

/** Gives the adapter the service's own copy of the domain, its peer: errors are recognized by their class. */
function shareDomain(): void {
  const parentURL = import.meta.url;
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier === '@plant-store/domain' ? { ...context, parentURL } : context),
  });
}
