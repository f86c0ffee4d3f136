import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import type { PlantServerOptions } from './plant-server.ts';
import { post, requestOf } from './serve.ts';

/** Makes the use case throw. */
export const failing = (error: unknown): PlantServerOptions => ({
  useCases: { createPlant: () => Promise.reject(error) },
});
export const close = { Connection: 'close' };
const refused = new PlantRefused('violates check constraint "small"', { cause: new Error('the row') });
const noKeys = { verify: () => Promise.reject(new VerifierUnavailable('no keys')) };
const noToken = { verify: async () => ({ accepted: false, reason: 'JWT: expired' }) as const };

/**
 * How a client gets an error: bytes that it sends, what the service is made of, and a reason that only the log has. Kinds that are
 * missing here are those of an operation, which a clause of its contract gets.
 */
export const causes: Readonly<Record<string, readonly [sent: string, options?: PlantServerOptions, reason?: string]>> =
  {
    'malformed-json': [post('{"id":7,x', close)],
    'not-a-new-plant': [post('{"name":7}', close)],
    'unsupported-media-type': [post('{}', { 'Content-Type': 'text/plain', ...close })],
    'body-too-large': [post('{}', { ...close }), { bodyLimit: 1 }],
    'id-taken': [post() + post('{"id":7,"name":"Moss"}', close)],
    'malformed-http': [
      'NONSENSE\r\n\r\n',
      {},
      'the request is not well-formed HTTP/1.1, or is ambiguous (HPE_INVALID_METHOD)',
    ],
    'request-timeout': ['POST /plants HTTP/1.1\r\n', { headersTimeout: 500 }],
    'plant-refused': [post('{"id":7,"name":"n"}', close), failing(refused), refused.message],
    'missing-token': [post('{}', { Authorization: undefined, ...close })],
    'token-not-accepted': [post('{}', close), { tokens: noToken }, 'JWT: expired'],
    'no-such-path': [requestOf('GET /nothing HTTP/1.1', '', close)],
    'method-not-allowed': [requestOf('PUT /plants HTTP/1.1', '', close)],
    'too-many-requests': [post() + post('{}', close), { requestsPerSecond: 1 }],
    'internal-error': [post(undefined, close), failing(new TypeError('defect'))],
    'store-unavailable': [post(undefined, close), failing(new StoreUnavailable('connect /run/db')), 'connect /run/db'],
    overloaded: [post(undefined, close), failing(new StoreOverloaded('2000 adds wait')), '2000 adds wait'],
    'token-check-unavailable': [post(undefined, close), { tokens: noKeys }, 'no keys'],
  };
