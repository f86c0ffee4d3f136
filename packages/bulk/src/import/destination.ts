import { errorMessage, IncompleteError, printable, UsageError } from '@plant-store/command-line';
import { type CreatePlant, createPlant, type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { createOverHttp } from './create-over-http.ts';
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

/** What a destination is opened with. */
export interface Opening {
  /** Closes it. */
  readonly resources: AsyncDisposableStack;
  readonly retrying: RetryOptions;
  /** Maximum plants in flight; the destination's own by default. */
  readonly concurrency: number | undefined;
  /** Is told whom a migration waits for, a printable line. */
  readonly onWarning: (message: string) => void;
}

/** Stores nothing, for a dry run. */
export function nowhere({ concurrency: max = IN_STORE }: Pick<Opening, 'concurrency'>): Destination {
  return { create: async (plant) => ({ outcome: 'created', plant }), first: max, max, files: async () => [] };
}

/**
 * A running service.
 *
 * @param url its base address, `http://…`.
 * @throws {UsageError} if it cannot be used as given.
 */
export function inService(url: string, token: string | undefined, { resources, concurrency }: Opening): Destination {
  if (!token) throw new UsageError('API_TOKEN is not set: set it to a token that the service accepts');
  if (!VISIBLE_ASCII.test(token))
    throw new UsageError('API_TOKEN: expected visible ASCII characters without spaces or line breaks');
  const address = URL.parse(url);
  if (!address || address.username || address.password || address.search || address.hash)
    throw new UsageError('--url: expected http://… of a running service, without user, password, ? and #');
  const max = concurrency ?? OVER_HTTP;
  const { create } = resources.use(createOverHttp(url, token, max));
  return { create, first: Math.min(max, FIRST_OVER_HTTP), max, files: async () => [] };
}

/**
 * A store, which is opened again as long as it is unavailable.
 *
 * @throws {UsageError} if it cannot be used as given.
 * @throws {IncompleteError} if it stayed unreachable.
 */
export async function inStore(
  open: () => Promise<PlantStore>,
  files: Destination['files'],
  { resources, retrying, concurrency: max = IN_STORE }: Opening,
): Promise<Destination> {
  const opened = () =>
    open().catch((cause: unknown) => {
      throw cause instanceof StoreMisconfigured ? new UsageError(cause.message, { cause }) : cause;
    });
  const store = await retry(opened, retrying).catch((cause: unknown) => {
    if (cause instanceof UsageError) throw cause;
    throw new IncompleteError(`${printable(errorMessage(cause))}; nothing was imported: run the same import again`, {
      cause,
    });
  });
  resources.defer(() => store.close());
  return { create: createPlant(store.plants), first: max, max, files };
}

/** Twice the default batch of a store: while one batch is being written, the next is queued. */
const IN_STORE = 1_000;

/** More make it no faster; what the service takes is found out. */
const OVER_HTTP = 256;

/** What any service takes. */
const FIRST_OVER_HTTP = 32;

/** Every token matches (RFC 6750, section 2.1, allows less); undici does not send a header with anything else. */
const VISIBLE_ASCII = /^[!-~]+$/;
