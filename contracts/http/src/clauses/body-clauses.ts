import type { Clause } from '@plant-store/contracts-kit';
import { bodyLimitOf, expectLimitInReach, roomIn } from '../body-limit.ts';
import type { DeployedService } from '../deployed-service.ts';
import { create, expectError, expectNotStored, expectPlant, fail, isError } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { expectStillStored, following } from '../expectations/stored-plants.ts';
import { chunked, exchange, firstResponse, rawRequest } from '../http/raw-request.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { notJson, notObjects, notUtf8 } from './body-cases.ts';
import { chunk } from './framing-cases.ts';

/** Bodies that are not a NewPlant at all, and how large one may be. */
export const bodyClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-22',
    title: 'an absent body, or one that is not JSON, is refused',
    check: async (service) => {
      await forEachCase(notJson, async (body) => expectError(await create(service, body), 'malformed-json'));
      const absent = rawRequest(service, { headers: { 'Content-Length': undefined }, body: '' });
      expectError(await exchange(service, 'a request without a body', absent), 'malformed-json');
    },
  },
  {
    id: 'HC-23',
    title: 'a body that is not valid UTF-8, or begins with a byte order mark, is refused',
    check: (service) =>
      forEachCase(notUtf8, async ([about, encode]) => {
        const plant = aPlant();
        const refused = await sendRequest(service, { about, body: encode(jsonOf(plant)) });
        expectError(refused, 'malformed-json');
        await expectNotStored(service, plant.id, refused);
      }),
  },
  {
    id: 'HC-24',
    title: 'JSON that is not an object is refused as not a NewPlant',
    check: (service) =>
      forEachCase(notObjects, async (body) => expectError(await create(service, body), 'not-a-new-plant')),
  },
  {
    id: 'HC-25',
    title: 'brackets nested as deep as a body can be get the same response as any other body, and at once',
    check: async (service) => {
      const depth = Math.floor(roomIn(service) / 2);
      const [open, close] = ['['.repeat(depth), ']'.repeat(depth)];
      for (const body of [open, '{"":'.repeat(depth / 2)]) expectError(await create(service, body), 'malformed-json');
      expectError(await create(service, open + close), ['malformed-json', 'not-a-new-plant']);
      const plant = aPlant();
      const deep = await create(service, `${jsonOf(plant).slice(0, -1)},"x":${open}${close}}`);
      // A parser may set a limit on the depth of nesting (RFC 8259 section 9).
      if (deep.status === 200) expectPlant(deep, plant);
      else if (!isError(deep, ['malformed-json', 'not-a-new-plant']))
        fail(deep, 'the plant is created, or refused as too deep with 400 and the error 40001 or 40002');
      expectPlant(following(deep, await create(service, plant, 'the plant without the brackets')), plant);
    },
  },
  {
    id: 'HC-26',
    title:
      'a body as large as the limit, 64 KiB by default, is accepted, and one of a byte more is refused, however framed',
    check: async (service) => {
      expectLimitInReach(service);
      const limit = bodyLimitOf(service);
      await forEachCase([inOnePiece, inChunks], async (frame) => {
        const fits = aPlant();
        const whole = frame(service, padded(jsonOf(fits), limit));
        const stored = await exchange(service, `a body of ${limit} bytes, the limit,`, whole);
        expectPlant(stored, fits);
        await expectStillStored(service, fits, stored);
        const tooLarge = aPlant();
        const bytes = frame(service, padded(jsonOf(tooLarge), limit + 1));
        const refused = await exchange(service, `a body of ${limit + 1} bytes, one more than the limit,`, bytes);
        expectError(refused, 'body-too-large');
        await expectNotStored(service, tooLarge.id, refused);
      });
    },
  },
  {
    id: 'HC-27',
    title: 'a body that is declared too large is refused before it is sent',
    check: (service) =>
      forEachCase([bodyLimitOf(service) + 1, 10 ** 12, Number.MAX_SAFE_INTEGER], async (length) => {
        const head = rawRequest(service, { headers: { 'Content-Length': String(length) }, body: '' });
        const what = `a Content-Length of ${length} and nothing of the body`;
        expectError(await firstResponse(service, what, head), 'body-too-large');
      }),
  },
];

/** White space does not change the meaning of a JSON text, and is not stored. */
function padded(json: string, length: number): string {
  return json.padEnd(length, ' ');
}

function inOnePiece(service: DeployedService, body: string): string {
  return rawRequest(service, { body });
}

function inChunks(service: DeployedService, body: string): string {
  const chunks = body.match(/.{1,65536}/gs) ?? [];
  return rawRequest(service, { headers: chunked, body: `${chunks.map(chunk).join('')}0\r\n\r\n` });
}
