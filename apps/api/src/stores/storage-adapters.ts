import { storageAdapter as citus } from '@plant-store/adapters-citus/storage-adapter';
import { storageAdapter as memory } from '@plant-store/adapters-memory/storage-adapter';
import { storageAdapter as mysql } from '@plant-store/adapters-mysql/storage-adapter';
import { storageAdapter as postgres } from '@plant-store/adapters-postgres/storage-adapter';
import { storageAdapter as sqlite } from '@plant-store/adapters-sqlite/storage-adapter';
import type { StorageAdapter } from '@plant-store/store-kit';

/** The storage adapters of this repository. A new one is one more name here. */
export const storageAdapters: readonly StorageAdapter[] = [postgres, citus, mysql, sqlite, memory];

/**
 * The adapter that has such URLs; undefined if none has.
 * @param outside one more, which has none of the URLs of those.
 */
export function adapterFor(url: string, outside?: StorageAdapter): StorageAdapter | undefined {
  return storageAdapters.find(({ urls }) => urls.test(url)) ?? (outside?.urls.test(url) ? outside : undefined);
}

/** The forms of a `DATABASE_URL`, for messages: «a, b or c». */
export function urlForms(): string {
  const forms = storageAdapters.map(({ form }) => form);
  // Not Intl.ListFormat: it costs each command 15 ms.
  return `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
}
