import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer, listenOptions } from '@plant-store/adapters-http';
import { type PlantStore, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import { cannotListenMessage, type PortSetting } from './cannot-listen.ts';
import { type Config, maskedUrl } from './config/index.ts';
import type { Log } from './logging/index.ts';
import { sharing } from './sharing.ts';
import { openStore, openWhenReachable } from './stores/index.ts';
import { openTelemetry } from './telemetry/index.ts';
import { openTokens } from './tokens/index.ts';
import { version } from './version.ts';

/** 500 ms: results of readiness and metrics are shared for so long, however often they are asked for. */
const SHARED_MS = 500;

/** 10 s: as often as a readiness probe of Kubernetes asks by default. */
const CHECK_EVERY_MS = 10_000;

/** The running service. */
export interface Application {
  /** Base address of the public listener, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Base address of the admin listener; undefined if disabled. */
  readonly adminUrl: string | undefined;
  /** The store's state after startup, for the startup message, such as `schema up to date (0001-create-plants)`. */
  readonly storeState: string;
  /**
   * Shuts down gracefully: fails the readiness probe and keeps serving for `delayMs` milliseconds (default 0) while load
   * balancers notice; then stops accepting connections, completes the requests in flight and closes the store.
   */
  stop(delayMs?: number): Promise<void>;
}

/** The options of {@link compose} that are not settings. */
export interface ComposeOptions {
  /** The environment with the standard `OTEL_*` variables; `process.env` by default. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Whether a startup message is shown on the terminal, so that the log need not repeat it. */
  readonly hasStartupMessage?: boolean;
}

/**
 * The composition root: creates the service from its configuration and starts it, also for the tests. It starts the admin
 * listener, which reports «not ready»; then the store, with retries every second while it is unavailable; then the public
 * listener.
 *
 * @throws {Error} with a message for the operator if a part cannot be started. Parts already started are stopped.
 */
export async function compose(
  config: Config,
  { logger, droppedLines = () => 0 }: Log,
  { environment = process.env, hasStartupMessage = false }: ComposeOptions = {},
): Promise<Application> {
  const resources = new AsyncDisposableStack();
  let store: PlantStore | undefined;
  let notReadyReason = 'the store has not been opened yet';
  let storeState = '';
  let stopping: Promise<void> | undefined;

  const checkStore = sharing(async () => store?.check(), SHARED_MS);

  async function checkReadiness(): Promise<void> {
    if (stopping) throw new Error('the service is shutting down');
    if (!store) throw new Error(notReadyReason);
    await checkStore();
  }

  try {
    // Opened first and closed last, because it exports the telemetry of all other parts.
    const telemetry = track(await openTelemetry(environment, (message) => logger.warn(message), droppedLines));
    // These are not defects, so they are logged without a stack.
    const tokens = track(await openTokens(config, ({ message }) => logger.error(message)));
    const metrics = sharing(telemetry.metricsText, SHARED_MS);
    let wasReady = true;
    /** Reports readiness as a metric, and each change in the log. Startup and shutdown have lines of their own. */
    const report = (isReady: boolean, message: string) => {
      telemetry.setReady(isReady && !stopping);
      if (!store || stopping || isReady === wasReady) return;
      wasReady = isReady;
      logger[isReady ? 'info' : 'warn'](message);
    };
    const ready = () =>
      checkReadiness().then(
        () => report(true, 'ready again'),
        (error: Error) => {
          report(false, `not ready: ${error.message}`);
          throw error;
        },
      );
    const { ADMIN_HOST, ADMIN_PORT } = config;
    const adminUrl =
      ADMIN_PORT === 'off'
        ? undefined
        : await listen(createAdminServer({ ready, metrics }), 'ADMIN_PORT', ADMIN_HOST, ADMIN_PORT);
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
      notReadyReason = reason;
      logger.warn(`not ready: ${reason}; the service tries again every second`);
    };
    store = track(await openWhenReachable(open, onUnavailable));
    // Without a prober, too, the log and the metric have to say it.
    const watch = () => void ready().catch(() => {});
    watch();
    const timer = setInterval(watch, CHECK_EVERY_MS);
    resources.defer(() => clearInterval(timer));
    const http = createHttpServer({
      useCases: useCases(store),
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
    logger[hasStartupMessage ? 'debug' : 'info'](started, 'starting');
    const url = await listen(http, 'PORT', config.HOST, config.PORT, adminUrl);
    const stop = (delayMs = 0) => {
      telemetry.setReady(false);
      stopping ??= shutDown(delayMs);
      return stopping;
    };
    return { url, adminUrl, storeState, stop };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }

  /** Closes the parts in reverse order. A part that fails to close does not prevent the others from closing. */
  async function shutDown(delayMs: number): Promise<void> {
    // Keeps serving while load balancers notice that the service is not ready.
    if (delayMs > 0) await sleep(delayMs);
    await resources.disposeAsync();
  }

  function track<Resource extends { close(): Promise<void> }>(resource: Resource): Resource {
    resources.defer(() => resource.close());
    return resource;
  }

  /**
   * Starts a listener on the first address of the host. For further addresses Fastify would create servers without our timeouts
   * and our shutdown. The listener's log has a line for each reachable address; for `0.0.0.0` these are all interfaces.
   *
   * @throws {Error} with a message for the operator if the listener cannot start.
   */
  async function listen(
    server: FastifyInstance,
    setting: PortSetting,
    host: string,
    port: number,
    adminUrl?: string,
  ): Promise<string> {
    track({ close: async () => void (await server.close()) });
    const listenTextResolver = (url: string) => `listening on ${url}${adminUrl ? ` (admin: ${adminUrl})` : ''}`;
    return (
      lookup(host)
        // Without a host, Node falls back to IPv4 on a machine that has no IPv6.
        .then(({ address }) => (address === '::' ? '' : address))
        .then(async (address) =>
          server.listen({
            host: address,
            port,
            ...(setting === 'PORT' ? await listenOptions(address, port) : {}),
            listenTextResolver,
          }),
        )
        .catch((error: NodeJS.ErrnoException) => {
          throw new Error(cannotListenMessage(error, setting, host, port), { cause: error });
        })
    );
  }
}
