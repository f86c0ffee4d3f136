import { type Clause, ContractViolation, show } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import { describedOperations } from '../expectations/described-operations.ts';
import { expectDescribed } from '../expectations/described-response.ts';
import { create, expectError, fail } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { readDescription, requestDescription } from '../expectations/published-description.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant } from '../new-plants.ts';
import { bodies, refusals, slowRequest } from './description-cases.ts';

/** The description that the service publishes: it is there, and the service does as it says. */
export const descriptionClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-62',
    title: '/openapi.json needs no token, and is served by GET and HEAD alone',
    check: async (service) => {
      const { body } = await requestDescription(service);
      for (const authorization of [undefined, 'Bearer wrong', `Bearer ${service.token}`]) {
        const response = await requestDescription(service, { authorization });
        if (response.status !== 200 || Buffer.compare(response.body, body) !== 0)
          fail(response, '200 and the same description for every client');
      }
      const head = await requestDescription(service, { method: 'HEAD' });
      if (head.status !== 200 || !head.headers.get('content-type')?.startsWith('application/json'))
        fail(head, '200 and application/json, as for GET');
      await forEachCase(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], async (method) => {
        const response = await requestDescription(service, { method });
        expectError(response, 'method-not-allowed');
        if (response.headers.get('allow') !== 'GET, HEAD') fail(response, '405 with Allow: GET, HEAD');
      });
    },
  },
  {
    id: 'HC-63',
    title:
      'it is OpenAPI 3.1, a version 1.x.y, under MIT, with bearerAuth for everything: createPlant, whose one parameter is an optional X-Request-Id, and other operations if they are there and need a token',
    check: async (service) => {
      const description = await readDescription(service);
      expectThat('openapi', String(description.at('openapi')).replace(/\.\d+$/, ''), '3.1');
      expectThat(
        'info > version',
        String(description.at('info', 'version')).replace(/^1(\.\d+){2}$/, '1.x.y'),
        '1.x.y',
      );
      for (const [names, expected] of facts) expectThat(names.join(' > '), description.at(...names), expected);
      await forEachCase(describedOperations(description), async ({ method, path, hasBody }) => {
        const headers = { authorization: undefined, ...(hasBody ? {} : { 'content-type': undefined }) };
        const request = { method, path: path.replaceAll(/\{[^{}]*\}/g, '7'), headers };
        expectError(await sendRequest(service, hasBody ? { ...request, body: '{}' } : request), 'missing-token');
      });
    },
  },
  {
    id: 'HC-64',
    title: 'every response is as described: its status, its headers, the members of its body and its error number',
    check: async (service) => {
      const description = await readDescription(service);
      for (const plant of [aPlant(), aPlant({ tag: 'shade' })])
        expectDescribed(description, await create(service, plant), responses);
      await forEachCase(Object.values(refusals), async (refused) =>
        expectDescribed(description, await refused(service), responses),
      );
    },
  },
  {
    id: 'HC-65',
    title: 'the schema of the request body accepts a NewPlant and nothing else',
    check: async (service) => {
      const description = await readDescription(service);
      for (const [text, isNewPlant] of bodies) {
        const fault = description.faultOf(JSON.parse(text), ...requestBody, 'content', 'application/json', 'schema');
        if (isNewPlant === (fault === undefined)) continue;
        const expected = isNewPlant ? 'a NewPlant' : 'not a NewPlant';
        throw new ContractViolation(
          `held ${text} against the schema in /openapi.json`,
          fault ?? 'it is valid',
          expected,
        );
      }
    },
  },
  {
    id: 'HC-66',
    title: 'the response to a request that takes too long is as described, too',
    check: async (service) => expectDescribed(await readDescription(service), await slowRequest(service), responses),
  },
];

const operation = ['paths', '/plants', 'post'];
const parameters = [...operation, 'parameters'];
/** Those to other paths and methods are among them: OpenAPI has no other place for them. */
const responses = [...operation, 'responses'];
const requestBody = [...operation, 'requestBody'];
const bearerAuth = ['components', 'securitySchemes', 'bearerAuth'];

const facts: readonly (readonly [names: readonly string[], expected: unknown])[] = [
  [['info', 'title'], 'Plant Store Service Interface'],
  [['info', 'license', 'identifier'], 'MIT'],
  [['security'], [{ bearerAuth: [] }]],
  [[...bearerAuth, 'type'], 'http'],
  [[...bearerAuth, 'scheme'], 'bearer'],
  [[...operation, 'operationId'], 'createPlant'],
  [[...operation, 'security'], undefined],
  [[...parameters, 'length'], 1],
  [[...parameters, '0', 'name'], 'X-Request-Id'],
  [[...parameters, '0', 'in'], 'header'],
  [[...parameters, '0', 'required'], false],
  [[...requestBody, 'required'], true],
];

function expectThat(what: string, actual: unknown, expected: unknown): void {
  if (show(actual) !== show(expected))
    throw new ContractViolation('read /openapi.json', `${what}: ${show(actual)}`, `${what}: ${show(expected)}`);
}
