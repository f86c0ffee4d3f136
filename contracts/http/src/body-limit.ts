import { NotChecked } from '@plant-store/contracts-kit';
import type { DeployedService } from './deployed-service.ts';

/** The largest body that the service accepts, in bytes: 64 KiB by default. */
export function bodyLimitOf({ bodyLimit = 2 ** 16 }: DeployedService): number {
  return bodyLimit;
}

/** How many bytes a check may add to a plant, so that the service has to accept it: 1 MiB at most, as it may be stored. */
export function roomIn(service: DeployedService): number {
  return Math.min(bodyLimitOf(service), 2 ** 20) - 200;
}

/**
 * For a check that sends more than the service accepts.
 * @throws {NotChecked} if that is too much to send within the time-out of a response.
 */
export function expectLimitInReach(service: DeployedService): void {
  const limit = bodyLimitOf(service);
  if (limit > LARGEST_SENT)
    throw new NotChecked(
      `it would send a body larger than the limit of ${limit} bytes, and sends at most ${LARGEST_SENT}`,
    );
}

const LARGEST_SENT = 2 ** 26;
