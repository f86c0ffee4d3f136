import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import type { TokenVerifier } from '@plant-store/domain';
import { afterAll, beforeAll } from 'vitest';
import { plantServer } from './plant-server.ts';

const [token, otherToken] = ['correct.Horse-battery_Staple', 'another~Token/with+Signs=='];
const tokens: TokenVerifier = {
  verify: async (text) =>
    text === token || text === otherToken ? { accepted: true, subject: 'test' } : { accepted: false },
};
const timeOuts = { head: 1_000, request: 2_000 };
const server = plantServer({ tokens, headersTimeout: timeOuts.head, requestTimeout: timeOuts.request });
let service: DeployedService;

beforeAll(async () => {
  service = { baseUrl: await server.listen({ host: '127.0.0.1', port: 0 }), token, otherToken, timeOuts };
});

afterAll(() => server.close());

describeContract(httpContract, () => service);
