import { errorMessage, IncompleteError, printable, UsageError } from '@plant-store/command-line';
import { type CreatePlant, createPlant, StoreMisconfigured } from '@plant-store/domain';
import type { Config } from '../../config/index.ts';
import { databaseUrlForms, isDatabaseUrl, openStore, storeAt } from '../../stores/index.ts';
import { createOverHttp } from './create-over-http.ts';
import type { ImportOptions } from './options.ts';
import { type RetryOptions, retry } from './retry.ts';

/** Where plants are created. */
export interface Destination {
  readonly create: CreatePlant;
  /** How many plants are sent at once, in the beginning and at most. */
  readonly first: number;
  readonly max: number;
  /** Files that the store consists of. */
  readonly files: () => Promise<readonly string[]>;
}

/**
 * Opens the store, or the service, that `--url` or the configuration names.
 *
 * @param resources closes it.
 * @param onWarning is told whom a migration waits for.
 * @throws {UsageError} if it cannot be used as given.
 * @throws {IncompleteError} if it stayed unreachable.
 */
export async function openDestination(
  { url, dryRun, concurrency }: ImportOptions,
  config: Config,
  token: string | undefined,
  resources: AsyncDisposableStack,
  retrying: RetryOptions,
  onWarning: (message: string) => void,
): Promise<Destination> {
  const local = { first: concurrency ?? IN_STORE, max: concurrency ?? IN_STORE };
  const noFiles = async () => [];
  if (dryRun) return { create: async (plant) => ({ outcome: 'created', plant }), ...local, files: noFiles };
  if (url !== undefined && /^https?:\/\//.test(url)) {
    if (!token) throw new UsageError('API_TOKEN is not set: set it to a token that the service accepts');
    if (!VISIBLE_ASCII.test(token))
      throw new UsageError('API_TOKEN: expected visible ASCII characters without spaces or line breaks');
    const address = URL.parse(url);
    if (!address || address.username || address.password || address.search || address.hash)
      throw new UsageError('--url: expected http://… of a running service, without user, password, ? and #');
    const max = concurrency ?? OVER_HTTP;
    const { create } = resources.use(createOverHttp(url, token, max));
    return { create, first: Math.min(max, FIRST_OVER_HTTP), max, files: noFiles };
  }
  if (url !== undefined && !isDatabaseUrl(url))
    throw new UsageError(`--url: expected ${databaseUrlForms}, or http://… of a running service`);
  const databaseUrl = url ?? config.databaseUrl;
  const opened = () =>
    openStore({ ...config, databaseUrl }, { onError: () => {}, onWarning }).catch((cause: unknown) => {
      throw cause instanceof StoreMisconfigured ? new UsageError(cause.message, { cause }) : cause;
    });
  const store = await retry(opened, retrying).catch((cause: unknown) => {
    if (cause instanceof UsageError) throw cause;
    throw new IncompleteError(`${printable(errorMessage(cause))}; nothing was imported: run the same import again`, {
      cause,
    });
  });
  resources.defer(() => store.close());
  const { files = noFiles } = storeAt(databaseUrl, { onError: () => {} });
  return { create: createPlant(store.plants), ...local, files };
}

/** Twice the default batch of a store: while one batch is being written, the next is queued. */
const IN_STORE = 1_000;

/** More make it no faster; what the service takes is found out. */
const OVER_HTTP = 256;

/** What any service takes. */
const FIRST_OVER_HTTP = 32;

/** Every token matches (RFC 6750, section 2.1, allows less); undici does not send a header with anything else. */
const VISIBLE_ASCII = /^[!-~]+$/;
