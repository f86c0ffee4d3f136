import type { Clause } from '@plant-store/contracts-kit';
import { badTargets, otherMethods, otherPaths, queries } from './address-cases.ts';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import { type DeployedService, targetOf } from './deployed-service.ts';
import { every } from './every.ts';
import { exchange, rawRequest } from './exchange.ts';
import { broken, expectError, expectNotStored, expectPlant } from './expectations.ts';
import { anyId, aPlant, jsonOf } from './new-plants.ts';

/** The one address and the one method. */
export const addressClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-38',
    title: 'a path that is not /plants is answered 404, however much it resembles it',
    check: (service) =>
      every(otherPaths, async (path) => {
        const plant = aPlant();
        const line = `POST ${targetOf(service, path)} HTTP/1.1`;
        const answer = await exchange(service, 'another path', rawRequest(service, { line, body: jsonOf(plant) }));
        expectError(answer, 'no-such-path');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-39',
    title: 'a query behind /plants is ignored',
    check: (service) =>
      every(queries, async (query) => {
        const plant = aPlant();
        expectPlant(await ask(service, { path: `/plants?${query}`, body: jsonOf(plant) }), plant);
      }),
  },
  {
    id: 'HC-40',
    title: '/plants with another method is answered 405 with Allow: POST',
    check: async (service) => {
      await every(otherMethods, async (method) => {
        const line = `${method} ${targetOf(service, '/plants')} HTTP/1.1`;
        const bare = rawRequest(service, { line, headers: noBody, body: '' });
        expectNotAllowed(await exchange(service, `the method ${method}`, bare));
        const id = anyId();
        const withBody = rawRequest(service, { line, body: jsonOf(aPlant({ id })) });
        const answer = await exchange(service, `the method ${method} with a plant`, withBody);
        expectNotAllowed(answer);
        await expectNotStored(service, id, answer);
      });
    },
  },
  {
    id: 'HC-41',
    title: 'HEAD is answered as GET is, without a body',
    check: async (service) => {
      for (const [path, status] of [
        ['/plants', 405],
        ['/nothing', 404],
      ] as const) {
        const line = `HEAD ${targetOf(service, path)} HTTP/1.1`;
        const bytes = rawRequest(service, { line, headers: noBody, body: '' });
        const answer = await exchange(service, `HEAD ${path}`, bytes, { toHead: true });
        if (answer.status !== status) broken(answer, `${status} without a body`);
        if (status === 405 && answer.headers.get('allow') !== 'POST') broken(answer, '405 with Allow: POST');
      }
    },
  },
  {
    id: 'HC-42',
    title: 'a method that HTTP does not know is refused, and so is one in lower case',
    check: (service) =>
      every(['FOO', 'post', 'Post', 'POSTS', 'P', 'POST-X'], async (method) => {
        const id = anyId();
        const line = `${method} ${targetOf(service, '/plants')} HTTP/1.1`;
        const bytes = rawRequest(service, { line, body: jsonOf(aPlant({ id })) });
        const answer = await exchange(service, `the method ${method}`, bytes);
        expectError(answer, ['malformed-http', 'method-not-allowed']);
        await expectNotStored(service, id, answer);
      }),
  },
  {
    id: 'HC-43',
    title: 'the target may be in absolute-form, as a proxy sends it',
    check: async (service) => {
      const { origin } = new URL(service.baseUrl);
      for (const [path, kind] of [
        ['/plants', undefined],
        ['/plants?x=1', undefined],
        ['/nothing', 'no-such-path'],
        ['', 'no-such-path'],
        ['?x=/plants', 'no-such-path'],
      ] as const) {
        const plant = aPlant();
        const line = `POST ${origin}${path.startsWith('/') ? targetOf(service, path) : path} HTTP/1.1`;
        const answer = await exchange(
          service,
          'a target in absolute-form',
          rawRequest(service, { line, body: jsonOf(plant) }),
        );
        if (kind) expectError(answer, kind);
        else expectPlant(answer, plant);
      }
    },
  },
  {
    id: 'HC-44',
    title: 'a target that leads nowhere is refused, and CONNECT is',
    check: (service) =>
      every(badTargets, async (line) => {
        const bytes = rawRequest(service, { line, headers: noBody, body: '' });
        const answer = await exchange(service, `the request line ${line.slice(0, 40)}`, bytes);
        expectError(answer, ['malformed-http', 'no-such-path']);
        if (line.startsWith('CONNECT')) expectError(answer, 'malformed-http');
      }),
  },
];

const noBody = { 'Content-Type': undefined, 'Content-Length': undefined };

function expectNotAllowed(answer: Answer): void {
  expectError(answer, 'method-not-allowed');
  if (answer.headers.get('allow') !== 'POST') broken(answer, '405 with Allow: POST');
}
