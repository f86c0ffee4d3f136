import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { fromFastify, HttpError, retryLater } from '@plant-store/http-edge';
import { InvalidJson, InvalidPlant } from '@plant-store/plant-json';
import type { ErrorKind } from './catalogue.ts';

/** Maps whatever was thrown to an error response. The one place where errors become HTTP. */
export function toHttpError(error: unknown): HttpError {
  return error instanceof HttpError ? error : (fromDomain(error) ?? fromFastify(error));
}

/** What the record, the store and the verifier throw. */
function fromDomain(error: unknown): HttpError<ErrorKind> | undefined {
  if (error instanceof InvalidJson) return new HttpError('malformed-json', `the body is ${error.message}`);
  if (error instanceof InvalidPlant) return new HttpError('not-a-new-plant', error.describe('the body'));
  if (error instanceof StoreOverloaded) {
    return new HttpError('overloaded', 'the store is overloaded; retry the same request', retryLater, error.message);
  }
  if (error instanceof StoreUnavailable) {
    return new HttpError(
      'store-unavailable',
      'the store is unavailable; retry the same request',
      retryLater,
      error.message,
    );
  }
  if (error instanceof PlantRefused) {
    const message = 'the store refuses this plant; sending it again will not help';
    return new HttpError('plant-refused', message, {}, error.message);
  }
  if (error instanceof VerifierUnavailable) {
    const message = 'the token cannot be checked right now; retry the same request';
    return new HttpError('token-check-unavailable', message, retryLater, error.message);
  }
  return undefined;
}
