import { errorMessage, UsageError } from '@plant-store/command-line';
import type { StoreHarness } from '@plant-store/contracts-stores';
import type { StorageAdapter, StoreAt, StoreOptions } from '@plant-store/store-kit';
import { engines, sampleUrl } from './engines.ts';
import { outsideAdapter } from './outside-adapter.ts';

/** The engines of the table, before the one from outside: no adapter takes the URLs of another. */
function known(): readonly StorageAdapter[] {
  const { adapter } = outsideAdapter();
  return adapter ? [...engines, adapter] : engines;
}

/**
 * The store that a `DATABASE_URL` names, not yet open.
 * @throws {Error} if no engine has such URLs ({@link isDatabaseUrl}).
 * @throws {UsageError} if the URL cannot be used.
 */
export function storeAt(url: string, options: StoreOptions): StoreAt {
  const { fault } = checkDatabaseUrl(url);
  if (fault) throw new UsageError(fault);
  return engineOf(url).at(url, options);
}

/** What an operator should know of a URL that an engine has, without connecting. Neither repeats a part of it. */
export interface UrlCheck {
  /** Why it cannot be used. */
  readonly fault?: string;
  /** Why it should not be used as it is. In production that is a fault. */
  readonly warning?: string;
}

/** Checks a URL that an engine has ({@link isDatabaseUrl}). */
export function checkDatabaseUrl(url: string): UrlCheck {
  // What is behind it would become a part of the name of the file, or of the database.
  if (/[\r\n]/.test(url)) return { fault: 'the URL has a line break; write one URL, on one line' };
  try {
    const { isPlaintext, tls } = engineOf(url);
    return tls && isPlaintext?.(url) ? { warning: unencrypted(tls) } : {};
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}

function unencrypted({ verified, disabled }: NonNullable<StorageAdapter['tls']>): string {
  return `the connection is not encrypted, so the password and the plants can be read on the way: add ${verified}, or ${disabled} if nobody else is on its network`;
}

/** Whether an engine has such URLs. */
export function isDatabaseUrl(url: string): boolean {
  return known().some(({ urls }) => urls.test(url));
}

/** Whether an engine has such URLs and needs no server, so that nothing in the URL is a secret. */
export function isPlaceOnThisMachine(url: string): boolean {
  return known().some(({ form, urls }) => !form.includes('//') && urls.test(url));
}

/**
 * What `plant-store verify-store` checks the contract against: scratch places beside the store at a URL, which stays
 * untouched. If a place cannot be prepared, nothing is left behind and the error says what is needed.
 *
 * @throws {UsageError} if the adapter from outside has no harness.
 */
export async function harnessAt(url: string): Promise<StoreHarness> {
  const own = engines.find(({ urls }) => urls.test(url));
  if (own) return own.harness(url);
  const { module, harness } = outsideAdapter();
  if (harness) return harness(url);
  throw new UsageError(`${module} exports no storeHarness, so there is nothing to check ${engineOf(url).form} with`);
}

/** The forms of a `DATABASE_URL`, for messages: «a, b or c». */
export function databaseUrlForms(): string {
  return formsOf(known());
}

/** The forms of the URLs whose stores can be exported. */
export function exportUrlForms(): string {
  return formsOf(known().filter((row) => row.at(sampleUrl(row), { onError: () => {} }).export));
}

/** Where `plant-store verify-store` works on each engine, one per line. */
export function scratchPlaces(): string {
  const width = Math.max(...known().map(({ form }) => form.length));
  return known()
    .map(({ form, scratchPlace }) => `  ${form.padEnd(width)}  ${scratchPlace}`)
    .join('\n');
}

function engineOf(url: string): StorageAdapter {
  const engine = known().find(({ urls }) => urls.test(url));
  // Without the URL: it may contain a password.
  if (!engine) throw new Error(`no storage engine for this URL; expected ${databaseUrlForms()}`);
  return engine;
}

function formsOf(rows: readonly StorageAdapter[]): string {
  const forms = rows.map(({ form }) => form);
  const { fault } = outsideAdapter();
  // Whoever reads which URLs are expected looks for its own.
  const note = fault ? ` (STORAGE_ADAPTER: ${fault})` : '';
  // Not Intl.ListFormat: it costs each command 15 ms.
  return [forms.slice(0, -1).join(', '), ...forms.slice(-1)].filter(Boolean).join(' or ') + note;
}
