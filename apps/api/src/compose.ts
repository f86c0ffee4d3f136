import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer, drain } from '@plant-store/adapters-http';
import { createPlant, type PlantStore, type TokenVerifier } from '@plant-store/domain';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Address, Config } from './config/config.ts';
import { openStore } from './stores/open-store.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { openTokens } from './tokens/open-tokens.ts';

/** The whole service, put together and listening. */
export interface Application {
  /** Base address of the public listener, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Base address of the operator's listener; undefined where it is switched off. */
  readonly adminUrl: string | undefined;
  /**
   * Ends the service: not ready; for `delayMs` milliseconds, 0 by default, it goes on serving, so that load balancers see
   * that; then no new connections, everything in flight answered, the store closed.
   */
  stop(delayMs?: number): Promise<void>;
}

/** Parts that a caller brings instead of those that the configuration names. What is brought is not closed here. */
export interface Overrides {
  readonly store?: PlantStore;
  readonly tokens?: TokenVerifier;
  /** Where the standard `OTEL_*` variables stand; `process.env` by default. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * The composition root: puts the service together from its configuration and starts it. The tests call it, too.
 *
 * @throws {Error} with a message for the operator when a part cannot be started; what was started by then is stopped.
 */
export async function compose(
  config: Config,
  logger: FastifyBaseLogger,
  overrides: Overrides = {},
): Promise<Application> {
  const parts: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  let http: FastifyInstance | undefined;
  const stop = (delayMs = 0) => (stopping ??= end(delayMs));
  const onError = (error: Error) => logger.error({ err: error }, 'background error');

  try {
    // The first one to be opened is the last one to be closed: it sends what the others have left to say.
    const telemetry = keep(
      await openTelemetry(overrides.environment ?? process.env, (message) => logger.warn(message)),
    );
    const tokens = overrides.tokens ?? keep(await openTokens(config, onError));
    const store = overrides.store ?? keep(await openStore(config, onError, telemetry.store));
    const ready = () => (stopping ? Promise.reject(new Error('the service is shutting down')) : store.check());

    const adminUrl =
      config.admin && (await listen(createAdminServer({ ready, metrics: telemetry.metricsText }), config.admin));
    http = createHttpServer({
      createPlant: createPlant(store.plants),
      tokens,
      logger,
      observer: telemetry.requests,
      bodyLimit: config.bodyLimit,
      maxRequestsInFlight: config.maxRequestsInFlight,
      maxBodyBytesInFlight: config.maxBodyBytesInFlight,
      maxConnections: config.maxConnections,
      docs: config.docs,
      ...(config.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.requestsPerSecond }),
    });
    const forOperator = adminUrl ? `, for its operator at ${adminUrl}` : '';
    return { url: await listen(http, config.http, (url) => `listening at ${url}${forOperator}`), adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function end(delayMs: number): Promise<void> {
    if (http && delayMs > 0) {
      // Not without a delay: callers would open new connections in the very moment in which none is taken any more.
      drain(http);
      await sleep(delayMs);
    }
    await closeInTurn(parts);
  }

  function keep<Part extends { close(): Promise<void> }>(part: Part): Part {
    parts.push(() => part.close());
    return part;
  }

  /**
   * A name that has several addresses gets one listener, on the first of them: Fastify would make another server for each
   * of the others, one that knows neither our time-outs nor our shutdown.
   */
  async function listen(
    server: FastifyInstance,
    { host, port }: Address,
    listenTextResolver = (url: string) => `listening at ${url}`,
  ): Promise<string> {
    keep({ close: async () => void (await server.close()) });
    return lookup(host)
      .then(({ address }) => server.listen({ host: address, port, listenTextResolver }))
      .catch((error: NodeJS.ErrnoException) => {
        throw new Error(whyNotListening(error, host, port), { cause: error });
      });
  }
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use on ${host}: set PORT or ADMIN_PORT to another one, or to 0 for a free one`;
    case 'EACCES':
      return `no permission to listen on port ${port}: set PORT or ADMIN_PORT to one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}: set HOST or ADMIN_HOST to one that it has`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}

/** The last one started is the first one closed: the public listener, the operator's, the store, the tokens. */
async function closeInTurn(parts: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  // One that fails to close must not keep the others open, the store least of all.
  for (const close of parts.toReversed()) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'not everything could be closed');
}
