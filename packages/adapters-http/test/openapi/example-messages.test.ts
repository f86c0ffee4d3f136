import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { statusOf } from '@plant-store/http-edge';
import { expect, test } from 'vitest';
import { type ErrorKind, errorCatalogue } from '../../src/index.ts';
import { openApiErrors } from '../../src/openapi/responses.ts';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

/** For each kind of error, how a client gets it: bytes that it sends, and what the service is made of. */
const causes: Readonly<Record<ErrorKind, readonly [sent: string, options?: PlantServerOptions]>> = {
  'malformed-json': [post('{"id": 7')],
  'not-a-new-plant': [post('{"tag": 7}')],
  'unsupported-media-type': [post('{}', { 'Content-Type': 'text/plain' })],
  'body-too-large': [post('{"id":7}'), { bodyLimit: 4 }],
  'id-taken': [post('{"id":7,"name":"Fern"}') + post('{"id":7,"name":"Moss"}')],
  'malformed-http': ['NONSENSE\r\n\r\n'],
  'request-timeout': ['POST /plants HTTP/1.1\r\n', { headersTimeout: 50 }],
  'plant-refused': [post('{"id":7,"name":"Fern"}'), failing(new PlantRefused('a trigger'))],
  'missing-token': [post('{}', { Authorization: 'Basic x' })],
  'token-not-accepted': [post('{}', { Authorization: 'Bearer wrong' })],
  'no-such-path': ['GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n'],
  'method-not-allowed': ['GET /plants HTTP/1.1\r\nHost: x\r\n\r\n'],
  'too-many-requests': [post('{}').repeat(11), { requestsPerSecond: 10 }],
  'internal-error': [post('{"id":7,"name":"Fern"}'), failing(new TypeError('defect'))],
  'store-unavailable': [post('{"id":7,"name":"Fern"}'), failing(new StoreUnavailable('gone'))],
  overloaded: [post('{"id":7,"name":"Fern"}'), failing(new StoreOverloaded('full'))],
  'token-check-unavailable': [
    post('{}'),
    { tokens: { verify: () => Promise.reject(new VerifierUnavailable('no keys')) } },
  ],
};

const kinds = Object.keys(causes) as ErrorKind[];

test.concurrent.for(kinds)('the example of %s is what a client gets', async (kind, { onTestFinished }) => {
  const { content } = openApiErrors([kind])[statusOf(errorCatalogue[kind])] as {
    content: Record<string, { examples: Record<string, object> }>;
  };
  const [sent, options] = causes[kind];
  const app = plantServer({
    tokens: { verify: async (token) => (token === 'sesame' ? { accepted: true, subject: 'me' } : { accepted: false }) },
    ...options,
  });
  onTestFinished(() => app.close());
  const received = await lastRecord(await app.listen({ host: '127.0.0.1', port: 0 }), sent);
  const example = content['application/json']?.examples[kind];
  expect(example).toEqual({ summary: errorCatalogue[kind].meaning, value: received });
});

/** A request to create a plant. */
function post(body: string, changed: Readonly<Record<string, string>> = {}): string {
  const headers = {
    Host: 'x',
    Authorization: 'Bearer sesame',
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...changed,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /plants HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function failing(error: Error): PlantServerOptions {
  return { useCases: { createPlant: () => Promise.reject(error) } };
}

/** Sends the bytes, and reads the body of the last response. */
async function lastRecord(url: string, sent: string): Promise<unknown> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The last response ends the connection.
  socket.write(sent.replace(/(.*)Host: x/s, '$1Connection: close\r\nHost: x'));
  const received = await text(socket);
  return JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n')));
}
