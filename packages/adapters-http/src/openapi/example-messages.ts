import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { bodyTooLarge, notFound, parserError, requireJson } from '@plant-store/http-edge';
import { parseJson, readNewPlant } from '@plant-store/plant-json';
import type { ErrorKind } from '../errors/catalogue.ts';
import { toHttpError } from '../errors/http-error.ts';
import { missingToken, tokenNotAccepted } from '../operations/authenticate.ts';
import { idTaken } from '../operations/create-plant.ts';
import { rateLimitExceeded } from '../operations/rate-limit.ts';

/** The message that a client gets with each kind of error, made by the code that sends it. */
export const exampleMessages: Readonly<Record<ErrorKind, string>> = {
  'malformed-json': thrownBy(() => parseJson(Buffer.from('{'))),
  'not-a-new-plant': thrownBy(() => readNewPlant({ tag: 7 })),
  'unsupported-media-type': thrownBy(() => requireJson({})),
  'body-too-large': bodyTooLarge().message,
  'id-taken': idTaken(7n).message,
  'malformed-http': parserError({ code: 'HPE_INVALID_METHOD' }).message,
  'request-timeout': parserError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }).message,
  'plant-refused': toHttpError(new PlantRefused('')).message,
  'missing-token': missingToken().message,
  'token-not-accepted': tokenNotAccepted().message,
  'no-such-path': notFound([]).message,
  'method-not-allowed': notFound(['POST']).message,
  'too-many-requests': rateLimitExceeded(10, 1).message,
  'internal-error': toHttpError(undefined).message,
  'store-unavailable': toHttpError(new StoreUnavailable('')).message,
  overloaded: toHttpError(new StoreOverloaded('')).message,
  'token-check-unavailable': toHttpError(new VerifierUnavailable('')).message,
};

function thrownBy(check: () => unknown): string {
  try {
    return String(check());
  } catch (error) {
    return toHttpError(error).message;
  }
}
