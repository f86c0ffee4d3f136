import { hc } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { keepOne, rewriteHeader } from '../mutations/requests.ts';
import { rewriteResponse } from '../mutations/responses.ts';
import { drop, endWith, malformed, onFastify, onParserError, onServer, rewriteIncoming } from '../mutations/server.ts';
import { createLater } from '../mutations/use-case.ts';

/** Break HC-45 to HC-51: where a request begins and ends. */
export const framing: readonly Mutant[] = [
  {
    does: 'lets Node’s parser be lenient',
    breaks: 'HC-45',
    alsoBreaks: {
      clauses: ['HC-48', 'HC-49', 'HC-55'],
      because: 'they have faults that a lenient parser puts up with as well',
    },
    mutation: onServer((server) => void Object.assign(server, { insecureHTTPParser: true })),
  },
  {
    does: 'drops Content-Length if there is Transfer-Encoding',
    breaks: 'HC-45',
    mutation: rewriteHead((head) =>
      /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
    ),
  },
  {
    does: 'drops Transfer-Encoding if there is Content-Length',
    breaks: 'HC-45',
    mutation: rewriteHead((head) =>
      /^Content-Length:/im.test(head) ? head.replace(/\r\nTransfer-Encoding:[^\r]*/gi, '') : head,
    ),
  },
  {
    does: 'takes the first of two lengths',
    breaks: 'HC-45',
    mutation: rewriteHead((head) => head.replace(/(\r\nContent-Length:[^\r]*)\r\nContent-Length:[^\r]*/, '$1')),
  },
  {
    does: 'treats identity as a coding that changes nothing',
    breaks: 'HC-45',
    mutation: rewriteHead((head) => head.replace(/\r\nTransfer-Encoding: identity/, '')),
  },
  {
    does: 'does not close after a parser error',
    breaks: 'HC-45',
    alsoBreaks: {
      clauses: hc('36 42 44 46 48 49 50 53 55 57 60 61 66 68'),
      because: 'they have requests that the parser cannot read, or that never end, as well',
    },
    mutation: {
      ...createLater,
      ...onParserError((_error, socket) => {
        socket.write(
          `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${malformed.length}\r\n\r\n${malformed}`,
        );
        return true;
      }),
    },
  },
  {
    does: 'reads a length as parseInt does',
    breaks: 'HC-46',
    mutation: rewriteHead((head) =>
      head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
        /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
      ),
    ),
  },
  {
    does: 'drops an empty length',
    breaks: 'HC-46',
    mutation: rewriteHead((head) => head.replace(/\r\nContent-Length: (?=\r)/, '')),
  },
  {
    does: 'returns 411 for a length that it cannot read',
    breaks: 'HC-46',
    mutation: onParserError(
      ({ rawPacket }, socket) => /\r\nContent-Length: abc\r/.test(String(rawPacket)) && endWith(socket, 411, malformed),
    ),
  },
  {
    does: 'requires a Content-Length',
    breaks: 'HC-47',
    alsoBreaks: { clauses: ['HC-26', 'HC-61'], because: 'they send a body in chunks as well' },
    mutation: onFastify((app) =>
      app.addHook('preParsing', async ({ headers }) => {
        if (headers['transfer-encoding'])
          throw Object.assign(new Error('length required'), { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
      }),
    ),
  },
  {
    does: 'recognizes chunked in lower case only',
    breaks: 'HC-47',
    mutation: rewriteHeader('transfer-encoding', (coding) => coding?.replace('Chunked', 'unknown')),
  },
  {
    does: 'refuses chunk extensions',
    breaks: 'HC-47',
    mutation: rewriteIncoming((bytes) => bytes.replace(/\r\n([\da-f]+;a=)/, '\r\n!$1')),
  },
  {
    does: 'refuses trailers',
    breaks: 'HC-47',
    mutation: rewriteIncoming((bytes) => bytes.replace('\r\n0\r\nX-Trailer:', '\r\n0\r\n:')),
  },
  {
    does: 'tolerates a bare LF in a chunked body',
    breaks: 'HC-48',
    mutation: rewriteBody((body) => body.replace(/(?<!\r)\n/g, '\r\n')),
  },
  {
    does: 'reads 0x before a chunk size',
    breaks: 'HC-48',
    mutation: rewriteBody((body) => body.replace(/^0x/, '')),
  },
  {
    does: 'trims a chunk size',
    breaks: 'HC-48',
    mutation: rewriteBody((body) => body.replace(/^ /, '')),
  },
  {
    does: 'leaves gzip out of gzip, chunked',
    breaks: 'HC-48',
    mutation: rewriteHeader('transfer-encoding', (coding) => coding?.replace('gzip, ', '')),
  },
  {
    does: 'closes without a response in a chunked body that it cannot read',
    breaks: 'HC-48',
    mutation: onParserError(({ code }, socket) => /CHUNK/.test(code ?? '') && drop(socket)),
  },
  {
    does: 'unfolds header lines',
    breaks: 'HC-49',
    mutation: rewriteHead((head) => head.replace(/\r\n +(?=\S)/g, ' ')),
  },
  {
    does: 'trims header names',
    breaks: 'HC-49',
    mutation: rewriteHead((head) => head.replace(/[ \t]+:/g, ':')),
  },
  {
    does: 'tolerates lines that end in a bare LF',
    breaks: 'HC-49',
    mutation: rewriteHead((head) => head.replace(/(?<!\r)\n/g, '\r\n')),
  },
  {
    does: 'drops header lines that it cannot read',
    breaks: 'HC-49',
    mutation: rewriteHead((head) => head.replace(/\r\n[^:\r]+(?=\r)/g, '')),
  },
  {
    does: 'removes control characters from headers',
    breaks: 'HC-49',
    mutation: rewriteHead((head) => head.replace(/(?<=X-A: b)\p{Cc}(?=c)/u, '')),
  },
  {
    does: 'returns 431 for a head that is too long',
    breaks: 'HC-49',
    alsoBreaks: {
      clauses: ['HC-36', 'HC-50'],
      because: 'one of their requests has more headers, or a longer target, than the parser takes',
    },
    mutation: onParserError(({ code }, socket) => code === 'HPE_HEADER_OVERFLOW' && endWith(socket, 431, malformed)),
  },
  {
    does: 'handles parser errors as Fastify does',
    breaks: 'HC-49',
    alsoBreaks: {
      clauses: hc('36 42 44 45 46 48 50 53 55 57 58 60 61 66 68'),
      because: 'they have requests that the parser cannot read, or that never end, as well',
    },
    mutation: {
      ...createLater,
      ...onParserError((_error, socket) =>
        endWith(socket, 400, '{"error":"Bad Request","message":"Client Error","statusCode":400}'),
      ),
    },
  },
  {
    does: 'treats HTTP/2.0 as HTTP/1.1',
    breaks: 'HC-50',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^(POST \/plants HTTP\/)2\.0/, '$11.1')),
  },
  {
    does: 'returns 505 for another version of HTTP',
    breaks: 'HC-50',
    mutation: rewriteResponse(({ body }) => (body.includes('use HTTP/1.1') ? { status: 505 } : {})),
  },
  {
    does: 'closes without a response if TLS was meant',
    breaks: 'HC-50',
    mutation: onParserError(({ rawPacket }, socket) => rawPacket?.[0] === 0x16 && drop(socket)),
  },
  {
    does: 'treats tabs as spaces in the request line',
    breaks: 'HC-50',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^POST\t(\S+)\t/, 'POST $1 ')),
  },
  {
    does: 'accepts a head line that begins with a space',
    breaks: 'HC-50',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^ (?=POST)/, '')),
  },
  {
    does: 'needs no Host header',
    breaks: 'HC-51',
    mutation: rewriteHeader('host', (host) => host ?? 'plants'),
  },
  { does: 'takes the first of two Host headers', breaks: 'HC-51', mutation: keepOne('host', 'first') },
  { does: 'takes the last of two Host headers', breaks: 'HC-51', mutation: keepOne('host', 'last') },
  {
    does: 'leaves a missing Host header to Node, whose 400 is empty',
    breaks: 'HC-51',
    alsoBreaks: { clauses: ['HC-64', 'HC-67'], because: 'they send a request without a Host header to be refused' },
    mutation: onServer((server) => void Object.assign(server, { requireHostHeader: true })),
  },
];

/** A proxy rewrites the head of each request. */
function rewriteHead(rewrite: (head: string) => string): Mutation {
  return rewriteIncoming((bytes) => {
    const end = /\r?\n\r?\n/.exec(bytes)?.index ?? -1;
    return bytes.startsWith('POST ') && end > 0 ? rewrite(bytes.slice(0, end + 2)) + bytes.slice(end + 2) : bytes;
  });
}

/** A proxy rewrites the bytes after the head of a chunked request. */
function rewriteBody(rewrite: (body: string) => string): Mutation {
  return rewriteIncoming((bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    return /\r\nTransfer-Encoding: chunked\r/.test(bytes) && end > 0
      ? bytes.slice(0, end + 4) + rewrite(bytes.slice(end + 4))
      : bytes;
  });
}
