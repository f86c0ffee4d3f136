import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { createHttpServer, type HttpServerOptions } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { type DeployedService, fixedIds } from '@plant-store/contracts-http';
import { type CreatePlant, type TokenVerifier, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';

/** What a mutant changes in the correct service. What it leaves out is correct. */
export interface Mutation {
  /** Wraps the correct use case. */
  readonly createPlant?: (correct: CreatePlant) => CreatePlant;
  /** Wraps the correct verifier. */
  readonly tokens?: (correct: TokenVerifier) => TokenVerifier;
  readonly options?: Partial<HttpServerOptions>;
  /** Changes the correct server before it listens. */
  readonly server?: (app: FastifyInstance, createPlant: CreatePlant) => void;
  /** Changes the incoming bytes of a connection, a character each, before the server sees them: a proxy that means well. */
  readonly incoming?: (bytes: string) => string;
  /** Whether other plants have the ids that are not random. */
  readonly isTaken?: boolean;
  /** What the contract is told of the service. */
  readonly told?: Partial<DeployedService>;
}

/** Services that break a clause each, in ways in which people really break it: by clause, and by what they do. */
export type Mutants = Readonly<Record<string, Readonly<Record<string, Mutation>>>>;

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

/** Starts the correct service with one mutation, or with none, and a store of its own. */
export async function startService(
  mutation: Mutation,
): Promise<AsyncDisposable & { readonly service: DeployedService }> {
  const store = openMemory();
  const correct = useCases(store);
  const createPlant = mutation.createPlant?.(correct.createPlant) ?? correct.createPlant;
  if (mutation.isTaken) await Promise.allSettled(fixedIds.map((id) => createPlant({ id, name: 'somebody else’s' })));
  const app = createHttpServer({
    useCases: { ...correct, createPlant },
    tokens: mutation.tokens?.(correctTokens) ?? correctTokens,
    headersTimeout: timeOuts.head,
    requestTimeout: timeOuts.request,
    ...mutation.options,
  });
  mutation.server?.(app, createPlant);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const proxy = mutation.incoming && (await startProxy(origin, mutation.incoming));
  return {
    service: { baseUrl: proxy?.url ?? origin, token, otherToken, timeOuts, ...mutation.told },
    async [Symbol.asyncDispose]() {
      await app.close();
      proxy?.server.close();
      await store.close();
    },
  };
}

/** Starts a proxy in front of a server: it rewrites incoming bytes and leaves outgoing ones alone. */
async function startProxy(origin: string, rewrite: (bytes: string) => string) {
  const { hostname, port } = new URL(origin);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    async function* rewriting(incoming: AsyncIterable<Buffer>) {
      for await (const bytes of incoming) yield Buffer.from(rewrite(bytes.toString('latin1')), 'latin1');
    }
    // If either side breaks off, so does the other.
    pipeline(client, rewriting, upstream, (error) => error && client.destroy());
    pipeline(upstream, client, (error) => error && upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
