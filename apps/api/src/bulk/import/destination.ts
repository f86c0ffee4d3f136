import { type CreatePlant, createPlant, StoreMisconfigured } from '@plant-store/domain';
import type { Config } from '../../config/index.ts';
import { errorMessage, IncompleteError, UsageError } from '../../errors.ts';
import { databaseUrlForms, isDatabaseUrl, openStore } from '../../stores/index.ts';
import { createOverHttp } from './create-over-http.ts';
import type { ImportOptions } from './options.ts';
import { type RetryOptions, retry } from './retry.ts';

/** Where plants are created. */
export interface Destination {
  readonly create: CreatePlant;
  /** The default of --concurrency. */
  readonly concurrency: number;
}

/**
 * Opens the store, or the service, that `--url` or the configuration names.
 *
 * @param resources closes it.
 * @throws {UsageError} if it cannot be used as given.
 * @throws {IncompleteError} if it stayed unreachable.
 */
export async function openDestination(
  { url, dryRun }: ImportOptions,
  config: Config,
  token: string | undefined,
  resources: AsyncDisposableStack,
  retrying: RetryOptions,
): Promise<Destination> {
  if (dryRun) return { create: async (plant) => ({ outcome: 'created', plant }), concurrency: 1_000 };
  if (url !== undefined && /^https?:\/\//.test(url)) {
    if (!token) throw new UsageError('API_TOKEN is not set: set it to a token that the service accepts');
    if (!VISIBLE_ASCII.test(token))
      throw new UsageError('API_TOKEN: expected visible ASCII characters without spaces or line breaks');
    const address = URL.parse(url);
    if (!address || address.username || address.password || address.search || address.hash)
      throw new UsageError('--url: expected http://… of a running service, without user, password, ? and #');
    return { create: createOverHttp(url, token), concurrency: 64 };
  }
  if (url !== undefined && !isDatabaseUrl(url))
    throw new UsageError(`--url: expected ${databaseUrlForms}, or http://… of a running service`);
  const opened = () =>
    openStore({ ...config, ...(url !== undefined && { databaseUrl: url }) }, { onError: () => {} }).catch(
      (cause: unknown) => {
        throw cause instanceof StoreMisconfigured ? new UsageError(cause.message, { cause }) : cause;
      },
    );
  const store = await retry(opened, retrying).catch((cause: unknown) => {
    if (cause instanceof UsageError) throw cause;
    throw new IncompleteError(`${errorMessage(cause)}; nothing was imported: run the same import again`, { cause });
  });
  resources.defer(() => store.close());
  // Twice the default batch of a store: while one batch is being written, the next is queued.
  return { create: createPlant(store.plants), concurrency: 1_000 };
}

/** Every token matches (RFC 6750, section 2.1, allows less); fetch does not send a header with anything else. */
const VISIBLE_ASCII = /^[!-~]+$/;
