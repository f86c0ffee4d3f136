import { optionalTextFields } from '@plant-store/domain';
import { bodyLimitOf } from '../body-limit.ts';
import { closedAfter, type DeployedService, targetOf } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { create } from '../expectations/expectations.ts';
import { following } from '../expectations/stored-plants.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { firstResponse, rawRequest } from '../http/raw-request.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant } from '../new-plants.ts';

type Refused = (service: DeployedService) => Promise<HttpResponse>;

/** A request whose head never ends. */
export const slowRequest: Refused = (service) => sendRaw(service, rawRequest(service).slice(0, 40));

/** For each other kind of error that a client can cause, a request that does. */
export const refusals: Readonly<Record<Exclude<ErrorKind, 'request-timeout'>, Refused>> = {
  'malformed-json': (service) => create(service, '{'),
  'not-a-new-plant': (service) => create(service, '{"tag":7}'),
  'unsupported-media-type': (service) =>
    sendRequest(service, { headers: { 'content-type': 'text/plain' }, body: '{}' }),
  'body-too-large': (service) =>
    sendRaw(service, rawRequest(service, { headers: { 'Content-Length': String(2 * bodyLimitOf(service)) } })),
  'id-taken': async (service) => {
    const plant = aPlant();
    const stored = await create(service, plant);
    return following(stored, await create(service, aPlant({ id: plant.id }), 'another plant under the id just stored'));
  },
  'malformed-http': (service) => sendRaw(service, rawRequest(service, { headers: { Host: undefined } })),
  'missing-token': (service) => sendRequest(service, { headers: { authorization: undefined }, body: '{}' }),
  'token-not-accepted': (service) => sendRequest(service, { headers: { authorization: 'Bearer wrong' }, body: '{}' }),
  'no-such-path': (service) => sendRequest(service, { path: '/nothing', body: '{}' }),
  'method-not-allowed': (service) => {
    const line = `PUT ${targetOf(service, '/plants')} HTTP/1.1`;
    return sendRaw(service, rawRequest(service, { line }));
  },
};

/** JSON texts, and whether the schema accepts them as a NewPlant. */
export const bodies: readonly (readonly [text: string, isNewPlant: boolean])[] = [
  ['{"id":7,"name":"n"}', true],
  ['{"id":7,"name":""}', true],
  ['{"id":7.0,"name":"n"}', true],
  ['{"id":7,"name":"n","colour":"green"}', true],
  ['{}', false],
  ['[]', false],
  ['null', false],
  ['{"name":"n"}', false],
  ['{"id":7}', false],
  ['{"id":"7","name":"n"}', false],
  ['{"id":7.5,"name":"n"}', false],
  ['{"id":null,"name":"n"}', false],
  ['{"id":7,"name":7}', false],
  ['{"id":7,"name":null}', false],
  ...optionalTextFields.flatMap((field): [string, boolean][] => [
    [`{"id":7,"name":"n","${field}":"t"}`, true],
    [`{"id":7,"name":"n","${field}":""}`, true],
    [`{"id":7,"name":"n","${field}":7}`, false],
    [`{"id":7,"name":"n","${field}":null}`, false],
  ]),
];

/** For the round trip of a slow request. */
const ROUND_TRIP_MS = 1_500;

function sendRaw(service: DeployedService, bytes: string): Promise<HttpResponse> {
  return firstResponse(service, 'a request that is refused', bytes, closedAfter(service, 'head') + ROUND_TRIP_MS);
}
