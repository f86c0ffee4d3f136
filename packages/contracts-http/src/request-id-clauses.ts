import type { Clause } from '@plant-store/contracts-kit';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import { onConnection } from './connection.ts';
import { type DeployedService, targetOf } from './deployed-service.ts';
import { every } from './every.ts';
import { rawRequest } from './exchange.ts';
import { broken, create } from './expectations.ts';
import { aPlant, jsonOf } from './new-plants.ts';

/** `X-Request-Id`, by which a caller and an operator talk about one request. */
export const requestIdClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-67',
    title: 'an answer, whatever it says, has the X-Request-Id of its request, where that is a usable one',
    check: (service) =>
      every(usable, async (id) => {
        const headers = { 'x-request-id': id };
        expectId(await ask(service, { headers, body: jsonOf(aPlant()) }), id);
        expectId(await ask(service, { headers, body: '{' }), id);
        expectId(await ask(service, { headers: { ...headers, authorization: undefined }, body: '{}' }), id);
        expectId(await ask(service, { headers, path: '/nothing', body: '{}' }), id);
        expectId(await raw(service, { headers: { 'X-Request-Id': id, Host: undefined } }), id);
        expectId(await raw(service, { headers: { 'X-Request-Id': id, Authorization: 'Bearer wrong' }, body: '{' }), id);
      }),
  },
  {
    id: 'HC-68',
    title: 'any other answer has an X-Request-Id of its own, those to what is no request included',
    check: async (service) => {
      const seen = new Set<string>();
      const expectNew = (answer: Answer, sent?: string) => {
        const id = answer.headers.get('x-request-id') ?? '';
        if (!syntax.test(id) || id === sent || seen.has(id)) broken(answer, 'an X-Request-Id that was not seen before');
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

function expectId(answer: Answer, id: string): void {
  if (answer.headers.get('x-request-id') !== id) broken(answer, `x-request-id: ${id}, as in the request`);
}

/** The first answer, whatever becomes of the connection. */
function raw(service: DeployedService, request: Parameters<typeof rawRequest>[1]): Promise<Answer> {
  return onConnection(service, 'a request', (connection) => {
    connection.send(rawRequest(service, request));
    return connection.answer();
  });
}
