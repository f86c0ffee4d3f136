import type { IncomingMessage } from 'node:http';
import { type Clause, ContractViolation, show } from '@plant-store/contracts-kit';
import { optionalTextFields } from '@plant-store/domain';
import type { DeployedService } from '../deployed-service.ts';
import {
  allRejectedRequests,
  create,
  expectError,
  expectNotAllowed,
  fail,
  forEachCase,
} from '../expectations/expectations.ts';
import {
  describedOperations,
  expectDescribed,
  operation,
  readDescription,
  requestDescription,
} from '../expectations/published-description.ts';
import { firstResponse, noBody } from '../http/raw-request.ts';
import * as change from '../mutation.ts';
import { aFullPlant, aPlant } from '../new-plants.ts';

/** The published OpenAPI description, and what every response has in common. */
export const descriptionClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-40',
    shows: 'P4',
    title: '/openapi.json needs no token, and allows only GET and HEAD',
    check: async (service) => {
      const { body } = await requestDescription(service);
      for (const Authorization of [undefined, 'Bearer wrong', 'Bearer {token}']) {
        const response = await requestDescription(service, { headers: { Authorization } });
        if (response.status !== 200 || Buffer.compare(response.body, body) !== 0)
          fail(response, '200 and the same description for every client');
      }
      const head = await requestDescription(service, { method: 'HEAD' });
      if (head.status !== 200 || !head.headers.get('content-type')?.startsWith('application/json'))
        fail(head, '200 and application/json, as for GET');
      await forEachCase(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], async (method) => {
        const response = await requestDescription(service, { method });
        expectError(response, 'method-not-allowed');
        expectNotAllowed(response, ['GET', 'HEAD']);
      });
    },
    mutants: {
      'rejects a wrong token': hidingFrom(({ headers }) => headers.authorization === 'Bearer wrong'),
      'requires a token for the description': hidingFrom(({ headers }) => !headers.authorization),
      'says more with a token': change.publishing(({ body }, { headers }) => ({
        body: `${body}${headers.authorization ? ' ' : ''}`,
      })),
      'serves the description to GET only': hidingFrom(({ method }) => method === 'HEAD'),
      'takes POST for GET': change.publishing((_, { method }) => (method === 'POST' ? { status: 200, body: {} } : {})),
      'forgets HEAD in Allow': change.publishing(({ headers }) =>
        headers['allow'] ? { headers: { allow: 'GET' } } : {},
      ),
    },
  },
  {
    id: 'HC-41',
    shows: 'P4 P7/F8',
    title:
      'the description is OpenAPI 3.1, version 1.x.y, licence MIT, with bearerAuth; createPlant has the body NewPlant; any other operation needs a token',
    check: async (service) => {
      const description = await readDescription(service);
      for (const [names, expected] of facts) {
        const actual = description.at(...names);
        const isEqual = expected instanceof RegExp ? expected.test(String(actual)) : show(actual) === show(expected);
        const what = names.join(' > ');
        if (!isEqual)
          throw new ContractViolation('read /openapi.json', `${what}: ${show(actual)}`, `${what}: ${show(expected)}`);
      }
      for (const [text, isNewPlant] of bodies) {
        const fault = description.findFault(JSON.parse(text), schema);
        if (isNewPlant === (fault === undefined)) continue;
        const expected = isNewPlant ? 'a NewPlant' : 'not a NewPlant';
        throw new ContractViolation(
          `validated ${text} by the schema of the request body`,
          fault ?? 'it is valid',
          expected,
        );
      }
      await forEachCase(describedOperations(description), async ({ method, path, hasBody }) => {
        const headers = { ...(hasBody ? {} : noBody.headers), Authorization: undefined };
        const request = { method, path: path.replaceAll(/\{[^{}]*\}/g, '7'), headers, body: hasBody ? '{}' : '' };
        expectError(await firstResponse(service, 'a request without a token', request), 'missing-token');
      });
    },
    mutants: {
      'publishes OpenAPI 3.0': change.describing('openapi', '3.0.4'),
      'describes the operation as one without authentication': change.describing(
        'paths > /plants > post > security',
        [],
      ),
      'describes a method that it does not have': change.describing('paths > /plants > get', {}),
      'describes the name as optional': change.describing('components > schemas > NewPlant > required', ['id']),
      'describes NewPlant as closed to other members': change.describing(
        'components > schemas > NewPlant > additionalProperties',
        false,
      ),
    },
  },
  {
    id: 'HC-42',
    shows: 'P4/F7',
    title:
      'every response is as described: its status, its headers, the members of its body and its error number; and has X-Content-Type-Options: nosniff',
    check: async (service) => {
      const description = await readDescription(service);
      const stored = aFullPlant();
      const responses = [
        await create(service, stored),
        await create(service, aPlant()),
        await create(service, aPlant({ id: stored.id }), 'another plant under an id just stored'),
      ];
      for (const request of allRejectedRequests) responses.push(await firstResponse(service, 'a request', request));
      for (const response of responses) expectDescribed(description, response);
      for (const response of [...responses, await requestDescription(service)])
        if (response.headers.get('x-content-type-options') !== 'nosniff')
          fail(response, 'X-Content-Type-Options: nosniff, so that a browser uses the declared media type');
    },
    mutants: {
      'leaves 401 out of the description': change.describing('paths > /plants > post > responses > 401', undefined),
      'describes errors by an invalid schema': change.describing('components > schemas > Error > type', 'record'),
      'returns a member that it does not describe': change.created((plant) => ({ id: 7, ...plant })),
      'returns a number that it does not describe': change.record('malformed-json', () => ({ error: 40_099 })),
      'describes a challenge that it does not send': change.errorHeaders('missing-token', {
        'www-authenticate': undefined,
      }),
      'sends nosniff with errors only': change.created((plant) => plant, 200, { 'x-content-type-options': undefined }),
      'sends the description without nosniff': change.publishing(() => ({
        headers: { 'x-content-type-options': undefined },
      })),
    },
  },
];

const requestBody = [...operation, 'requestBody'];
const schema = [...requestBody, 'content', 'application/json', 'schema'];
const bearerAuth = ['components', 'securitySchemes', 'bearerAuth'];

/** Paths of names in the description, and the value there. */
const facts: readonly (readonly [names: readonly string[], expected: unknown])[] = [
  [['openapi'], /^3\.1\.\d+$/],
  [['info', 'version'], /^1\.\d+\.\d+$/],
  [['info', 'title'], 'Plant Store Service Interface'],
  [['info', 'license', 'identifier'], 'MIT'],
  [['security'], [{ bearerAuth: [] }]],
  [[...bearerAuth, 'type'], 'http'],
  [[...bearerAuth, 'scheme'], 'bearer'],
  [[...operation, 'operationId'], 'createPlant'],
  [[...operation, 'security'], undefined],
  [[...requestBody, 'required'], true],
];

/** JSON texts, and whether the schema accepts them as a NewPlant. */
const bodies: readonly (readonly [text: string, isNewPlant: boolean])[] = [
  ['{"id":7,"name":""}', true],
  ['{"id":7.0,"name":"n","colour":"green"}', true],
  ['{"id":7}', false],
  ['{"name":"n"}', false],
  ['{"id":"7","name":"n"}', false],
  ['{"id":7.5,"name":"n"}', false],
  ['{"id":7,"name":null}', false],
  ...optionalTextFields.flatMap((field): [string, boolean][] => [
    [`{"id":7,"name":"n","${field}":""}`, true],
    [`{"id":7,"name":"n","${field}":7}`, false],
    [`{"id":7,"name":"n","${field}":null}`, false],
  ]),
];

/** Some requests for the description get 401. */
function hidingFrom(isRejected: (request: IncomingMessage) => boolean): change.HttpMutation {
  return change.publishing((_outgoing, request) =>
    isRejected(request) ? { status: 401, body: { error: 40101 } } : {},
  );
}
