import type { Mutant } from '../mutant.ts';
import { rewriteRequest, rewriteTarget } from '../mutations/requests.ts';
import { type Outgoing, rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onFastify, onParserError, onServer, rewriteIncoming } from '../mutations/server.ts';

/** Break HC-38 to HC-44: the paths and methods. */
export const addresses: readonly Mutant[] = [
  {
    does: 'ignores a slash at the end',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => target.replace(/^(\/plants)\/$/, '$1')),
  },
  {
    does: 'recognizes the path in any case',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => target.replace(/^\/plants$/i, '/plants')),
  },
  { does: 'folds slashes', breaks: 'HC-38', mutation: rewriteTarget((target) => target.replace(/^\/{2,}/, '/')) },
  {
    does: 'creates plants at the root too',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => (target === '/' ? '/plants' : target)),
  },
  {
    does: 'treats a semicolon as the start of the query',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => target.replace(';', '?')),
  },
  {
    does: 'decodes the path before it cuts the query off',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => target.replace('%3F', '?')),
  },
  {
    does: 'has its health on the public listener',
    breaks: 'HC-38',
    mutation: onFastify((app) => app.get('/health', async () => ({}))),
  },
  {
    does: 'serves an earlier version of the path too',
    breaks: 'HC-38',
    mutation: rewriteTarget((target) => target.replace('/v1/plants', '/plants')),
  },
  {
    does: 'returns 404 with HTML',
    breaks: 'HC-38',
    alsoBreaks: { clauses: ['HC-43', 'HC-44', 'HC-54', 'HC-64'], because: 'they have paths that lead nowhere as well' },
    mutation: rewriteError(['no-such-path'], (_record, { headers }) => ({
      headers: { ...headers, 'content-type': 'text/html' },
      body: '<h1>Not Found</h1>',
    })),
  },
  {
    does: 'returns 404 as Fastify does',
    breaks: 'HC-38',
    alsoBreaks: { clauses: ['HC-43', 'HC-44', 'HC-54', 'HC-64'], because: 'they have paths that lead nowhere as well' },
    mutation: rewriteError(['no-such-path'], (_record, _answer, { method, url }) => ({
      body: JSON.stringify({ message: `Route ${method}:${url} not found`, error: 'Not Found', statusCode: 404 }),
    })),
  },
  {
    does: 'returns 404 if the query is not encoded well',
    breaks: 'HC-39',
    mutation: rewriteTarget((target) => (/%(?![\da-f]{2})/i.test(target.split('?')[1] ?? '') ? '/x' : target)),
  },
  {
    does: 'compares the whole target with the path',
    breaks: 'HC-39',
    alsoBreaks: { clauses: ['HC-35', 'HC-43'], because: 'they have a query as well' },
    mutation: rewriteTarget((target) => target.replace('?', '/')),
  },
  {
    does: 'treats the query as members of the record',
    breaks: 'HC-39',
    mutation: onFastify((app) =>
      app.addHook('preHandler', async (request) => {
        request.body = Object.assign(Object(request.body), request.query);
      }),
    ),
  },
  {
    does: 'responds to another method as to another path',
    breaks: 'HC-40',
    alsoBreaks: { clauses: ['HC-41', 'HC-54', 'HC-62'], because: 'they have other methods as well' },
    mutation: rewriteError(['method-not-allowed'], () => noSuchPath),
  },
  {
    does: 'returns 405 without Allow',
    breaks: 'HC-40',
    alsoBreaks: { clauses: ['HC-41', 'HC-62', 'HC-64'], because: 'they look at Allow as well' },
    mutation: rewriteError(['method-not-allowed'], (_record, { headers }) => ({
      headers: { ...headers, allow: undefined },
    })),
  },
  {
    does: 'allows OPTIONS as well',
    breaks: 'HC-40',
    alsoBreaks: { clauses: ['HC-41', 'HC-62'], because: 'they look at Allow as well' },
    mutation: rewriteError(['method-not-allowed'], (_record, { headers }) => ({
      headers: { ...headers, allow: 'POST, OPTIONS' },
    })),
  },
  {
    does: 'responds to OPTIONS for browsers',
    breaks: 'HC-40',
    alsoBreaks: { clauses: ['HC-41'], because: 'OPTIONS is in its Allow then' },
    mutation: onFastify((app) => app.options('/plants', async (_request, reply) => reply.code(204).send())),
  },
  {
    does: 'treats PUT as POST',
    breaks: 'HC-40',
    alsoBreaks: { clauses: ['HC-64'], because: 'it sends PUT to be refused' },
    mutation: rewriteRequest((request) => {
      if (request.method === 'PUT') request.method = 'POST';
    }),
  },
  {
    does: 'returns 200 to HEAD, for load balancers',
    breaks: 'HC-41',
    mutation: rewriteResponse((_answer, { method }) => (method === 'HEAD' ? { status: 200 } : {})),
  },
  {
    does: 'responds to HEAD without Allow',
    breaks: 'HC-41',
    mutation: rewriteResponse(({ headers }, { method }) =>
      method === 'HEAD' ? { headers: { ...headers, allow: undefined } } : {},
    ),
  },
  {
    does: 'responds to HEAD with a body',
    breaks: 'HC-41',
    alsoBreaks: { clauses: ['HC-62'], because: 'it has a HEAD whose response is followed by what is none' },
    // Node omits the body of a response to HEAD unless it treats the request as a GET.
    mutation: onServer((server) =>
      server.prependListener('request', (request, response) => {
        if (request.method === 'HEAD') Object.assign(response, { _hasBody: true });
      }),
    ),
  },
  {
    does: 'recognizes methods in any case',
    breaks: 'HC-42',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^post /i, 'POST ')),
  },
  {
    does: 'returns 501 for a method that it does not recognize',
    breaks: 'HC-42',
    mutation: onParserError(
      ({ rawPacket }, socket) =>
        /^(?!POST )[A-Z-]+ \/plants /.test(String(rawPacket)) && endWith(socket, 501, malformed),
    ),
  },
  {
    does: 'does not recognize the absolute-form',
    breaks: 'HC-43',
    mutation: rewriteTarget((target) => target.replace(/^http:/, '/http:')),
  },
  {
    does: 'strips the origin with the query still there',
    breaks: 'HC-43',
    alsoBreaks: { clauses: ['HC-44'], because: 'it has a target with another origin and the path of the operation' },
    mutation: rewriteTarget((target) => target.replace(/^http:.*\//, '/')),
  },
  {
    does: 'closes the connection of a CONNECT without a response, as Node does',
    breaks: 'HC-44',
    alsoBreaks: { clauses: ['HC-68'], because: 'it sends a CONNECT as well' },
    mutation: onServer((server) => void server.removeAllListeners('connect')),
  },
  {
    does: 'returns 405 to CONNECT',
    breaks: 'HC-44',
    alsoBreaks: { clauses: ['HC-68'], because: 'it sends a CONNECT as well' },
    mutation: onServer((server) => {
      server.removeAllListeners('connect').on('connect', (_request, socket) => {
        endWith(socket, 405, JSON.stringify({ error: 40501, message: 'POST only' }));
      });
    }),
  },
  {
    does: 'responds to OPTIONS * as a request about the whole server',
    breaks: 'HC-44',
    mutation: rewriteResponse((_answer, { method, url }) =>
      method === 'OPTIONS' && url === '*' ? { status: 200 } : {},
    ),
  },
  {
    does: 'puts the slash that is missing before the target',
    breaks: 'HC-44',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^POST (?=plants)/, 'POST /')),
  },
  {
    does: 'treats a backslash as a slash, as browsers do',
    breaks: 'HC-44',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^POST \\/, 'POST /')),
  },
  {
    does: 'handles a target with invalid encoding as Fastify does',
    breaks: 'HC-44',
    mutation: rewriteResponse((_answer, { url }) =>
      url === '/%'
        ? { body: '{"error":"Bad Request","code":"FST_ERR_BAD_URL","message":"\'/%\' is not a valid url component"}' }
        : {},
    ),
  },
];

const noSuchPath: Partial<Outgoing> = {
  status: 404,
  body: JSON.stringify({ error: 40401, message: 'path not found' }),
};
