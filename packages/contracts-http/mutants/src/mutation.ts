import type { HttpServerOptions } from '@plant-store/adapters-http';
import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';

/** What a mutant changes about the good service. All that it leaves out is good. */
export interface Mutation {
  /** The use case, made over the good one. */
  readonly createPlant?: (good: CreatePlant) => CreatePlant;
  /** The verifier, made over the good one. */
  readonly tokens?: (good: TokenVerifier) => TokenVerifier;
  readonly options?: Partial<HttpServerOptions>;
  /** Changes the good server before it listens. */
  readonly server?: (app: FastifyInstance) => void;
  /** Changes what comes in on a connection, a character a byte, before the server sees it: a proxy that means well. */
  readonly incoming?: (bytes: string) => string;
}
