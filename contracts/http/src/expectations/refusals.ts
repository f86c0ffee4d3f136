import { bodyLimitOf, type DeployedService } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import type { RawRequest } from '../http/raw-request.ts';

type OfIncomplete = 'malformed-http' | 'body-too-large';

/** For kinds of error, a complete request that gets it. */
export const refusals: Readonly<Record<Exclude<ErrorKind, OfIncomplete | 'id-taken' | 'request-timeout'>, RawRequest>> =
  {
    'malformed-json': { body: '{' },
    'not-a-new-plant': { body: '{}' },
    'unsupported-media-type': { headers: { 'Content-Type': 'text/plain' } },
    'missing-token': { headers: { Authorization: undefined } },
    'token-not-accepted': { headers: { Authorization: 'Bearer wrong' } },
    'no-such-path': { path: '/nothing' },
    'method-not-allowed': { method: 'PUT' },
  };

/** The same of requests after which the connection may be closed. */
export function lastRefusals(service: DeployedService): Readonly<Record<OfIncomplete, RawRequest>> {
  return {
    'malformed-http': { headers: { Host: undefined } },
    'body-too-large': { headers: { 'Content-Length': String(2 * bodyLimitOf(service)) } },
  };
}
