import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, getBodyLimit } from '../deployed-service.ts';
import type { ErrorKind } from '../error-numbers.ts';
import { expectNextServed, expectOutcome, expectOutcomes } from '../expectations/exchange.ts';
import {
  create,
  expectCreated,
  expectError,
  expectNotStored,
  expectPlant,
  fail,
  forEachCase,
  rejectedRequests,
} from '../expectations/expectations.ts';
import { onConnection } from '../http/connection.ts';
import { chunks, rawRequest } from '../http/raw-request.ts';
import { saysClose } from '../http/response-parser.ts';
import * as change from '../mutation.ts';
import { aPlant, toJson } from '../new-plants.ts';

/** Connections as clients use them: framing, rejected and incomplete requests, and 100 Continue. */
export const connectionClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-29',
    shows: 'P7/F7',
    title: 'ambiguous framing is rejected, the connection closed, and nothing that was smuggled in the body is served',
    check: (service) =>
      forEachCase(ambiguousFrames, ([what, ...lines]) =>
        onConnection(service, what, async (connection) => {
          const smuggled = aPlant();
          const headers = { 'Content-Length': undefined };
          const body = (json: string) => chunks(json) + rawRequest(service, {}, smuggled);
          connection.send(rawRequest(service, { headers, lines, body }));
          const response = await connection.response();
          expectError(response, 'malformed-http');
          await connection.closed();
          await expectNotStored(service, smuggled.id, response);
        }),
      ),
    mutants: {
      'drops Content-Length if there is Transfer-Encoding': rewritingHead((head) =>
        /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
      ),
      'reads a length as parseInt does': rewritingHead((head) =>
        head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
          /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
        ),
      ),
      'ignores gzip in gzip, chunked': rewritingHead((head) => head.replace('gzip, chunked', 'chunked')),
      'tolerates a space before the colon': rewritingHead((head) =>
        head.replace('Transfer-Encoding :', 'Transfer-Encoding:'),
      ),
      'does not close after a parser error': change.parserError(400, (socket) => socket),
      'returns 431 for a head that it cannot parse': change.parserError(431),
    },
  },
  {
    id: 'HC-33',
    shows: 'P4/F7',
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
    id: 'HC-36',
    shows: 'P4/F6 P7/F7',
    title: 'an incomplete request gets one response, and the rest of its body is not taken for a request',
    check: (service) => {
      // A body that must not be read as a request.
      const inner = rawRequest(service);
      const tooLong = 2 * getBodyLimit(service);
      const ofLength = (length: number) => ({ 'Content-Length': String(length) });
      const early = [
        ['token-not-accepted', { ...ofLength(inner.length), Authorization: 'Bearer wrong' }, inner],
        ['body-too-large', ofLength(tooLong), ' '.repeat(tooLong)],
      ] as const;
      return forEachCase(early, ([kind, headers, rest]) =>
        onConnection(service, 'a request in two parts, the second one after the response', async (connection) => {
          connection.send(rawRequest(service, { headers, body: '' }));
          const response = await connection.response();
          expectError(response, kind);
          const next = aPlant();
          connection.send(rest + rawRequest(service, {}, next));
          if (saysClose(response)) {
            await connection.closed();
            return expectNotStored(service, next.id, response);
          }
          expectPlant(await connection.response(), next);
          return expectNextServed(connection);
        }),
      );
    },
    mutants: {
      'closes after an early response and does not announce it': change.request((request, response) => {
        response.once('finish', () => request.complete || request.socket.end());
      }),
      'takes a rejected body for a request': change.incoming(/( wrong\r\n.*-Length:) \d+/s, '$1 0'),
    },
  },
  {
    id: 'HC-37',
    shows: 'P3/F6',
    title: 'an incomplete request stores nothing',
    check: async (service) => {
      const plant = aPlant();
      await onConnection(service, 'a body without its last byte', async (connection) => {
        connection.send(rawRequest(service, { body: (json) => `${json} ` }, plant).slice(0, -1));
        await expectCreated(service, aPlant());
      });
      // By the time later requests are served, the service has noticed that the incomplete one was aborted.
      for (let time = 1; time <= 3; time += 1) await expectCreated(service, aPlant());
      const response = await create(service, aPlant({ id: plant.id }));
      const action = () => `sent an incomplete request, then ${response.action()}`;
      if (response.status !== 200) fail({ ...response, action }, '200: an incomplete request stores nothing');
    },
    mutants: {
      'treats an incomplete body as complete': {
        incoming: (bytes) =>
          bytes.replace(
            /(Content-Length: )\d+([\s\S]*\r\n\r\n)(\{[^{}]*\})$/,
            (_, name, head, body) => `${name}${body.length}${head}${body}`,
          ),
      },
    },
  },
  {
    id: 'HC-38',
    shows: 'P4',
    title: 'Expect: 100-continue gets 100 Continue, unless the request is rejected; any other expectation is rejected',
    check: async (service) => {
      const plant = aPlant();
      const body = toJson(plant);
      const expecting = { Expect: '100-Continue', 'Content-Length': String(body.length) };
      await onConnection(service, 'a head with Expect: 100-continue', async (connection) => {
        connection.send(rawRequest(service, { headers: expecting, body: '' }));
        const interim = await connection.response();
        if (interim.status !== 100) fail(interim, '100 Continue');
        connection.send(body);
        expectPlant(await connection.response(), plant);
        await expectNextServed(connection);
      });
      const rejected = { headers: { ...expecting, Authorization: undefined }, body: '' };
      await expectOutcome(service, 'Expect: 100-continue without a token', rejected, 'missing-token');
      const others = ['foo', '100-continue, foo'].map((Expect) => ({ headers: { Expect } }));
      await expectOutcomes(service, 'another expectation', others, 'malformed-http');
    },
    mutants: {
      'ignores Expect: 100-continue': change.header('expect', () => undefined),
      'reads the body before it checks the token, as Node does': {
        server(server) {
          server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
            response.writeContinue();
            delete request.headers.expect;
            server.emit('request', request, response);
          });
        },
      },
      'ignores other expectations': change.header('expect', (value) => /^100-Continue$/.exec(`${value}`)?.[0]),
    },
  },
];

/** Headers by which two readers may find different ends of the body (RFC 9112 section 6), each with its name. */
const ambiguousFrames: readonly (readonly [what: string, ...lines: readonly string[]])[] = [
  ['a length and chunks', 'Content-Length: {length}', 'Transfer-Encoding: chunked'],
  ['chunks and a length', 'Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['a length, and chunks in another case', 'Content-Length: {length}', 'transfer-encoding: Chunked'],
  ['a length and an unknown coding', 'Content-Length: {length}', 'Transfer-Encoding: xchunked'],
  ['a length, and a coding after a vertical tab', 'Content-Length: {length}', 'Transfer-Encoding:\u000bchunked'],
  ['a coding with a space before the colon', 'Transfer-Encoding : chunked'],
  ['two codings', 'Transfer-Encoding: gzip, chunked'],
  ['a coding twice', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ['a coding folded over two lines', 'X-A: b', ' Transfer-Encoding: chunked'],
  ['two lengths', 'Content-Length: {length}', 'Content-Length: 5'],
  ['a list of lengths', 'Content-Length: {length}, 5'],
  ...['-1', '+{length}', '0x{length}', '{length} {length}', '{length};', ''].map(
    (length) => [`the length «${length.replace('{length}', 'n')}»`, `Content-Length: ${length}`] as const,
  ),
];

/** A proxy rewrites the head of each request. */
function rewritingHead(rewrite: (head: string) => string): change.HttpMutation {
  return {
    incoming: (bytes) => {
      const end = bytes.startsWith('POST ') ? bytes.indexOf('\r\n\r\n') : -1;
      return end < 0 ? bytes : rewrite(bytes.slice(0, end + 2)) + bytes.slice(end + 2);
    },
  };
}
