import { createHttpServer } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import type { DeployedService } from '@plant-store/contracts-http';
import { type TokenVerifier, useCases } from '@plant-store/domain';
import type { Mutation } from './mutation.ts';
import { startProxy } from './proxy.ts';

/** The token of the contract's own service. */
export const token = 'correct.Horse-battery_Staple';
const otherToken = 'another~Token/with+Signs==';

/** Shorter than the service's own; a mutant that gives up early does so a second before the contract looks, even in a stall. */
export const timeOuts = { head: 3_000, request: 6_000 };

/** Accepts the two tokens and nothing else. */
const correctTokens: TokenVerifier = {
  verify: async (text) =>
    text === token || text === otherToken ? { accepted: true, subject: 'test' } : { accepted: false },
};

/** A service that runs, with a store of its own. */
export interface RunningService extends AsyncDisposable {
  readonly service: DeployedService;
}

/** Starts the correct service with one mutation, or with none. */
export async function startService(mutation: Mutation): Promise<RunningService> {
  const store = openMemory();
  const correct = useCases(store);
  const createPlant = mutation.createPlant?.(correct.createPlant) ?? correct.createPlant;
  const app = createHttpServer({
    useCases: { ...correct, createPlant },
    tokens: mutation.tokens?.(correctTokens) ?? correctTokens,
    headersTimeout: timeOuts.head,
    requestTimeout: timeOuts.request,
    ...mutation.options,
  });
  mutation.server?.(app);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const proxy = mutation.incoming && (await startProxy(origin, mutation.incoming));
  return {
    service: { baseUrl: proxy?.url ?? origin, token, otherToken, timeOuts },
    async [Symbol.asyncDispose]() {
      await proxy?.close();
      await app.close();
      await store.close();
    },
  };
}
