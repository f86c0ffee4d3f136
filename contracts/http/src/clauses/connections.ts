import type { Clause } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { expectNextServed, expectOutcome, expectOutcomes } from '../expectations/exchange.ts';
import {
  expectError,
  expectNotStored,
  expectPlant,
  fail,
  forEachCase,
  rejectedRequests,
} from '../expectations/expectations.ts';
import { onConnection } from '../http/connection.ts';
import { chunked, chunks, type RawRequest, rawRequest } from '../http/raw-request.ts';
import { saysClose } from '../http/response-parser.ts';
import * as change from '../mutation.ts';
import { aPlant } from '../new-plants.ts';

/** Framing (RFC 9112): ambiguous requests are rejected, and responses are sent in the order of the requests. */
export const connectionClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-29',
    since: '2026-12',
    title:
      'an ambiguous or invalid length is rejected, the connection closed, and nothing smuggled in the body is served',
    check: (service) =>
      forEachCase(invalidLengths, async (lines) => {
        const smuggled = aPlant();
        const inner = rawRequest(service, {}, smuggled);
        const request = {
          headers: { 'Content-Length': undefined },
          lines,
          body: (json: string) => chunks(json) + inner,
        };
        // A length beyond 64 bits may be reported as a body that is too large.
        const kinds = ['malformed-http', 'body-too-large'] as const;
        const isLong = /\d{20,}$/.test(lines.join());
        const rejected = await expectOutcome(
          service,
          'an ambiguous or invalid length',
          request,
          isLong ? kinds : kinds[0],
          true,
        );
        await expectNotStored(service, smuggled.id, rejected);
      }),
    mutants: {
      'drops Content-Length if there is Transfer-Encoding': rewriteHead((head) =>
        /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
      ),
      'does not close after a parser error': {
        ...change.createdLater,
        server(http) {
          http.removeAllListeners('clientError').on('clientError', (_error, socket) => change.respond(socket, 400));
        },
      },
      'reads a length as parseInt does': rewriteHead((head) =>
        head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
          /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
        ),
      ),
    },
  },
  {
    id: 'HC-30',
    since: '2026-12',
    title: 'a chunked body is decoded correctly, with extensions and trailers, and the coding in any case',
    check: (service) => expectOutcomes(service, 'a chunked body', validChunks),
    mutants: {
      'recognizes chunked in lower case only': change.inHeader('transfer-encoding', 'Chunked', 'x'),
      'rejects chunk extensions': change.incoming(/\r\n([\da-f]+;a=)/i, '\r\n!$1'),
    },
  },
  {
    id: 'HC-31',
    since: '2026-12',
    title:
      'a malformed request line, head or chunk, another coding, and an absent, empty or second Host are rejected, and the connection closed',
    check: (service) => expectOutcomes(service, 'a malformed request', malformed, 'malformed-http', true),
    mutants: {
      'tolerates a bare LF in a chunked body': change.incoming(/(?<=: chunked.*\r\n\r\n.*[^\r])\n/gs, '\r\n'),
      'ignores gzip in gzip, chunked': change.inHeader('transfer-encoding', 'gzip, ', ''),
      'tolerates lines that end in a bare LF': rewriteHead((head) => head.replace(/(?<!\r)\n/g, '\r\n')),
      'returns 431 for a head that is too long': change.parserError(({ code }) => code === 'HPE_HEADER_OVERFLOW', 431),
      'treats HTTP/2.0 as HTTP/1.1': change.incoming(/^(POST \/plants HTTP\/)2\.0/, '$11.1'),
      'closes without a response on a TLS handshake': change.parserError(({ rawPacket }) => rawPacket?.[0] === 0x16),
      'takes the first of two Host headers': change.inHeader('host', /, .*/, ''),
      'accepts an empty Host header': change.header('host', (host) => host || 'localhost'),
      'leaves a missing Host to Node': { server: (http) => void Object.assign(http, { requireHostHeader: true }) },
    },
  },
  {
    id: 'HC-32',
    since: '2026-12',
    title: 'pipelined requests get their responses in order; a malformed one after them closes the connection',
    check: (service) =>
      forEachCase(['', 'garbage\r\n\r\n', 'POST /plants HTTP/1.1\r\nHost\r\n\r\n'], (malformed) =>
        onConnection(service, 'ten requests at once', async (connection) => {
          const plants = Array.from({ length: malformed ? 9 : 10 }, () => aPlant());
          connection.send(plants.map((plant) => rawRequest(service, {}, plant)).join('') + malformed);
          // The connection may close while responses are pending. Each that is sent belongs to its request.
          for (const plant of plants) {
            if (malformed && (await connection.hasEnded())) return;
            expectPlant(await connection.response(), plant);
          }
          if (!malformed) return expectNextServed(connection);
          if (await connection.hasEnded()) return;
          expectError(await connection.response(), 'malformed-http');
          await connection.closed();
        }),
      ),
    mutants: {
      'closes the connection after every response': { response: () => ({ headers: { connection: 'close' } }) },
      'responds to a parser error at once, before earlier requests': {
        ...change.createdLater,
        ...change.parserError((error) => !change.isTimeout(error), 400),
      },
    },
  },
  {
    id: 'HC-33',
    since: '2026-12',
    title: 'after a complete request is rejected the connection serves the next one',
    check: (service) =>
      onConnection(service, 'rejected requests, one after the other', async (connection) => {
        for (const [kind, request] of Object.entries(rejectedRequests)) {
          connection.send(rawRequest(service, request));
          const response = await connection.response();
          expectError(response, kind as ErrorKind);
          if (saysClose(response))
            fail(response, 'the same without Connection: close, because the request was complete');
        }
        await expectNextServed(connection);
      }),
    mutants: {
      'closes after a body that it cannot parse, as Fastify does': change.errorHeaders('malformed-json', {
        connection: 'close',
      }),
    },
  },
  {
    id: 'HC-34',
    since: '2026-12',
    title:
      'if the request says Connection: close, or is HTTP/1.0, its response is the last one and nothing after it is served',
    check: async (service) => {
      const line = 'POST {target} HTTP/1.0';
      const last = [{ headers: { Connection: 'Close' } }, { line }, { line, headers: { Host: undefined } }];
      await forEachCase(last, (request) =>
        onConnection(service, 'a request that closes, and another one after it', async (connection) => {
          const [plant, notServed] = [aPlant(), aPlant()];
          connection.send(rawRequest(service, request, plant) + rawRequest(service, {}, notServed));
          const response = await connection.response();
          expectPlant(response, plant);
          await connection.closed();
          await expectNotStored(service, notServed.id, response);
        }),
      );
      const inChunks = { line, headers: chunked, body: chunks };
      await expectOutcome(service, 'a chunked body in HTTP/1.0', inChunks, 'malformed-http', true);
    },
    mutants: {
      'recognizes close in lower case only': change.incoming('\r\nConnection: Close\r', '\r'),
      'treats HTTP/1.0 as HTTP/1.1': change.incoming(/^(POST \/plants HTTP\/1)\.0/, '$1.1'),
    },
  },
  {
    id: 'HC-35',
    since: '2026-12',
    title: 'an Upgrade to a protocol that is not supported is ignored, and so are empty lines before a request',
    check: (service) => expectOutcomes(service, 'a request with something to ignore', ignored),
    mutants: {
      'drops the connection of an Upgrade': change.request(({ headers, socket }) => {
        if (headers.upgrade !== undefined) socket.destroy();
      }),
      'rejects empty lines before a request': change.incoming(/^\r\n\r\n(?=POST)/, '!'),
    },
  },
];

/** Header lines that make the length of the body ambiguous or invalid. */
const invalidLengths: readonly (readonly string[])[] = [
  ['Content-Length: {length}', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['Content-Length: {length}', 'transfer-encoding: Chunked'],
  ['Content-Length: {length}', 'Transfer-Encoding: xchunked'],
  ['Content-Length: {length}', 'Transfer-Encoding:\u000bchunked'],
  ['Content-Length: {length}', 'Content-Length: 5'],
  ['Content-Length: {length}, 5'],
  ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ...['-1', '+{length}', '0x{length}', '{length} {length}', '{length};', '', '99999999999999999999999999'].map(
    (value) => [`Content-Length: ${value}`],
  ),
];

/** Ways to send a text in chunks (RFC 9112 section 7.1). */
const validChunks: readonly RawRequest[] = [
  inChunks((text) => chunks(...(text.match(/.{1,3}/gs) ?? []))),
  inChunks((text) => chunks(text), 'Chunked'),
  inChunks((text, size) => `00${size.toUpperCase()};a=b;c="d"\r\n${text}\r\n0;last\r\n\r\n`),
  inChunks((text) => `${chunks(text).slice(0, -2)}X-Trailer: value\r\nAuthorization: Bearer trailer\r\n\r\n`),
];

/** Requests that are malformed (RFC 9112), in the request line, the head or the body. */
const malformed: readonly RawRequest[] = [
  { what: 'garbage', line: 'hello' },
  { what: 'a TLS handshake', line: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003' },
  { what: 'HTTP/0.9', line: 'POST {target}' },
  { what: 'HTTP/2.0', line: 'POST {target} HTTP/2.0' },
  { what: 'a space in the target', line: 'POST {target} x HTTP/1.1' },
  { what: 'a target of 64 KiB', line: `POST {target}?${'x'.repeat(65_536)} HTTP/1.1` },
  { what: 'lines that end in a bare LF', rewrite: (bytes) => bytes.replaceAll('\r\n', '\n') },
  { what: 'a bare CR in a header value', lines: ['X-A: b\rc'] },
  { what: 'a Transfer-Encoding folded over two lines', lines: ['X-A: b', ' Transfer-Encoding: chunked'] },
  { what: 'a space before the colon', headers: { 'Content-Length': undefined }, lines: ['Content-Length : {length}'] },
  { what: 'a header of 64 KiB', lines: [`X-A: ${'b'.repeat(65_536)}`] },
  { what: 'no Host', headers: { Host: undefined } },
  { what: 'an empty Host', headers: { Host: '' } },
  { what: 'a Host twice', lines: ['Host: {host}'] },
  { what: 'two Hosts', headers: { Host: 'example.org' }, lines: ['HOST: {host}'] },
  { what: 'gzip, chunked', ...inChunks((text) => chunks(text), 'gzip, chunked') },
  { what: 'a chunk size that is no number', ...inChunks((text) => `zz\r\n${text}\r\n0\r\n\r\n`) },
  {
    what: 'a chunk size beyond 64 bits',
    ...inChunks((text, size) => `1${'0'.repeat(16)}${size}\r\n${text}\r\n0\r\n\r\n`),
  },
  { what: 'a chunk size that ends in a bare LF', ...inChunks((text, size) => `${size}\n${text}\r\n0\r\n\r\n`) },
  { what: 'a chunk extension with a bare LF', ...inChunks((text, size) => `${size};a\nb\r\n${text}\r\n0\r\n\r\n`) },
];

/** @param frame writes a text as chunks, given the text and its size in hexadecimal. */
function inChunks(frame: (text: string, size: string) => string, coding = 'chunked'): RawRequest {
  const body = (json: string) => frame(json, json.length.toString(16));
  return { headers: { ...chunked, 'Transfer-Encoding': coding }, body };
}

/** An Upgrade to another protocol, and empty lines before the request. */
const ignored: readonly RawRequest[] = [
  { headers: { Connection: 'Upgrade', Upgrade: 'websocket' } },
  { headers: { Connection: 'Upgrade', Upgrade: 'h2c' } },
  { rewrite: (bytes) => `\r\n\r\n${bytes}` },
];

/** A proxy rewrites the head of each request. */
function rewriteHead(rewrite: (head: string) => string): change.HttpMutation {
  return {
    incoming: (bytes) => {
      const end = /\r?\n\r?\n/.exec(bytes)?.index ?? -1;
      return bytes.startsWith('POST ') && end > 0 ? rewrite(bytes.slice(0, end + 2)) + bytes.slice(end + 2) : bytes;
    },
  };
}
