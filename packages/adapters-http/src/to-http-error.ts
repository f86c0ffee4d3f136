import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { fromFastify, HttpError, retryLater } from '@plant-store/http-edge';
import { InvalidJson, InvalidPlant } from '@plant-store/plant-json';

type Thrown = abstract new (...args: never[]) => Error;

/** What the store and the verifier throw, and what the client is told. The reason is for the log. */
const failures: readonly (readonly [Thrown, kind: string, message: string, headers?: typeof retryLater])[] = [
  [StoreOverloaded, 'overloaded', 'the store is overloaded; retry the same request', retryLater],
  [StoreUnavailable, 'store-unavailable', 'the store is unavailable; retry the same request', retryLater],
  [PlantRefused, 'plant-refused', 'the store refuses this plant; sending it again will not help'],
  [
    VerifierUnavailable,
    'token-check-unavailable',
    'the token cannot be checked right now; retry the same request',
    retryLater,
  ],
];

/** Maps whatever was thrown to an error response. The one place where errors of other packages become HTTP. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof InvalidJson) return new HttpError('malformed-json', `the body is ${error.message}`);
  if (error instanceof InvalidPlant) return new HttpError('not-a-new-plant', error.describe('the body'));
  for (const [thrown, kind, message, headers] of failures)
    if (error instanceof thrown) return new HttpError(kind, message, headers, error.message);
  return fromFastify(error);
}
