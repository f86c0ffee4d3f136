import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { expectAllow, expectNotAllowed, methodsAt } from '../expectations/described-operations.ts';
import { expectAccepted, expectError, expectNotStored, expectPlant, fail } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { readDescription } from '../expectations/published-description.ts';
import { exchange, rawRequest } from '../http/raw-request.ts';
import { anyId, aPlant, jsonOf } from '../new-plants.ts';
import { badTargets, otherMethods, otherPaths, queries } from './address-cases.ts';

/** The paths and methods that are described, and no others. */
export const addressClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-38',
    title: 'a path that is not described gets 404, however similar to /plants; the root gets 404 or 405',
    check: async (service) => {
      const description = await readDescription(service);
      await forEachCase(otherPaths, async (path) => {
        const allowed = methodsAt(description, path);
        if (allowed.includes('POST')) return;
        const plant = aPlant();
        const line = `POST ${targetOf(service, path)} HTTP/1.1`;
        const response = await exchange(service, 'another path', rawRequest(service, { line, body: jsonOf(plant) }));
        if (allowed.length > 0) expectNotAllowed(response, allowed);
        else expectError(response, path === '/' ? atRoot : 'no-such-path');
        await expectNotStored(service, plant.id, response);
      });
    },
  },
  {
    id: 'HC-39',
    title: 'a query after /plants is ignored',
    check: (service) => forEachCase(queries, (query) => expectAccepted(service, { path: `/plants?${query}` })),
  },
  {
    id: 'HC-40',
    title: '/plants with a method that is not described gets 405, and Allow names those that are',
    check: async (service) => {
      const allowed = methodsAt(await readDescription(service), '/plants');
      const others = otherMethods.filter((method) => !allowed.includes(method));
      await forEachCase(others, async (method) => {
        const line = `${method} ${targetOf(service, '/plants')} HTTP/1.1`;
        const bare = rawRequest(service, { line, headers: noBody, body: '' });
        expectNotAllowed(await exchange(service, `the method ${method}`, bare), allowed);
        const id = anyId();
        const withBody = rawRequest(service, { line, body: jsonOf(aPlant({ id })) });
        const response = await exchange(service, `the method ${method} with a plant`, withBody);
        expectNotAllowed(response, allowed);
        await expectNotStored(service, id, response);
      });
    },
  },
  {
    id: 'HC-41',
    title: 'HEAD gets the response of GET, without a body',
    check: async (service) => {
      const allowed = methodsAt(await readDescription(service), '/plants');
      for (const [path, status] of [
        ['/plants', allowed.includes('HEAD') ? 200 : 405],
        ['/nothing', 404],
      ] as const) {
        const line = `HEAD ${targetOf(service, path)} HTTP/1.1`;
        const bytes = rawRequest(service, { line, headers: noBody, body: '' });
        const response = await exchange(service, `HEAD ${path}`, bytes, { toHead: true });
        if (response.status !== status) fail(response, `${status} without a body`);
        if (status === 405) expectAllow(response, allowed);
      }
    },
  },
  {
    id: 'HC-42',
    title: 'an unknown method is refused, and so is one in lower case',
    check: (service) =>
      forEachCase(['FOO', 'post', 'Post', 'POSTS', 'P', 'POST-X'], async (method) => {
        const id = anyId();
        const line = `${method} ${targetOf(service, '/plants')} HTTP/1.1`;
        const bytes = rawRequest(service, { line, body: jsonOf(aPlant({ id })) });
        const response = await exchange(service, `the method ${method}`, bytes);
        expectError(response, ['malformed-http', 'method-not-allowed']);
        await expectNotStored(service, id, response);
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
        ['', atRoot],
        ['?x=/plants', atRoot],
      ] as const) {
        const plant = aPlant();
        const line = `POST ${origin}${path.startsWith('/') ? targetOf(service, path) : path} HTTP/1.1`;
        const response = await exchange(
          service,
          'a target in absolute-form',
          rawRequest(service, { line, body: jsonOf(plant) }),
        );
        if (kind) expectError(response, kind);
        else expectPlant(response, plant);
      }
    },
  },
  {
    id: 'HC-44',
    title: 'an invalid target is refused, and so are * and CONNECT',
    check: (service) =>
      forEachCase(badTargets, async (line) => {
        const bytes = rawRequest(service, { line, headers: noBody, body: '' });
        const response = await exchange(service, `the request line ${line.slice(0, 40)}`, bytes);
        expectError(response, ['malformed-http', 'no-such-path']);
        if (/^CONNECT| \* /.test(line)) expectError(response, 'malformed-http');
      }),
  },
];

/** A service may lead from its root to what it has, with GET alone. */
const atRoot = ['no-such-path', 'method-not-allowed'] as const;
const noBody = { 'Content-Type': undefined, 'Content-Length': undefined };
