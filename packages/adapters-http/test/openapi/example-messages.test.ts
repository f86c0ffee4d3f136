import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { DeployedService } from '@plant-store/contracts-http';
import {
  expectDescribed,
  parseResponse,
  rawRequest,
  readDescription,
  refusals,
  toAnythingElse,
} from '@plant-store/contracts-http/wire';
import { PlantRefused, StoreOverloaded, StoreUnavailable, VerifierUnavailable } from '@plant-store/domain';
import { statusOf } from '@plant-store/http-edge';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/index.ts';
import { type PlantServerOptions, plantServer } from '../plant-server.ts';

const body = '{"id":7,"name":"Fern"}';

const refused = new PlantRefused('violates check constraint "small"', { cause: new Error('the row') });
const noKeys = { verify: () => Promise.reject(new VerifierUnavailable('no keys')) };

/** How a client gets an error: bytes that it sends, what the service is made of, and a reason that only the log has. */
type Cause = readonly [sent: string, options?: PlantServerOptions, reason?: string];

/** Those that no request of the contract gets, with an example of its own. */
const causes: Readonly<Record<string, Cause>> = {
  'id-taken': [post(body) + post('{"id":7,"name":"Moss"}')],
  'malformed-http': ['NONSENSE\r\n\r\n'],
  'request-timeout': ['POST /plants HTTP/1.1\r\n', { headersTimeout: 1_000 }],
  'plant-refused': [post(body), failing(refused), refused.message],
  'token-not-accepted': [post('{}', 'wrong'), {}, 'JWT: expired'],
  'too-many-requests': [post('{}').repeat(11), { requestsPerSecond: 10 }],
  'internal-error': [post(body), failing(new TypeError('defect'))],
  'store-unavailable': [post(body), failing(new StoreUnavailable('connect /run/db')), 'connect /run/db'],
  overloaded: [post(body), failing(new StoreOverloaded('2000 adds wait')), '2000 adds wait'],
  'token-check-unavailable': [post('{}'), { tokens: noKeys }, 'no keys'],
};

test.concurrent.for(Object.entries(errorCatalogue))(
  '%s is what a client gets, as it is described; the reason is in the log alone',
  async ([kind, { error, meaning }], context) => {
    const [sent, options, reason] = causes[kind] ?? [];
    const lines: Record<string, unknown>[] = [];
    const app = plantServer({
      logger: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
      tokens: {
        verify: async (token) =>
          token === 'sesame' ? { accepted: true, subject: 'me' } : { accepted: false, reason: 'JWT: expired' },
      },
      ...options,
    });
    context.onTestFinished(() => app.close());
    const service = { baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }), token: 'sesame' };
    const ofContract =
      refusals[kind as keyof typeof refusals] ?? (() => expect.unreachable('say how a client gets it'));
    const response = await (sent === undefined ? ofContract(service) : lastResponse(service, sent));

    const description = await readDescription(service);
    const example = [String(statusOf({ error, meaning })), 'content', 'application/json', 'examples', kind];
    const ofOperations = Object.entries(Object(description.at('paths'))).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => ['paths', path, method, 'responses']),
    );
    const where = [toAnythingElse, ...ofOperations].find((each) => description.at(...each, ...example) !== undefined);
    if (!where) expect.unreachable('no operation describes it');
    expectDescribed(description, response, where);
    const described = [...where, String(statusOf({ error, meaning }))];
    expect(description.at(...described, 'description')).toContain(`- ${error}: ${meaning}`);
    expect(description.at(...described, 'content', 'application/json', 'examples', kind)).toEqual({
      summary: meaning,
      value: JSON.parse(Buffer.from(response.body).toString()),
    });
    if (reason === undefined) return;
    const [status, level] = [statusOf({ error, meaning }), error > 50_000 ? 40 : 30];
    await context.expect.poll(() => lines[0]).toMatchObject({ level, status, error, reason, msg: 'request completed' });
    expect(JSON.stringify([[...response.headers], Buffer.from(response.body).toString()])).not.toContain(reason);
    expect(JSON.stringify(lines)).not.toMatch(/stack|the row/);
  },
);

/** A request to create a plant. */
function post(body: string, token = 'sesame'): string {
  return rawRequest({ baseUrl: 'http://x', token }, { body });
}

function failing(error: Error): PlantServerOptions {
  return { useCases: { createPlant: () => Promise.reject(error) } };
}

async function lastResponse(service: DeployedService, sent: string) {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  // The last response ends the connection.
  socket.write(sent.replace(/(.*)Host: x/s, '$1Connection: close\r\nHost: x'));
  const received = await buffer(socket);
  const last = parseResponse(received.subarray(received.lastIndexOf('HTTP/1.1 ')), false);
  if (last.state === 'complete') return { service, action: () => `sent ${sent}`, ...last };
  expect.unreachable(`the last response is ${last.state}`);
}
