import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { expectError, expectNotStored, expectPlant } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { following } from '../expectations/stored-plants.ts';
import { chunked, exchange, rawRequest } from '../http/raw-request.ts';
import { anyId, aPlant, jsonOf } from '../new-plants.ts';
import { ambiguous, badChunks, badLengths, chunk, goodChunks, hosts } from './framing-cases.ts';
import { badHeads, badRequestLines } from './head-cases.ts';

/** Where a request begins and ends (RFC 9112): what two parsers could read differently is refused. */
export const framingClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-45',
    title: 'ambiguous framing is refused, the connection closed, and nothing smuggled in the body is served',
    check: (service) =>
      forEachCase(ambiguous, async (lines) => {
        const [outer, smuggled] = [anyId(), anyId()];
        const inner = rawRequest(service, { body: jsonOf(aPlant({ id: smuggled })) });
        const body = `${chunk(jsonOf(aPlant({ id: outer })))}0\r\n\r\n${inner}`;
        const written = lines.map((line) => line.replace('LENGTH', String(body.length)));
        const bytes = rawRequest(service, { headers: { 'Content-Length': undefined }, lines: written, body });
        const refused = await exchange(service, written.join(' and '), bytes, { mustClose: true });
        expectError(refused, 'malformed-http');
        await expectNotStored(service, outer, refused);
        await expectNotStored(service, smuggled, refused);
      }),
  },
  {
    id: 'HC-46',
    title: 'a Content-Length that is not a plain number is refused',
    check: (service) =>
      forEachCase(badLengths, async (length) => {
        const plant = aPlant();
        const value = length.replaceAll('LENGTH', String(jsonOf(plant).length));
        const bytes = rawRequest(service, { headers: { 'Content-Length': value }, body: jsonOf(plant) });
        const refused = await exchange(service, `Content-Length: ${value}`, bytes, { mustClose: true });
        // A number too long for a parser may as well be a body that is too large.
        expectError(refused, /^\d+$/.test(value) ? ['malformed-http', 'body-too-large'] : 'malformed-http');
        await expectNotStored(service, plant.id, refused);
      }),
  },
  {
    id: 'HC-47',
    title: 'a chunked body is decoded correctly, with extensions and trailers, and the coding in any case',
    check: (service) =>
      forEachCase(goodChunks, async (frame) => {
        const plant = aPlant();
        const stored = await exchange(service, 'a chunked body', withChunks(service, frame(jsonOf(plant))));
        expectPlant(stored, plant);
        const upper = withChunks(service, frame(jsonOf(plant)), 'Chunked');
        expectPlant(following(stored, await exchange(service, 'the same body in Chunked', upper)), plant);
      }),
  },
  {
    id: 'HC-48',
    title: 'a chunked body with malformed framing, or with another coding, is refused',
    check: async (service) => {
      await forEachCase(badChunks, ([what, frame]) =>
        expectMalformed(service, what, (body) => withChunks(service, frame(body))),
      );
      const coded = withChunks(service, `${chunk(jsonOf(aPlant()))}0\r\n\r\n`, 'gzip, chunked');
      expectError(await exchange(service, 'a body in gzip, chunked', coded), 'malformed-http');
    },
  },
  {
    id: 'HC-49',
    title: 'a malformed head is refused and the connection closed',
    check: (service) =>
      forEachCase(badHeads, ([what, spoil]) =>
        expectMalformed(service, what, (body) => spoil(rawRequest(service, { body }))),
      ),
  },
  {
    id: 'HC-50',
    title: 'bytes that do not begin with an HTTP/1 request line are refused and the connection closed',
    check: (service) =>
      forEachCase(badRequestLines, ([what, line]) => {
        const written = line.replace('TARGET', targetOf(service, '/plants'));
        return expectMalformed(service, what, (body) => rawRequest(service, { line: written, body }));
      }),
  },
  {
    id: 'HC-51',
    title: 'an HTTP/1.1 request has one Host header: none, an empty one, or two, is refused',
    check: async (service) => {
      const { host } = new URL(service.baseUrl);
      await forEachCase(hosts, ([what, lines]) => {
        const request = { headers: { Host: undefined }, lines: lines.map((line) => line.replace('NAME', host)) };
        // Where it ends is clear.
        return expectMalformed(service, what, (body) => rawRequest(service, { ...request, body }), false);
      });
    },
  },
];

/** The bytes of a request with a plant must be refused, and store nothing. */
async function expectMalformed(
  service: DeployedService,
  what: string,
  write: (body: string) => string,
  mustClose = true,
): Promise<void> {
  const plant = aPlant();
  const refused = await exchange(service, what, write(jsonOf(plant)), { mustClose });
  expectError(refused, 'malformed-http');
  await expectNotStored(service, plant.id, refused);
}

function withChunks(service: DeployedService, body: string, coding = 'chunked'): string {
  return rawRequest(service, { headers: { ...chunked, 'Transfer-Encoding': coding }, body });
}
