import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { createHttpServer, type HttpServerOptions } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { type DeployedService, fixedIds } from '@plant-store/contracts-http';
import { type CreatePlant, type TokenVerifier, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';

/** The changes to the correct service that make a mutant. */
export interface Mutation {
  /** Replaces the use case. */
  readonly createPlant?: (correct: CreatePlant) => CreatePlant;
  /** Replaces the token verifier. */
  readonly tokens?: (correct: TokenVerifier) => TokenVerifier;
  readonly options?: Partial<HttpServerOptions>;
  /** Changes the server before it listens. */
  readonly server?: (app: FastifyInstance, createPlant: CreatePlant) => void;
  /** Rewrites the incoming bytes of a connection, a character each, as a proxy in front would. */
  readonly incoming?: (bytes: string) => string;
  /** Whether the contract's fixed ids are taken by other plants. */
  readonly idsTaken?: boolean;
  /** Properties of the service that the contract is given. */
  readonly given?: Partial<DeployedService>;
}

/** Mutants by the clause that must fail and by their mistake: «HC-1 returns 201». */
export type Mutants = Readonly<Record<string, Mutation>>;

/** A token that the service accepts. */
export const token = 'correct.Horse-battery_Staple';
const otherToken = 'another~Token/with+Signs==';

/** Shorter than the defaults, but long enough to notice early time-outs on a busy machine. In milliseconds. */
export const timeOuts = { head: 3_000, request: 6_000 };

/** Accepts only the two tokens. */
const correctTokens: TokenVerifier = {
  verify: async (text) =>
    text === token || text === otherToken ? { accepted: true, subject: 'test' } : { accepted: false },
};

/** Starts the service with a mutation, on a store of its own. */
export async function startService(
  mutation: Mutation,
): Promise<AsyncDisposable & { readonly service: DeployedService }> {
  const store = openMemory();
  const correct = useCases(store);
  const createPlant = mutation.createPlant?.(correct.createPlant) ?? correct.createPlant;
  if (mutation.idsTaken) await Promise.allSettled(fixedIds.map((id) => createPlant({ id, name: 'somebody else’s' })));
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
    service: { baseUrl: proxy?.url ?? origin, token, otherToken, timeOuts, ...mutation.given },
    async [Symbol.asyncDispose]() {
      await app.close();
      proxy?.server.close();
      await store.close();
    },
  };
}

/** Starts a proxy in front of a server, which rewrites incoming bytes. */
async function startProxy(origin: string, rewrite: (bytes: string) => string) {
  const { hostname, port } = new URL(origin);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    async function* rewriting(incoming: AsyncIterable<Buffer>) {
      for await (const bytes of incoming) yield Buffer.from(rewrite(bytes.toString('latin1')), 'latin1');
    }
    // If one side fails, the other is closed.
    pipeline(client, rewriting, upstream, (error) => error && client.destroy());
    pipeline(upstream, client, (error) => error && upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
