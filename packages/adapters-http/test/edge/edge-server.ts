import type { DeployedService } from '@plant-store/contracts-http';
import type { TokenVerifier } from '@plant-store/domain';
import { pino } from 'pino';
import { plantServer } from '../plant-server.ts';

/** The real server over the store in memory, its log, and the errors that would have ended its process. */
export interface EdgeServer {
  readonly service: DeployedService;
  readonly port: number;
  readonly crashes: readonly unknown[];
  /** The lines since they were last taken out. */
  readonly log: string[];
  close(): Promise<void>;
}

export const token = 'edge-token';

export async function startEdgeServer(): Promise<EdgeServer> {
  const crashes: unknown[] = [];
  const onCrash = (error: unknown) => void crashes.push(error);
  process.on('uncaughtExceptionMonitor', onCrash).on('unhandledRejection', onCrash);

  const log: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
  const server = plantServer({ tokens, logger });
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    service: { baseUrl, token },
    port: Number(new URL(baseUrl).port),
    crashes,
    log,
    async close() {
      await server.close();
      process.off('uncaughtExceptionMonitor', onCrash).off('unhandledRejection', onCrash);
    },
  };
}

const tokens: TokenVerifier = {
  verify: async (text) => (text === token ? { accepted: true, subject: 'edge' } : { accepted: false }),
};
