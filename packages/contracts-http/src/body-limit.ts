import { NotChecked } from '@plant-store/contracts-kit';
import type { DeployedService } from './deployed-service.ts';

/** The largest body that the service accepts, in bytes. */
export function bodyLimitOf({ bodyLimit = 2 ** 20 }: DeployedService): number {
  return bodyLimit;
}

/**
 * For a check that sends a body of this many bytes, which the service has to accept.
 * @throws {NotChecked} if its body limit is smaller.
 */
export function expectRoomFor(service: DeployedService, bytes: number): void {
  const limit = bodyLimitOf(service);
  if (limit < bytes) throw new NotChecked(`it sends bodies of ${bytes} bytes, and the given body limit is ${limit}`);
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
