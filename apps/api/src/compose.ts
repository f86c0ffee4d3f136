import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer } from '@plant-store/adapters-http';
import { type PlantStore, type TokenVerifier, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { cannotListenMessage, type PortSetting } from './cannot-listen.ts';
import { type Config, maskedUrl } from './config/index.ts';
import type { Log } from './logging/index.ts';
import { openStore, openWhenReachable } from './stores/index.ts';
import { openTelemetry } from './telemetry/index.ts';
import { openTokens } from './tokens/index.ts';
import { version } from './version.ts';

/** The running service. */
export interface Application {
  /** Base address of the public listener, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Base address of the admin listener; undefined if disabled. */
  readonly adminUrl: string | undefined;
  /** The state of the store and its schema after the start, for the operator. */
  readonly storeState: string;
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
  /** Whether a message on the terminal says that it is listening, so that the log need not. */
  readonly isAnnounced?: boolean;
}

/**
 * The composition root: builds the service from its configuration and starts it, in this order: the admin listener, which says
 * that it is not ready; the store, again every second while it is unavailable; the public listener. The tests use it, too.
 *
 * @throws {Error} with a message for the operator if a part cannot be started; the parts already started are stopped.
 */
export async function compose(
  config: Config,
  { logger, droppedLines = () => 0 }: Log,
  overrides: Overrides = {},
): Promise<Application> {
  const parts = new AsyncDisposableStack();
  let store = overrides.store;
  let notReady = 'the store has not been opened yet';
  let storeState = '';
  let stopping: Promise<void> | undefined;

  async function ready(): Promise<void> {
    if (stopping) throw new Error('the service is shutting down');
    if (!store) throw new Error(notReady);
    await store.check();
  }

  try {
    // Opened first and closed last: it exports what the others record until then.
    const telemetry = keep(
      await openTelemetry(overrides.environment ?? process.env, (message) => logger.warn(message), droppedLines),
    );
    // Not defects, so without their stacks.
    const tokens = overrides.tokens ?? keep(await openTokens(config, ({ message }) => logger.error(message)));
    const { metricsText: metrics } = telemetry;
    const { ADMIN_HOST, ADMIN_PORT, ADMIN_MAX_CONNECTIONS: maxConnections } = config;
    const adminUrl =
      ADMIN_PORT === 'off'
        ? undefined
        : await listen(createAdminServer({ ready, metrics, maxConnections }), 'ADMIN_PORT', ADMIN_HOST, ADMIN_PORT);
    if (adminUrl) logger.info(`admin listener on ${adminUrl}`);
    const callbacks = {
      onError: ({ message }: Error) => logger.warn(message),
      onWarning: (message: string) => logger.warn(message),
      observer: telemetry.store,
    };
    const open = () =>
      openStore(config, callbacks, (state) => {
        storeState = state;
      });
    const onUnavailable = (reason: string) => {
      notReady = reason;
      logger.warn(`not ready: ${reason}; the service tries again every second`);
    };
    store ??= keep(await openWhenReachable(open, onUnavailable));
    const http = createHttpServer({
      useCases: telemetry.traced(useCases(store)),
      tokens,
      logger,
      observer: telemetry.requests,
      bodyLimit: config.BODY_LIMIT,
      maxRequestsInFlight: config.MAX_REQUESTS_IN_FLIGHT,
      maxConnections: config.MAX_CONNECTIONS,
      keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
      docs: config.DOCS === 'on',
      ...(config.RATE_LIMIT_PER_SECOND && { requestsPerSecond: config.RATE_LIMIT_PER_SECOND }),
    });
    const mode = config.production ? 'production' : 'development';
    const started = { version: version(), mode, store: maskedUrl(config.DATABASE_URL), storeState };
    logger[overrides.isAnnounced ? 'debug' : 'info'](started, 'starting');
    const url = await listen(http, 'PORT', config.HOST, config.PORT, adminUrl);
    return { url, adminUrl, storeState, stop: (delayMs = 0) => (stopping ??= shutDown(delayMs)) };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }

  /** The last part started is closed first; one that fails to close does not keep the others open. */
  async function shutDown(delayMs: number): Promise<void> {
    // Not ready, but otherwise as usual: load balancers notice, and send their requests elsewhere.
    if (delayMs > 0) await sleep(delayMs);
    await parts.disposeAsync();
  }

  function keep<Part extends { close(): Promise<void> }>(part: Part): Part {
    parts.defer(() => part.close());
    return part;
  }

  /**
   * A name with several addresses gets one listener, on the first address: Fastify would create a further server for each of
   * the others, without our timeouts and our shutdown.
   *
   * Its log has a line for each address that clients can reach; for `0.0.0.0` these are those of all interfaces.
   */
  async function listen(
    server: FastifyInstance,
    setting: PortSetting,
    host: string,
    port: number,
    adminUrl?: string,
  ): Promise<string> {
    keep({ close: async () => void (await server.close()) });
    const listenTextResolver = (url: string) => `listening on ${url}${adminUrl ? ` (admin: ${adminUrl})` : ''}`;
    return (
      lookup(host)
        // Without a host, Node listens on IPv4 alone where there is no IPv6.
        .then(({ address }) => server.listen({ host: address === '::' ? '' : address, port, listenTextResolver }))
        .catch((error: NodeJS.ErrnoException) => {
          throw new Error(cannotListenMessage(error, setting, host, port), { cause: error });
        })
    );
  }
}
