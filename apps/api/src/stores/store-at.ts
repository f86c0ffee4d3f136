import type { Engine, StoreAt, StoreOptions } from './engine.ts';
import { engines } from './engines.ts';

/**
 * The store that a `DATABASE_URL` names, not yet open.
 * @throws {Error} if no engine has such URLs ({@link isDatabaseUrl}).
 */
export function storeAt(url: string, options: StoreOptions): StoreAt {
  return engineOf(url).at(url, options);
}

/** Whether an engine has such URLs. */
export function isDatabaseUrl(url: string): boolean {
  return engines.some(({ urls }) => urls.test(url));
}

/** Whether several processes can open the store at the URL. */
export function isShared(url: string): boolean {
  return engineOf(url).shared;
}

/** The forms of a `DATABASE_URL`, for messages: «a, b or c». */
export const databaseUrlForms: string = formsOf(engines);

/** The forms of the URLs whose stores can be exported. */
export const exportUrlForms: string = formsOf(engines.filter(({ form, at }) => at(form, { onError: () => {} }).export));

/** Where `plant-store verify-store` works on each engine, one per line. */
export const scratchPlaces: string = engines
  .map(
    ({ form, scratchPlace }) => `  ${form.padEnd(Math.max(...engines.map((row) => row.form.length)))}  ${scratchPlace}`,
  )
  .join('\n');

function engineOf(url: string): Engine {
  const engine = engines.find(({ urls }) => urls.test(url));
  // Without the URL: it may contain a password.
  if (!engine) throw new Error(`no storage engine for this URL; expected ${databaseUrlForms}`);
  return engine;
}

function formsOf(rows: readonly Engine[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(rows.map(({ form }) => form));
}
