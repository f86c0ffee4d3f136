import { openMemory } from '@plant-store/adapters-memory';
import { type UseCases, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { createHttpServer, type HttpServerOptions } from '../src/index.ts';

/** What a test sets of the server. */
export interface PlantServerOptions extends Partial<Omit<HttpServerOptions, 'useCases'>> {
  readonly useCases?: Partial<UseCases>;
}

/** The server over a store in memory, which accepts every token: its subject is the token. */
export function plantServer({ useCases: replaced, ...options }: PlantServerOptions = {}): FastifyInstance {
  return createHttpServer({
    tokens: { verify: async (subject) => ({ accepted: true, subject }) },
    useCases: { ...useCases(openMemory()), ...replaced },
    ...options,
  });
}
