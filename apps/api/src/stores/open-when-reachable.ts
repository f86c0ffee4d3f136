import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { retrying } from '../retrying.ts';

/** The pause between attempts to open the store, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Opens a store, and retries every second while it is unavailable.
 *
 * @param onUnavailable called with each new reason.
 * @throws the error of `open` if waiting does not help.
 */
export function openWhenReachable(
  open: () => Promise<PlantStore>,
  onUnavailable: (reason: string) => void,
): Promise<PlantStore> {
  return retrying({ everyMs: RETRY_MS, mayRecover, onRetry: onUnavailable })(open);
}

/**
 * Whether waiting may resolve this error. It does not if the server has rejected the password, the user or the database. An
 * unknown host name may belong to a container that has not started.
 */
export function mayRecover(error: unknown): boolean {
  return StoreUnavailable.is(error) && (!StoreMisconfigured.is(error) || isUnknownHost(error.cause));
}

function isUnknownHost(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isUnknownHost);
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && cause.code === 'ENOTFOUND') || isUnknownHost(cause.cause);
}
