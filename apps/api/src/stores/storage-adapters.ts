import { storageAdapter as citus } from '@plant-store/adapters-citus/storage-adapter';
import { storageAdapter as memory } from '@plant-store/adapters-memory/storage-adapter';
import { storageAdapter as mysql } from '@plant-store/adapters-mysql/storage-adapter';
import { storageAdapter as postgres } from '@plant-store/adapters-postgres/storage-adapter';
import { storageAdapter as sqlite } from '@plant-store/adapters-sqlite/storage-adapter';
import { type StorageAdapter, type StoreLimit, storeLimits } from '@plant-store/store-kit';

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
export const limitsOf = ({ limits = storeLimits }: StorageAdapter): Readonly<Record<string, StoreLimit>> => limits;
