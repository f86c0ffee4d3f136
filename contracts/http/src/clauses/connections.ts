import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { exchange, expectServed, expectVerdict } from '../expectations/exchange.ts';
import { expectError, expectNotStored, expectPlant, fail, forEachCase } from '../expectations/expectations.ts';
import { refusals } from '../expectations/refusals.ts';
import { onConnection } from '../http/connection.ts';
import { chunked, chunks, rawRequest } from '../http/raw-request.ts';
import { saysClose } from '../http/response-parser.ts';
import { anyId, aPlant, jsonOf } from '../new-plants.ts';

/** Where a request begins and ends (RFC 9112), since what two parsers could read differently is refused; and one response per request, in the order of the requests. */
export const connectionClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-29',
    title:
      'an ambiguous or invalid length is refused, the connection closed, and nothing smuggled in the body is served',
    check: (service) =>
      forEachCase(badLengths, async (lines) => {
        const [outer, smuggled] = [anyId(), anyId()];
        const inner = rawRequest(service, { body: jsonOf(aPlant({ id: smuggled })) });
        const body = chunks(jsonOf(aPlant({ id: outer }))) + inner;
        const written = lines.map((line) => line.replaceAll('LENGTH', String(body.length)));
        const request = { headers: { 'Content-Length': undefined }, lines: written, body };
        const refused = await exchange(service, written.join(' and '), request, { mustClose: true });
        // A number too long for a parser may as well be a body that is too large.
        const kinds = ['malformed-http', 'body-too-large'] as const;
        expectError(refused, /: \d{20,}$/.test(written.join()) ? kinds : kinds[0]);
        await expectNotStored(service, outer, refused);
        await expectNotStored(service, smuggled, refused);
      }),
  },
  {
    id: 'HC-30',
    title: 'a chunked body is decoded correctly, with extensions and trailers, and the coding in any case',
    check: (service) =>
      forEachCase(goodChunks, async ([coding, frame]) => {
        await expectVerdict(service, 'a chunked body', (body) => withChunks(service, frame(body), coding));
      }),
  },
  {
    id: 'HC-31',
    title:
      'a malformed request line, head or chunk, another coding, and an absent, empty or second Host are refused, and the connection closed',
    check: async (service) => {
      await forEachCase(badLines, ([what, line]) => {
        return expectMalformed(service, what, { line: line.replace('TARGET', targetOf(service, '/plants')) });
      });
      await forEachCase(badHeads, ([what, spoil]) =>
        expectMalformed(service, what, (body) => spoil(rawRequest(service, { body }))),
      );
      await forEachCase(badChunks, ([what, frame]) =>
        expectMalformed(service, what, (body) => withChunks(service, frame(body, body.length.toString(16)))),
      );
      const { host } = new URL(service.baseUrl);
      for (const lines of [[], ['Host: '], [`Host: ${host}`, `Host: ${host}`], ['host: example.org', `HOST: ${host}`]])
        await expectMalformed(service, `Host ${lines.length} times`, { headers: { Host: undefined }, lines });
      await expectMalformed(service, 'gzip, chunked', (body) => withChunks(service, chunks(body), 'gzip, chunked'));
    },
  },
  {
    id: 'HC-32',
    title:
      'pipelined requests get their responses in order; a malformed one after them gets the last, and the connection is closed',
    check: (service) =>
      forEachCase(['', 'garbage\r\n\r\n', 'POST /plants HTTP/1.1\r\nHost\r\n\r\n'], (malformed) =>
        onConnection(service, 'ten requests at once', async (connection) => {
          const plants = Array.from({ length: malformed ? 9 : 10 }, () => aPlant());
          connection.send(plants.map((plant) => rawRequest(service, { body: jsonOf(plant) })).join('') + malformed);
          for (const plant of plants) expectPlant(await connection.response(), plant);
          if (!malformed) return expectServed(connection);
          expectError(await connection.response(), 'malformed-http');
          await connection.closed();
        }),
      ),
  },
  {
    id: 'HC-33',
    title: 'after a complete request is refused the connection serves the next one',
    check: (service) =>
      onConnection(service, 'refused requests, one after the other', async (connection) => {
        for (const [kind, request] of Object.entries(refusals)) {
          connection.send(rawRequest(service, request));
          const response = await connection.response();
          expectError(response, kind as ErrorKind);
          if (saysClose(response))
            fail(response, 'the same without Connection: close: the request was read to its end');
        }
        await expectServed(connection);
      }),
  },
  {
    id: 'HC-34',
    title:
      'if the request says Connection: close, or is HTTP/1.0, its response is the last one and nothing after it is served',
    check: async (service) => {
      const line = `POST ${targetOf(service, '/plants')} HTTP/1.0`;
      const last = [{ headers: { Connection: 'Close' } }, { line }, { line, headers: { Host: undefined } }];
      await forEachCase(last, (request) =>
        onConnection(service, 'a request that closes, and another one after it', async (connection) => {
          const [plant, notServed] = [aPlant(), anyId()];
          const next = rawRequest(service, { body: jsonOf(aPlant({ id: notServed })) });
          connection.send(rawRequest(service, { ...request, body: jsonOf(plant) }) + next);
          const response = await connection.response();
          expectPlant(response, plant);
          await connection.closed();
          await expectNotStored(service, notServed, response);
        }),
      );
      const write = (json: string) => rawRequest(service, { line, headers: chunked, body: chunks(json) });
      await expectVerdict(service, 'a chunked body in HTTP/1.0', write, 'malformed-http', true);
    },
  },
  {
    id: 'HC-35',
    title: 'an Upgrade that is not offered is ignored, and so are empty lines before a request',
    check: (service) =>
      forEachCase(['websocket', 'h2c', undefined], async (upgrade) => {
        const headers = upgrade ? { Connection: 'Upgrade', Upgrade: upgrade } : {};
        const before = upgrade ? '' : '\r\n\r\n';
        const write = (body: string) => before + rawRequest(service, { headers, body });
        await expectVerdict(service, upgrade ? `Upgrade: ${upgrade}` : 'empty lines and a valid request', write);
      }),
  },
];

/** Header lines that make the length of the body ambiguous, or are none. LENGTH stands for that of all bytes that follow. */
const badLengths: readonly (readonly string[])[] = [
  ['Content-Length: LENGTH', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['Content-Length: LENGTH', 'transfer-encoding: Chunked'],
  ['Content-Length: LENGTH', 'Transfer-Encoding: xchunked'],
  ['Content-Length: LENGTH', 'Transfer-Encoding:\u000bchunked'],
  ['Content-Length: LENGTH', 'Content-Length: 5'],
  ['Content-Length: LENGTH, 5'],
  ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ...['-1', '+LENGTH', '0xLENGTH', 'LENGTH LENGTH', 'LENGTH;', '', '99999999999999999999999999'].map((value) => [
    `Content-Length: ${value}`,
  ]),
];

/** Ways to send a text in chunks (RFC 9112 section 7.1). */
const goodChunks: readonly (readonly [coding: string, frame: (text: string) => string])[] = [
  ['chunked', (text) => chunks(...(text.match(/.{1,3}/gs) ?? []))],
  ['Chunked', (text) => chunks(text)],
  ['chunked', (text) => `00${text.length.toString(16).toUpperCase()};a=b;c="d"\r\n${text}\r\n0;last\r\n\r\n`],
  ['chunked', (text) => `${chunks(text).slice(0, -2)}X-Trailer: value\r\nAuthorization: Bearer trailer\r\n\r\n`],
];

/** Malformed chunks, and what is wrong with them; the size is that of the text. */
const badChunks: readonly (readonly [what: string, frame: (text: string, size: string) => string])[] = [
  ['a chunk size that is no number', (text) => `zz\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk size beyond 64 bits', (text, size) => `1${'0'.repeat(16)}${size}\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk size that ends in a bare LF', (text, size) => `${size}\n${text}\r\n0\r\n\r\n`],
  ['a chunk extension with a bare LF', (text, size) => `${size};a\nb\r\n${text}\r\n0\r\n\r\n`],
];

/** A valid request, made malformed as the first item says (RFC 9112). */
const badHeads: readonly (readonly [what: string, spoil: (request: string) => string])[] = [
  ['lines that end in a bare LF', (request) => request.replaceAll('\r\n', '\n')],
  ['a bare CR in a header value', withLine('X-A: b\rc')],
  ['a Transfer-Encoding folded over two lines', withLine('X-A: b\r\n Transfer-Encoding: chunked')],
  ['a space before the colon', (request) => request.replace('Content-Length:', 'Content-Length :')],
  ['a header of 64 KiB', withLine(`X-A: ${'b'.repeat(65_536)}`)],
];

/** Malformed request lines. TARGET stands for the path of the operation. */
const badLines: readonly (readonly [what: string, line: string])[] = [
  ['garbage', 'hello'],
  ['the beginning of a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['HTTP/0.9', 'POST TARGET'],
  ['HTTP/2.0', 'POST TARGET HTTP/2.0'],
  ['a space in the target', 'POST TARGET x HTTP/1.1'],
  ['a target of 64 KiB', `POST TARGET?${'x'.repeat(65_536)} HTTP/1.1`],
];

function withLine(line: string): (request: string) => string {
  return (request) => request.replace('\r\n\r\n', () => `\r\n${line}\r\n\r\n`);
}

async function expectMalformed(
  service: DeployedService,
  what: string,
  request: Parameters<typeof expectVerdict>[2],
): Promise<void> {
  await expectVerdict(service, what, request, 'malformed-http', true);
}

function withChunks(service: DeployedService, body: string, coding = 'chunked'): string {
  return rawRequest(service, { headers: { ...chunked, 'Transfer-Encoding': coding }, body });
}
