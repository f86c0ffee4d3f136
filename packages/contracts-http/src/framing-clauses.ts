import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from './deployed-service.ts';
import { every } from './every.ts';
import { exchange, rawRequest } from './exchange.ts';
import { expectError, expectNotStored, expectPlant } from './expectations.ts';
import { ambiguous, badChunks, badLengths, chunk, goodChunks, hosts } from './framing-cases.ts';
import { badHeads, badRequestLines } from './head-cases.ts';
import { anyId, aPlant, jsonOf } from './new-plants.ts';
import { behind } from './stored-plants.ts';

/** Where a request begins and ends (RFC 9112): what two parsers could read in two ways is refused. */
export const framingClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-45',
    title: 'ambiguous framing is refused, the connection closed, and nothing smuggled in the body is served',
    check: (service) =>
      every(ambiguous, async (lines) => {
        const [outer, smuggled] = [anyId(), anyId()];
        const inner = rawRequest(service, { body: jsonOf(aPlant({ id: smuggled })) });
        const body = `${chunk(jsonOf(aPlant({ id: outer })))}0\r\n\r\n${inner}`;
        const written = lines.map((line) => line.replace('LENGTH', String(body.length)));
        const bytes = rawRequest(service, { headers: { 'Content-Length': undefined }, lines: written, body });
        const answer = await exchange(service, written.join(' and '), bytes, { mustClose: true });
        expectError(answer, 'malformed-http');
        await expectNotStored(service, outer, answer);
        await expectNotStored(service, smuggled, answer);
      }),
  },
  {
    id: 'HC-46',
    title: 'a Content-Length that is not a plain number is refused',
    check: (service) =>
      every(badLengths, async (length) => {
        const plant = aPlant();
        const value = length.replaceAll('LENGTH', String(jsonOf(plant).length));
        const bytes = rawRequest(service, { headers: { 'Content-Length': value }, body: jsonOf(plant) });
        const answer = await exchange(service, `Content-Length: ${value}`, bytes, { mustClose: true });
        // A number too long for a parser may as well be a body that is too large.
        expectError(answer, /^\d+$/.test(value) ? ['malformed-http', 'body-too-large'] : 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-47',
    title: 'a chunked body is read right, with extensions and trailers, and the coding in any case',
    check: (service) =>
      every(goodChunks, async (frame) => {
        const plant = aPlant();
        const stored = await exchange(service, 'a chunked body', chunked(service, frame(jsonOf(plant))));
        expectPlant(stored, plant);
        const upper = chunked(service, frame(jsonOf(plant)), 'Chunked');
        expectPlant(behind(stored, await exchange(service, 'the same body in Chunked', upper)), plant);
      }),
  },
  {
    id: 'HC-48',
    title: 'a chunked body with a fault in its framing, or encoded in another way too, is refused',
    check: async (service) => {
      await every(badChunks, async ([what, frame]) => {
        const plant = aPlant();
        const bytes = chunked(service, frame(jsonOf(plant)));
        const answer = await exchange(service, what, bytes, { mustClose: true });
        expectError(answer, 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      });
      const coded = chunked(service, `${chunk(jsonOf(aPlant()))}0\r\n\r\n`, 'gzip, chunked');
      expectError(await exchange(service, 'a body in gzip, chunked', coded), 'malformed-http');
    },
  },
  {
    id: 'HC-49',
    title: 'a malformed head is refused and the connection closed',
    check: (service) =>
      every(badHeads, async ([what, spoil]) => {
        const plant = aPlant();
        const bytes = spoil(rawRequest(service, { body: jsonOf(plant) }));
        const answer = await exchange(service, what, bytes, { mustClose: true });
        expectError(answer, 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-50',
    title: 'what does not begin with an HTTP/1 request line is refused and the connection closed',
    check: (service) =>
      every(badRequestLines, async ([what, line]) => {
        const plant = aPlant();
        const written = line.replace('TARGET', targetOf(service, '/plants'));
        const bytes = rawRequest(service, { line: written, body: jsonOf(plant) });
        const answer = await exchange(service, what, bytes, { mustClose: true });
        expectError(answer, 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      }),
  },
  {
    id: 'HC-51',
    title: 'an HTTP/1.1 request has one Host header: none, or two, is refused',
    check: async (service) => {
      const { host } = new URL(service.baseUrl);
      await every(hosts, async ([what, lines]) => {
        const plant = aPlant();
        const written = lines.map((line) => line.replace('NAME', host));
        const bytes = rawRequest(service, { headers: { Host: undefined }, lines: written, body: jsonOf(plant) });
        const answer = await exchange(service, what, bytes);
        expectError(answer, 'malformed-http');
        await expectNotStored(service, plant.id, answer);
      });
    },
  },
];

function chunked(service: DeployedService, body: string, coding = 'chunked'): string {
  return rawRequest(service, { headers: { 'Content-Length': undefined, 'Transfer-Encoding': coding }, body });
}
