import type { HttpServerOptions } from '@plant-store/adapters-http';
import type { CreatePlant, TokenVerifier } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';

/** What a mutant changes in the correct service. What it leaves out is correct. */
export interface Mutation {
  /** Wraps the correct use case. */
  readonly createPlant?: (correct: CreatePlant) => CreatePlant;
  /** Wraps the correct verifier. */
  readonly tokens?: (correct: TokenVerifier) => TokenVerifier;
  readonly options?: Partial<HttpServerOptions>;
  /** Changes the correct server before it listens. */
  readonly server?: (app: FastifyInstance) => void;
  /** Changes the incoming bytes of a connection, a character each, before the server sees them: a proxy that means well. */
  readonly incoming?: (bytes: string) => string;
}

/** Services that break a clause each, in ways in which people really break it: by clause, and by what they do. */
export type Mutants = Readonly<Record<string, Readonly<Record<string, Mutation>>>>;
