import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer, drain } from '@plant-store/adapters-http';
import { createPlant, type PlantStore, type TokenVerifier } from '@plant-store/domain';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Address, Config } from './config/index.ts';
import { openStore } from './stores/index.ts';
import { openTelemetry } from './telemetry/index.ts';
import { openTokens } from './tokens/index.ts';

/** The running service. */
export interface Application {
  /** Base address of the public listener, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Base address of the admin listener; undefined if disabled. */
  readonly adminUrl: string | undefined;
  /**
   * Shuts down gracefully: not ready; keeps serving for `delayMs` milliseconds (default 0), so that load balancers notice;
   * then accepts no connections, completes the requests in flight and closes the store.
   */
  stop(delayMs?: number): Promise<void>;
}

/** Replaces parts that the configuration names. They are not closed here. */
export interface Overrides {
  readonly store?: PlantStore;
  readonly tokens?: TokenVerifier;
  /** Has the standard `OTEL_*` variables; `process.env` by default. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * The composition root: builds the service from its configuration and starts it. The tests use it, too.
 *
 * @throws {Error} with a message for the operator if a part cannot be started; the parts already started are stopped.
 */
export async function compose(
  config: Config,
  logger: FastifyBaseLogger,
  overrides: Overrides = {},
): Promise<Application> {
  const parts: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  let http: FastifyInstance | undefined;
  const stop = (delayMs = 0) => (stopping ??= shutDown(delayMs));
  const onError = (error: Error) => logger.error({ err: error }, error.message);

  try {
    // Opened first and closed last: it exports what the others record until then.
    const telemetry = keep(
      await openTelemetry(overrides.environment ?? process.env, (message) => logger.warn(message)),
    );
    const tokens = overrides.tokens ?? keep(await openTokens(config, onError));
    const onWarning = (message: string) => logger.warn(message);
    const store = overrides.store ?? keep(await openStore(config, { onError, onWarning, observer: telemetry.store }));
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
    const admin = adminUrl ? ` (admin: ${adminUrl})` : '';
    return { url: await listen(http, config.http, (url) => `listening on ${url}${admin}`), adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function shutDown(delayMs: number): Promise<void> {
    if (http && delayMs > 0) {
      // Only with a delay: otherwise clients would open new connections just when none is accepted any more.
      drain(http);
      await sleep(delayMs);
    }
    await closeInReverse(parts);
  }

  function keep<Part extends { close(): Promise<void> }>(part: Part): Part {
    parts.push(() => part.close());
    return part;
  }

  /**
   * A name with several addresses gets one listener, on the first address: Fastify would create a further server for each of
   * the others, without our timeouts and our shutdown.
   */
  async function listen(
    server: FastifyInstance,
    { host, port }: Address,
    listenTextResolver = (url: string) => `listening on ${url}`,
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
      return `port ${port} is in use on ${host}: set PORT or ADMIN_PORT to another port, or to 0 for a free one`;
    case 'EACCES':
      return `no permission to listen on port ${port}: set PORT or ADMIN_PORT to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: set HOST or ADMIN_HOST to one that is`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}

/** The last part started is closed first: the public listener, the admin listener, the store, the tokens. */
async function closeInReverse(parts: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  // A part that fails to close must not keep the others open, above all the store.
  for (const close of parts.toReversed()) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'some parts could not be closed');
}
