import type { Mutants, Mutation } from '../mutation.ts';
import { keepFirst, rewriteHeader } from '../mutations/requests.ts';
import { endWith, malformed, onParserError, onServer } from '../mutations/server.ts';
import { createLater } from '../mutations/use-case.ts';

/** Break HC-45 to HC-51: where a request begins and ends. */
export const framing: Mutants = {
  'HC-45': {
    'drops Content-Length if there is Transfer-Encoding': rewriteHead((head) =>
      /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
    ),
    'does not close after a parser error': {
      ...createLater,
      ...onParserError((_error, socket) => {
        socket.write(
          `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${malformed.length}\r\n\r\n${malformed}`,
        );
        return true;
      }),
    },
  },
  'HC-46': {
    'reads a length as parseInt does': rewriteHead((head) =>
      head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
        /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
      ),
    ),
  },
  'HC-47': {
    'recognizes chunked in lower case only': rewriteHeader('transfer-encoding', (coding) =>
      coding?.replace('Chunked', 'unknown'),
    ),
    'refuses chunk extensions': { incoming: (bytes) => bytes.replace(/\r\n([\da-f]+;a=)/, '\r\n!$1') },
  },
  'HC-48': {
    'tolerates a bare LF in a chunked body': {
      incoming: (bytes) =>
        bytes.replace(
          /(\r\nTransfer-Encoding: chunked(?=\r)[\s\S]*?\r\n\r\n)([\s\S]+)/,
          (_, head: string, body: string) => head.concat(body.replace(/(?<!\r)\n/g, '\r\n')),
        ),
    },
    'leaves gzip out of gzip, chunked': rewriteHeader('transfer-encoding', (coding) => coding?.replace('gzip, ', '')),
  },
  'HC-49': {
    'tolerates lines that end in a bare LF': rewriteHead((head) => head.replace(/(?<!\r)\n/g, '\r\n')),
    'returns 431 for a head that is too long': onParserError(
      ({ code }, socket) => code === 'HPE_HEADER_OVERFLOW' && endWith(socket, 431, malformed),
    ),
  },
  'HC-50': {
    'treats HTTP/2.0 as HTTP/1.1': { incoming: (bytes) => bytes.replace(/^(POST \/plants HTTP\/)2\.0/, '$11.1') },
    'closes without a response if TLS was meant': onParserError(
      ({ rawPacket }, socket) => rawPacket?.[0] === 0x16 && socket.destroy().destroyed,
    ),
  },
  'HC-51': {
    'takes the first of two Host headers': keepFirst('host'),
    'leaves a missing Host header to Node, whose 400 is empty': onServer(
      (server) => void Object.assign(server, { requireHostHeader: true }),
    ),
  },
};

/** A proxy rewrites the head of each request. */
function rewriteHead(rewrite: (head: string) => string): Mutation {
  return {
    incoming: (bytes) => {
      const end = /\r?\n\r?\n/.exec(bytes)?.index ?? -1;
      return bytes.startsWith('POST ') && end > 0 ? rewrite(bytes.slice(0, end + 2)) + bytes.slice(end + 2) : bytes;
    },
  };
}
