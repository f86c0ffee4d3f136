import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { create, fail } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { firstResponse, rawRequest } from '../http/raw-request.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** `X-Request-Id`, by which a client and an operator refer to one request. */
export const requestIdClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-67',
    title: 'every response has the X-Request-Id of its request, if that is usable',
    check: (service) =>
      forEachCase(usable, async (id) => {
        const headers = { 'x-request-id': id };
        expectId(await sendRequest(service, { headers, body: jsonOf(aPlant()) }), id);
        expectId(await sendRequest(service, { headers, body: '{' }), id);
        expectId(await sendRequest(service, { headers: { ...headers, authorization: undefined }, body: '{}' }), id);
        expectId(await sendRequest(service, { headers, path: '/nothing', body: '{}' }), id);
        expectId(await raw(service, { headers: { 'X-Request-Id': id, Host: undefined } }), id);
        expectId(await raw(service, { headers: { 'X-Request-Id': id, Authorization: 'Bearer wrong' }, body: '{' }), id);
      }),
  },
  {
    id: 'HC-68',
    title: 'any other response has a new X-Request-Id, also if the request was malformed',
    check: async (service) => {
      const seen = new Set<string>();
      const expectNew = (response: HttpResponse, sent?: string) => {
        const id = response.headers.get('x-request-id') ?? '';
        if (!syntax.test(id) || id === sent || seen.has(id)) fail(response, 'an X-Request-Id that was not seen before');
        seen.add(id);
      };
      for (let count = 0; count < 3; count += 1) expectNew(await create(service, aPlant()));
      for (const id of unusable) expectNew(await raw(service, { headers: { 'X-Request-Id': id } }), id);
      expectNew(await raw(service, { lines: ['X-Request-Id: one', 'X-Request-Id: two'] }));
      expectNew(await raw(service, { lines: ['X-Request-Id'] }));
      const { host } = new URL(service.baseUrl);
      expectNew(await raw(service, { line: `CONNECT ${host} HTTP/1.1` }));
      expectNew(await raw(service, { line: `POST ${targetOf(service, '/%zz')} HTTP/1.1` }));
    },
  },
];

/** 1 to 128 characters that mean nothing in a log, a URL or a header. */
const syntax = /^[\w.~:/+=@-]{1,128}$/;

const usable = [
  '7',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'Root=1-67891233-abcdef012345678912345678',
  'a.b~c:d/e+f=g@h_i-j',
  'x'.repeat(128),
];

const unusable = ['x'.repeat(129), 'two words', '"quoted"', '{"level":60}', 'caf\u00e9', 'a;b', '%0d%0a', ''];

function expectId(response: HttpResponse, id: string): void {
  if (response.headers.get('x-request-id') !== id) fail(response, `x-request-id: ${id}, as in the request`);
}

function raw(service: DeployedService, request: Parameters<typeof rawRequest>[1]): Promise<HttpResponse> {
  return firstResponse(service, 'a request', rawRequest(service, request));
}
