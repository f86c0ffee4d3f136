import { type PublishedDescription, readDescription } from '@plant-store/contracts-http/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus } from './corpus.ts';
import { type EdgeServer, startEdgeServer } from './edge-server.ts';
import { expectSane } from './invariants.ts';
import { inSegments, mutatedBytes } from './mutations.ts';
import { pipelinedRequests } from './structured-requests.ts';

/** The same examples every time, in `test:all` ten times as many; docs/http-edge-cases.md says how to run others and more. */
const seed = Number(process.env['EDGE_FUZZ_SEED'] ?? 20_261_121);
const numRuns = Number(process.env['EDGE_FUZZ_RUNS'] ?? (process.env['TEST_EXHAUSTIVE'] === '1' ? 1_000 : 100));
const timeout = 30_000 + 30 * numRuns;

let server: EdgeServer;
let description: PublishedDescription;

beforeAll(async () => {
  server = await startEdgeServer();
  description = await readDescription(server.service);
});

afterAll(() => server.close());

describe('whatever the bytes, each request gets one response, an Error record or the requested content, and the service keeps running', () => {
  test.each(corpus)('%s', async (_what, bytes) => {
    await expectSane(server, description, [Buffer.from(bytes, 'latin1')]);
    await expectSane(
      server,
      description,
      Array.from(bytes, (byte) => Buffer.from(byte, 'latin1')),
    );
  });

  test('mutated bytes of the corpus', { timeout }, async () => {
    const property = fc.asyncProperty(mutatedBytes(), (segments) => expectSane(server, description, segments));
    await fc.assert(property, { seed, numRuns });
  });

  test('requests generated from valid and invalid parts', { timeout }, async () => {
    const segments = pipelinedRequests().chain(inSegments);
    const property = fc.asyncProperty(segments, (example) => expectSane(server, description, example));
    await fc.assert(property, { seed, numRuns });
  });

  test('seed and runs are whole numbers', () => {
    expect(Number.isInteger(seed) && Number.isInteger(numRuns) && numRuns > 0).toBe(true);
  });
});
