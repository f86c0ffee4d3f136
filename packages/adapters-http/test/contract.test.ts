import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import type { TokenVerifier } from '@plant-store/domain';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorCatalogue } from '../src/index.ts';
import { causes } from './error-causes.ts';
import { plantServer } from './plant-server.ts';

const [token, otherToken] = ['correct.Horse-battery_Staple', 'another~Token/with+Signs=='];
const tokens: TokenVerifier = {
  verify: async (text) =>
    text === token || text === otherToken ? { accepted: true, subject: 'test' } : { accepted: false },
};
const timeOuts = { head: 1_000, request: 2_000 };
/** The numbers of the errors that clients got. */
const numbers = new Set<number>();
const logger = pino({}, { write: (line) => void numbers.add(JSON.parse(line).error) });
const server = plantServer({ tokens, logger, headersTimeout: timeOuts.head, requestTimeout: timeOuts.request });
let service: DeployedService;

beforeAll(async () => {
  service = { baseUrl: await server.listen({ host: '127.0.0.1', port: 0 }), token, otherToken, timeOuts };
});

afterAll(() => server.close());

describeContract(httpContract, () => service);

test('every error of an operation is got by a clause, or its cause is among those of the tests', () => {
  const missing = errorCatalogue.filter(({ name, error }) => !numbers.has(error) && !causes[name]);
  expect(missing.map(({ name }) => name)).toEqual([]);
});
