import { StoreUnavailable } from '@plant-store/domain';

/**
 * Waits for the work, but no longer than so many milliseconds. Work that is late goes on, with its connection, until
 * its statement has ended: destroying the connection would leave the backend behind on the server, and the next one
 * beside it.
 *
 * Kysely can abandon a statement by itself, but writes to the console when it fails later.
 *
 * @throws {StoreUnavailable} when the time is up.
 */
export async function answerWithin<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new StoreUnavailable(`PostgreSQL did not answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
