import { inject } from 'vitest';
import { notImplemented } from './not-implemented.ts';

/** Makes an empty place on the server that the run shares, and resolves with its URL. */
export async function freshDatabase(): Promise<string> {
  throw notImplemented(`freshDatabase: make an empty database on the server at ${inject('new-engine').url}`);
}

/** Empties a migrated place while a store is open on it. */
export async function deletePlants(_url: string): Promise<void> {
  throw notImplemented('deletePlants: delete every plant at the URL');
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly 'new-engine': { readonly url: string };
  }
}
