import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as change from '../changes.ts';
import { type Mutants, type Mutation, timeOuts, token } from '../mutation.ts';

const close = { connection: 'close' };
const noChallenge = { 'www-authenticate': undefined };
const bareChallenge = { 'www-authenticate': 'Bearer realm="plant-store"' };
const withoutNosniff = { 'x-content-type-options': undefined };
const newPlant = 'components > schemas > NewPlant';
const examples = 'paths > /plants > post > responses > 400 > content > application/json > examples';

/** Mutants of HC-19 to HC-43: tokens, targets, framing, connections, incomplete requests, and the description. */
export const http: Mutants = {
  'HC-19 recognizes only Bearer and bearer as the scheme': change.inHeader('authorization', /^(?![Bb]earer).*/, ''),
  'HC-20 accepts one token only': {
    tokens: (correct) => ({ verify: async (text) => (text === token ? correct.verify(text) : { accepted: false }) }),
  },
  'HC-21 returns 401 without WWW-Authenticate': change.errorHeaders('missing-token', noChallenge),
  'HC-21 needs no Authorization header': change.header('authorization', (value) => value ?? `Bearer ${token}`),
  'HC-21 reads the token from the query': change.header('authorization', (value, { url }) => {
    const given = new URL(`http://plants${url}`).searchParams.get('access_token');
    return given === null ? value : `Bearer ${given}`;
  }),
  'HC-22 accepts the beginning of a token': {
    tokens: (correct) => ({
      verify: async (text) => (token.startsWith(text) ? { accepted: true, subject: 'test' } : correct.verify(text)),
    }),
  },
  'HC-22 leaves error="invalid_token" out': change.errorHeaders('token-not-accepted', bareChallenge),
  'HC-22 repeats the wrong token': change.record('token-not-accepted', (_, { headers }) => ({
    message: `${headers.authorization}?`,
  })),
  'HC-23 takes the first of two tokens': change.inHeader('authorization', /, .*/, ''),
  'HC-24 waits for the body before it checks the token': change.server((server) => {
    const correct = server.listeners('request');
    server.removeAllListeners('request').on('request', (request, response) => {
      request.once('readable', () => correct.forEach((listener) => void listener.call(server, request, response)));
    });
  }),
  'HC-24 checks the media type before the token': change.error('missing-token', (_outgoing, { headers }) =>
    headers['content-type'] === 'text/plain' ? { status: 400, body: { error: 40003, message: 'send JSON' } } : {},
  ),
  'HC-25 ignores a slash at the end': change.target((target) => target.replace(/^(\/plants)\/$/, '$1')),
  'HC-25 declares the 404 as HTML': change.errorHeaders('no-such-path', { 'content-type': 'text/html' }),
  'HC-26 compares the whole target with the path': change.target((target) => target.replace('?', '/')),
  'HC-26 does not recognize the absolute-form': change.target((target) => target.replace(/^http:/, '/http:')),
  'HC-27 returns 405 without Allow': change.errorHeaders('method-not-allowed', { allow: undefined }),
  'HC-27 treats PUT as POST': change.incoming(/^PUT /, 'POST '),
  'HC-27 returns 200 to HEAD': change.response((_, { method }) => (method === 'HEAD' ? { status: 200 } : {})),
  'HC-27 responds to HEAD with a body': change.request((request, response) => {
    if (request.method === 'HEAD') Object.assign(response, { _hasBody: true });
  }),
  'HC-27 recognizes methods in any case': change.incoming(/^post /i, 'POST '),
  'HC-27 returns 501 for a method that it does not recognize': change.parserError(
    ({ rawPacket }) => /^(?!POST )[A-Z-]+ \/plants /.test(String(rawPacket)),
    501,
  ),
  'HC-28 closes the connection of a CONNECT without a response, as Node does': change.request(({ method, socket }) => {
    if (method === 'CONNECT') socket.destroy();
  }),
  'HC-28 treats GET * as GET /': change.target((target) => (target === '*' ? '/' : target)),
  'HC-28 handles a target with invalid encoding as Fastify does': {
    incoming: (bytes) => bytes.replace('POST /% ', 'POST /bad '),
    server: (app) => app.post('/bad', (_, reply) => reply.code(400).send({ error: 'Bad Request', message: 'bad' })),
  },
  'HC-29 drops Content-Length if there is Transfer-Encoding': rewriteHead((head) =>
    /^Transfer-Encoding: chunked$/im.test(head) ? head.replace(/\r\nContent-Length:[^\r]*/gi, '') : head,
  ),
  'HC-29 does not close after a parser error': {
    ...change.createdLater,
    ...change.server((server) => {
      server.removeAllListeners('clientError').on('clientError', (_error, socket) => change.respond(socket, 400));
    }),
  },
  'HC-29 reads a length as parseInt does': rewriteHead((head) =>
    head.replace(/(\r\nContent-Length: )([+\d][^\r,]*)(?=\r)/, (all, name, value) =>
      /^\d+$/.test(value) ? all : `${name}${Number.parseInt(value, 10)}`,
    ),
  ),
  'HC-30 recognizes chunked in lower case only': change.inHeader('transfer-encoding', 'Chunked', 'x'),
  'HC-30 rejects chunk extensions': change.incoming(/\r\n([\da-f]+;a=)/i, '\r\n!$1'),
  'HC-31 tolerates a bare LF in a chunked body': change.incoming(/(?<=: chunked.*\r\n\r\n.*[^\r])\n/gs, '\r\n'),
  'HC-31 ignores gzip in gzip, chunked': change.inHeader('transfer-encoding', 'gzip, ', ''),
  'HC-31 tolerates lines that end in a bare LF': rewriteHead((head) => head.replace(/(?<!\r)\n/g, '\r\n')),
  'HC-31 returns 431 for a head that is too long': change.parserError(
    ({ code }) => code === 'HPE_HEADER_OVERFLOW',
    431,
  ),
  'HC-31 treats HTTP/2.0 as HTTP/1.1': change.incoming(/^(POST \/plants HTTP\/)2\.0/, '$11.1'),
  'HC-31 closes without a response on a TLS handshake': change.parserError(({ rawPacket }) => rawPacket?.[0] === 0x16),
  'HC-31 takes the first of two Host headers': change.inHeader('host', /, .*/, ''),
  'HC-31 accepts an empty Host header': change.header('host', (host) => host || 'localhost'),
  'HC-31 leaves a missing Host to Node': change.server((http) => void Object.assign(http, { requireHostHeader: true })),
  'HC-32 closes the connection after every response': change.response(() => ({ headers: close })),
  'HC-32 responds to a parser error at once, before earlier requests': {
    ...change.createdLater,
    ...change.parserError((error) => !isTimeout(error), 400),
  },
  'HC-33 closes after a body that it cannot parse, as Fastify does': change.errorHeaders('malformed-json', close),
  'HC-34 recognizes close in lower case only': change.incoming('\r\nConnection: Close\r', '\r'),
  'HC-34 treats HTTP/1.0 as HTTP/1.1': change.incoming(/^(POST \/plants HTTP\/1)\.0/, '$1.1'),
  'HC-35 drops the connection of an Upgrade': change.request(({ headers, socket }) => {
    if (headers.upgrade !== undefined) socket.destroy();
  }),
  'HC-35 rejects empty lines before a request': change.incoming(/^\r\n\r\n(?=POST)/, '!'),
  'HC-36 responds a second time if the rest of a body cannot be read': change.server((server) => {
    const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
    server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
    server.prependListener('clientError', (_error, socket) => {
      const { request, response } = latest.get(socket) ?? {};
      if (request?.complete === false && response?.statusCode === 401) change.respond(socket, 400).end();
    });
  }),
  'HC-36 closes after an early response and does not announce it': change.request((request, response) => {
    response.once('finish', () => request.complete || request.socket.end());
  }),
  'HC-36 takes a rejected body for a request': change.incoming(/( wrong\r\n.*-Length:) \d+/s, '$1 0'),
  'HC-37 treats an incomplete body as complete': {
    incoming: (bytes) =>
      bytes.replace(
        /(Content-Length: )\d+([\s\S]*\r\n\r\n)(\{[^{}]*\})$/,
        (_, name, head, body) => `${name}${body.length}${head}${body}`,
      ),
  },
  'HC-38 ignores Expect: 100-continue': change.header('expect', () => undefined),
  'HC-38 reads the body before it checks the token, as Node does': change.server((server) => {
    server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
      response.writeContinue();
      delete request.headers.expect;
      server.emit('request', request, response);
    });
  }),
  'HC-38 ignores other expectations': change.header('expect', (value) => /^100-Continue$/.exec(`${value}`)?.[0]),
  'HC-39 waits seven times as long for a head': { options: { headersTimeout: 21_000, requestTimeout: 21_000 } },
  'HC-39 waits a fifteenth of the time for a head': { options: { headersTimeout: 200 } },
  'HC-39 waits a fifteenth of the time for a request': { options: { headersTimeout: 200, requestTimeout: 400 } },
  'HC-39 closes silent connections, but not those with a byte now and then': {
    options: { requestTimeout: 0 },
    ...change.server((server) => void server.setTimeout(timeOuts.request)),
  },
  'HC-39 returns 408 to a slow client, as Fastify does': change.parserError(
    isTimeout,
    408,
    '{"error":"Request Timeout"}',
  ),
  'HC-39 returns 400 when nothing was sent': change.parserError((_, { bytesRead }) => bytesRead === 0, 400),
  'HC-39 does not describe the error of a time-out': describing(`${examples} > request-timeout`, undefined),
  'HC-40 rejects a wrong token': hidingFrom(({ headers }) => headers.authorization === 'Bearer wrong'),
  'HC-40 requires a token for the description': hidingFrom(({ headers }) => !headers.authorization),
  'HC-40 says more with a token': publishing(({ body }, { headers }) => ({
    body: `${body}${headers.authorization ? ' ' : ''}`,
  })),
  'HC-40 serves the description to GET only': hidingFrom(({ method }) => method === 'HEAD'),
  'HC-40 takes POST for GET': { server: (app) => app.post('/openapi.json', async () => ({})) },
  'HC-40 forgets HEAD in Allow': publishing(({ headers }) => (headers['allow'] ? { headers: { allow: 'GET' } } : {})),
  'HC-41 publishes OpenAPI 3.0': describing('openapi', '3.0.4'),
  'HC-41 describes the operation as one without authentication': describing('paths > /plants > post > security', []),
  'HC-41 describes a method that it does not have': describing('paths > /plants > get', {}),
  'HC-41 describes the name as optional': describing(`${newPlant} > required`, ['id']),
  'HC-41 describes NewPlant as closed to other members': describing(`${newPlant} > additionalProperties`, false),
  'HC-42 leaves 401 out of the description': describing('paths > /plants > post > responses > 401', undefined),
  'HC-42 describes errors by an invalid schema': describing('components > schemas > Error > type', 'record'),
  'HC-42 returns a member that it does not describe': change.created((plant) => ({ id: 7, ...plant })),
  'HC-42 returns a number that it does not describe': change.record('malformed-json', () => ({ error: 40_099 })),
  'HC-42 describes a challenge that it does not send': change.errorHeaders('missing-token', noChallenge),
  'HC-42 sends nosniff with errors only': change.created((plant) => plant, 200, withoutNosniff),
  'HC-42 sends the description without nosniff': publishing(() => ({ headers: withoutNosniff })),
  'HC-43 returns the id of a success only': change.error('any', () => withId(randomUUID())),
  'HC-43 accepts only UUIDs as an id': change.header('x-request-id', (id) => (id?.length === 36 ? id : undefined)),
  'HC-43 returns an id of any length': change.response((_outgoing, request) => {
    const id = String(request.headers['x-request-id'] ?? '');
    return id.length > 128 ? withId(id) : {};
  }),
  'HC-43 makes up the same id each time': change.header('x-request-id', (id) => id ?? 'made-up'),
  'HC-43 sends no id after a parser error': change.parserError(
    ({ rawPacket }) => /\r\nX-Request-Id\r\n/.test(String(rawPacket)),
    400,
  ),
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

function isTimeout({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** The description has this value at this path of names; undefined removes it. */
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

/** Some requests for the description get 401. */
function hidingFrom(isRejected: (request: IncomingMessage) => boolean): Mutation {
  return publishing((_outgoing, request) => (isRejected(request) ? { status: 401, body: { error: 40101 } } : {}));
}

/** Changes the responses to requests for the description. */
function publishing(rewrite: Parameters<typeof change.response>[0]): Mutation {
  return change.response((outgoing, request) => (request.url === '/openapi.json' ? rewrite(outgoing, request) : {}));
}

function withId(id: string): Partial<change.Outgoing> {
  return { headers: { 'x-request-id': id } };
}
