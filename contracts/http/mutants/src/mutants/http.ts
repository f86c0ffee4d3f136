import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as change from '../changes.ts';
import { type Mutants, type Mutation, timeOuts, token } from '../mutation.ts';

const close = { connection: 'close' };
const sniffed = { 'x-content-type-options': undefined };
const newPlant = 'components > schemas > NewPlant';
const challenge = (value: string | undefined) => ({ 'www-authenticate': value });

/** Break HC-19 to HC-43: tokens, addresses, framing, connections, unfinished requests, and the description. */
export const http: Mutants = {
  'HC-19': {
    'recognizes only Bearer and bearer as the scheme': change.header('authorization', (value) =>
      /^[Bb]earer/.test(value ?? '') ? value : undefined,
    ),
  },
  'HC-20': {
    'stores one token': {
      tokens: (correct) => ({ verify: async (text) => (text === token ? correct.verify(text) : { accepted: false }) }),
    },
  },
  'HC-21': {
    'returns 401 without WWW-Authenticate': change.errorHeaders('missing-token', challenge(undefined)),
    'needs no Authorization header': change.header('authorization', (value) => value ?? `Bearer ${token}`),
    'reads the token from the query': change.header('authorization', (value, { url }) => {
      const given = new URL(`http://plants${url}`).searchParams.get('access_token');
      return given === null ? value : `Bearer ${given}`;
    }),
  },
  'HC-22': {
    'accepts the beginning of a token': {
      tokens: (correct) => ({
        verify: async (text) => (token.startsWith(text) ? { accepted: true, subject: 'test' } : correct.verify(text)),
      }),
    },
    'leaves error="invalid_token" out': change.errorHeaders(
      'token-not-accepted',
      challenge('Bearer realm="plant-store"'),
    ),
    'repeats the wrong token': change.record('token-not-accepted', (record, { headers }) => ({
      ...record,
      message: `${headers.authorization}?`,
    })),
  },
  'HC-23': { 'takes the first of two tokens': change.header('authorization', (value) => value?.split(', ')[0]) },
  'HC-24': {
    'waits for the body before it checks the token': change.server((server) => {
      const correct = server.listeners('request');
      server.removeAllListeners('request').on('request', (request, response) => {
        request.once('readable', () => correct.forEach((listener) => void listener.call(server, request, response)));
      });
    }),
    'checks the media type before the token': change.error('missing-token', (_outgoing, { headers }) =>
      headers['content-type'] === 'text/plain' ? { status: 400, body: { error: 40003, message: 'send JSON' } } : {},
    ),
  },
  'HC-25': {
    'ignores a slash at the end': change.target((target) => target.replace(/^(\/plants)\/$/, '$1')),
    'returns 404 as HTML': change.error('no-such-path', () => ({
      headers: { 'content-type': 'text/html' },
      body: '<p>',
    })),
  },
  'HC-26': {
    'compares the whole target with the path': change.target((target) => target.replace('?', '/')),
    'does not recognize the absolute-form': change.target((target) => target.replace(/^http:/, '/http:')),
  },
  'HC-27': {
    'returns 405 without Allow': change.errorHeaders('method-not-allowed', { allow: undefined }),
    'treats PUT as POST': change.request((request) => {
      if (request.method === 'PUT') request.method = 'POST';
    }),
    'returns 200 to HEAD': change.response((_, { method }) => (method === 'HEAD' ? { status: 200 } : {})),
    'responds to HEAD with a body': change.request((request, response) => {
      if (request.method === 'HEAD') Object.assign(response, { _hasBody: true });
    }),
    'recognizes methods in any case': { incoming: (bytes) => bytes.replace(/^post /i, 'POST ') },
    'returns 501 for a method that it does not recognize': change.parserError(
      ({ rawPacket }, socket) => /^(?!POST )[A-Z-]+ \/plants /.test(String(rawPacket)) && change.endWith(socket, 501),
    ),
  },
  'HC-28': {
    'closes the connection of a CONNECT without a response, as Node does': change.request(({ method, socket }) => {
      if (method === 'CONNECT') socket.destroy();
    }),
    'treats GET * as GET /': change.target((target) => (target === '*' ? '/' : target)),
    'handles a target with invalid encoding as Fastify does': {
      incoming: (bytes) => bytes.replace('POST /% ', 'POST /bad '),
      server: (app) => app.post('/bad', (_, reply) => reply.code(400).send({ error: 'Bad Request', message: 'bad' })),
    },
  },
  'HC-29': {
    'drops Content-Length if there is Transfer-Encoding': rewriteHead((head) =>
      /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
    ),
    'does not close after a parser error': {
      ...change.createdLater,
      ...change.parserError((_error, socket) => {
        socket.write(change.responseOf(400));
        return true;
      }),
    },
    'reads a length as parseInt does': rewriteHead((head) =>
      head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
        /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
      ),
    ),
  },
  'HC-30': {
    'knows chunked in lower case only': change.header('transfer-encoding', (value) => value?.replace('Chunked', 'x')),
    'refuses chunk extensions': { incoming: (bytes) => bytes.replace(/\r\n([\da-f]+;a=)/i, '\r\n!$1') },
  },
  'HC-31': {
    'tolerates a bare LF in a chunked body': {
      incoming: (bytes) => bytes.replace(/(?<=: chunked.*\r\n\r\n.*[^\r])\n/gs, '\r\n'),
    },
    'leaves gzip out of gzip, chunked': change.header('transfer-encoding', (coding) => coding?.replace('gzip, ', '')),
    'tolerates lines that end in a bare LF': rewriteHead((head) => head.replace(/(?<!\r)\n/g, '\r\n')),
    'returns 431 for a head that is too long': change.parserError(
      ({ code }, socket) => code === 'HPE_HEADER_OVERFLOW' && change.endWith(socket, 431),
    ),
    'treats HTTP/2.0 as HTTP/1.1': { incoming: (bytes) => bytes.replace(/^(POST \/plants HTTP\/)2\.0/, '$11.1') },
    'closes without a response if TLS was meant': change.parserError(
      ({ rawPacket }, socket) => rawPacket?.[0] === 0x16 && socket.destroy().destroyed,
    ),
    'takes the first of two Host headers': change.header('host', (hosts) => hosts?.split(', ')[0]),
    'accepts an empty Host header': change.header('host', (host) => host || 'localhost'),
    'leaves a missing Host to Node': change.server((server) => void Object.assign(server, { requireHostHeader: true })),
  },
  'HC-32': {
    'closes the connection after every response': change.response(() => ({ headers: close })),
    'responds to a parser error at once, before earlier requests': {
      ...change.createdLater,
      ...change.parserError(({ code }, socket) => code !== 'ERR_HTTP_REQUEST_TIMEOUT' && change.endWith(socket, 400)),
    },
  },
  'HC-33': {
    'closes after a body that it cannot parse, as Fastify does': change.errorHeaders('malformed-json', close),
  },
  'HC-34': {
    'knows close in lower case only': { incoming: (bytes) => bytes.replace('\r\nConnection: Close\r', '\r') },
    'treats HTTP/1.0 as HTTP/1.1': { incoming: (bytes) => bytes.replace(/^(POST \/plants HTTP\/1)\.0/, '$1.1') },
  },
  'HC-35': {
    'drops the connection of an Upgrade': change.request(({ headers, socket }) => {
      if (headers.upgrade !== undefined) socket.destroy();
    }),
    'refuses empty lines before a request': { incoming: (bytes) => bytes.replace(/^\r\n\r\n(?=POST)/, '!') },
  },
  'HC-36': {
    'responds a second time if the rest of a body cannot be read': change.server((server) => {
      const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
      server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
      server.prependListener('clientError', (_error, socket) => {
        const { request, response } = latest.get(socket) ?? {};
        if (request?.complete === false && response?.statusCode === 401) change.endWith(socket, 400);
      });
    }),
    'closes after an early response and does not announce it': change.request((request, response) => {
      response.once('finish', () => request.complete || request.socket.end());
    }),
    'takes a refused body for a request': { incoming: (bytes) => bytes.replace(/( wrong\r\n.*-Length:) \d+/s, '$1 0') },
  },
  'HC-37': {
    'treats an incomplete body as complete': {
      incoming: (bytes) =>
        bytes.replace(
          /(Content-Length: )\d+([\s\S]*\r\n\r\n)(\{[^{}]*\})$/,
          (_, name, head, body) => `${name}${body.length}${head}${body}`,
        ),
    },
  },
  'HC-38': {
    'ignores Expect: 100-continue': change.header('expect', () => undefined),
    'reads the body before it checks the token, as Node does': change.server((server) => {
      server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
        response.writeContinue();
        delete request.headers.expect;
        server.emit('request', request, response);
      });
    }),
    'ignores other expectations': change.header('expect', (value) => (value === '100-Continue' ? value : undefined)),
  },
  'HC-39': {
    'waits seven times as long for a head': { options: { headersTimeout: 21_000, requestTimeout: 21_000 } },
    'waits a fifteenth of the time for a head': { options: { headersTimeout: 200 } },
    'waits a fifteenth of the time for a request': { options: { headersTimeout: 200, requestTimeout: 400 } },
    'closes connections that are silent, but not those that dribble': {
      options: { requestTimeout: 0 },
      ...change.server((server) => void server.setTimeout(timeOuts.request)),
    },
    'returns 408 to a slow client, as Fastify does': onTimeOut(408, '{"error":"Request Timeout","statusCode":408}'),
    'returns 400 where nothing was sent': onTimeOut(400, '{"error":40007,"message":"late"}', (bytes) => bytes === 0),
    'leaves the number of late requests out of the description': describing(
      'components > responses > BadRequest > content > application/json > examples > request-timeout',
      undefined,
    ),
  },
  'HC-40': {
    'refuses a wrong token': hidingFrom(({ headers }) => headers.authorization === 'Bearer wrong'),
    'requires a token for the description': hidingFrom(({ headers }) => !headers.authorization),
    'says more with a token': publishing(({ body }, { headers }) =>
      headers.authorization ? { body: `${body} ` } : {},
    ),
    'has the description for GET alone': hidingFrom(({ method }) => method === 'HEAD'),
    'takes POST for GET': { server: (app) => app.post('/openapi.json', async () => ({})) },
    'forgets HEAD in Allow': publishing(({ headers }) => (headers['allow'] ? { headers: { allow: 'GET' } } : {})),
  },
  'HC-41': {
    'publishes OpenAPI 3.0': describing('openapi', '3.0.4'),
    'describes the operation as one without authentication': describing('paths > /plants > post > security', []),
    'describes a method that is none': describing('paths > /plants > get', {}),
    'describes the name as optional': describing(`${newPlant} > required`, ['id']),
    'describes a record without room for other members': describing(`${newPlant} > additionalProperties`, false),
  },
  'HC-42': {
    'leaves 401 out of the description': describing('paths > /plants > post > responses > 401', undefined),
    'describes errors by a schema that is none': describing('components > schemas > Error > type', 'record'),
    'returns a member that it does not describe': change.created((plant) => ({ id: 7, ...plant })),
    'returns a number that it does not describe': change.record('malformed-json', (record) => ({
      ...record,
      error: 40_099,
    })),
    'describes a challenge that it does not send': change.errorHeaders('missing-token', challenge(undefined)),
    'has nosniff for errors alone': change.response(({ status }) => (status === 200 ? { headers: sniffed } : {})),
    'lets browsers guess what the description is': publishing(() => ({ headers: sniffed })),
  },
  'HC-43': {
    'returns the ids of successes alone': change.response(({ status }) => (status < 400 ? {} : withId(randomUUID()))),
    'accepts only UUIDs as an id': change.response(({ headers }) =>
      String(headers['x-request-id']).length === 36 ? {} : withId(randomUUID()),
    ),
    'returns an id of any length': change.response((_outgoing, request) => {
      const id = String(request.headers['x-request-id'] ?? '');
      return id.length > 128 ? withId(id) : {};
    }),
    'returns the same id always': change.response((_, { headers }) => (headers['x-request-id'] ? {} : withId('none'))),
    'has no id for what the parser refuses': change.parserError(
      ({ rawPacket }, socket) => String(rawPacket).includes('\r\nX-Request-Id\r\n') && change.endWith(socket, 400),
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

/** Responds to a slow client in another way, perhaps depending on how many bytes it has sent. */
function onTimeOut(status: number, body: string, isFor = (_bytes: number) => true): Mutation {
  return change.parserError(({ code }, socket) => {
    return code === 'ERR_HTTP_REQUEST_TIMEOUT' && isFor(socket.bytesRead) && change.endWith(socket, status, body);
  });
}

/** The description has this value at this place; undefined takes away what stands there. */
function describing(place: string, value: unknown): Mutation {
  return publishing(({ body }, { method }) => {
    if (method !== 'GET') return {};
    const document = JSON.parse(String(body));
    const names = place.split(' > ');
    const last = names.pop() ?? '';
    names.reduce((object, name) => (object[name] ??= {}), document)[last] = value;
    return { body: document };
  });
}

/** The description is not there for some requests. */
function hidingFrom(whom: (request: IncomingMessage) => boolean): Mutation {
  return publishing((_outgoing, request) => (whom(request) ? { status: 401, body: { error: 40101 } } : {}));
}

function publishing(rewrite: Parameters<typeof change.response>[0]): Mutation {
  return change.response((outgoing, request) => (request.url === '/openapi.json' ? rewrite(outgoing, request) : {}));
}

function withId(id: string): Partial<change.Outgoing> {
  return { headers: { 'x-request-id': id } };
}
