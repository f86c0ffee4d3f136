import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { afterAll, beforeAll } from 'vitest';
import { plantServer, twoTokens } from './serve.ts';

const server = plantServer({ tokens: twoTokens });
let service: DeployedService;

beforeAll(async () => {
  service = { baseUrl: await server.listen({ host: '127.0.0.1', port: 0 }), ...twoTokens };
});

afterAll(() => server.close());

describeContract(httpContract, () => service);
