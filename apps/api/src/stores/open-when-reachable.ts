import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { retrying } from '../retrying.ts';

/** How long to wait before the store is opened again, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Opens a store; while it is unavailable, again every second.
 *
 * @param onUnavailable is told why: at first, and whenever the reason changes.
 * @throws what `open` throws if waiting does not help.
 */
export function openWhenReachable(
  open: () => Promise<PlantStore>,
  onUnavailable: (reason: string) => void,
): Promise<PlantStore> {
  return retrying({ everyMs: RETRY_MS, mayRecover, onRetry: onUnavailable })(open);
}

/**
 * Whether waiting may help. Once the server has rejected the password, the user or the database, it does not. A host name
 * that is unknown may belong to a container that has not started.
 */
export function mayRecover(error: unknown): boolean {
  return error instanceof StoreUnavailable && (!(error instanceof StoreMisconfigured) || isUnknownHost(error.cause));
}

function isUnknownHost(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isUnknownHost);
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && cause.code === 'ENOTFOUND') || isUnknownHost(cause.cause);
}
