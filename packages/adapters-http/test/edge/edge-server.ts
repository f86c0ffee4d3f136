import { openMemory } from '@plant-store/adapters-memory';
import type { DeployedService } from '@plant-store/contracts-http';
import { createPlant, type TokenVerifier } from '@plant-store/domain';
import { createHttpServer } from '../../src/index.ts';

/** The real server over the store in memory, and the errors that would have ended its process. */
export interface EdgeServer {
  readonly service: DeployedService;
  readonly port: number;
  readonly crashes: readonly unknown[];
  close(): Promise<void>;
}

export const token = 'edge-token';

export async function startEdgeServer(): Promise<EdgeServer> {
  const crashes: unknown[] = [];
  const onCrash = (error: unknown) => void crashes.push(error);
  process.on('uncaughtExceptionMonitor', onCrash).on('unhandledRejection', onCrash);

  const store = openMemory();
  const server = createHttpServer({ createPlant: createPlant(store.plants), tokens });
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    service: { baseUrl, token },
    port: Number(new URL(baseUrl).port),
    crashes,
    async close() {
      await server.close();
      await store.close();
      process.off('uncaughtExceptionMonitor', onCrash).off('unhandledRejection', onCrash);
    },
  };
}

const tokens: TokenVerifier = {
  verify: async (text) => (text === token ? { accepted: true, subject: 'edge' } : { accepted: false }),
};
