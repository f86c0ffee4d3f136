import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer } from '@plant-store/adapters-http';
import { type PlantStore, useCases } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Config, maskedUrl } from './config.ts';
import { ConfigError, errorMessage } from './errors.ts';
import { createMetrics } from './metrics.ts';
import { canRecover, openStore } from './stores.ts';
import { openTokens } from './tokens.ts';
import { version } from './version.ts';

/** The running service. */
export interface Application {
  /** Base address of the public listener, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Base address of the admin listener; undefined if disabled. */
  readonly adminUrl: string | undefined;
  /** The state of the store's schema, for the startup message, such as `schema up to date (0001-create-plants)`. */
  readonly storeState: string;
  /**
   * Shuts down gracefully: fails the readiness probe and keeps serving for `delayMs` milliseconds (default 0) while load
   * balancers notice; then stops accepting connections, completes the requests in flight and closes the store.
   */
  stop(delayMs?: number): Promise<void>;
}

/**
 * The composition root: creates the service from its configuration and starts it, also for the tests. It starts the admin
 * listener, which reports «not ready»; then the store, with retries every second while it is unavailable; then the public
 * listener. The watch of the store decides about health.
 *
 * @throws {ConfigError} if a setting is wrong, with its name; {@link Error} if a part cannot be started. Parts already started are
 *   stopped.
 */
export async function compose(config: Config, logger: Logger): Promise<Application> {
  const resources = new AsyncDisposableStack();
  let store: PlantStore | undefined;
  let notOpenReason = 'the store has not been opened yet';
  let failure: Error | undefined;
  let stopping: Promise<void> | undefined;

  try {
    const metrics = createMetrics(() => store !== undefined && !failure && !stopping);
    // These are not defects, so they are logged without a stack.
    const tokens = track(await openTokens(config, ({ message }) => logger.error(message)));
    const ready = async () => {
      if (stopping) throw new Error('the service is shutting down');
      if (!store) throw new Error(notOpenReason);
      await store.check();
    };
    const admin = createAdminServer({ ready, metrics: () => metrics.registry.metrics() });
    const { ADMIN_HOST, ADMIN_PORT } = config;
    const adminUrl = ADMIN_PORT === 'off' ? undefined : await listen(admin, 'ADMIN_PORT', ADMIN_HOST, ADMIN_PORT);
    if (adminUrl) logger.info(`admin listener on ${adminUrl}`);
    const storage = config.storageAdapter.at(config.DATABASE_URL, {
      ...config.storeLimits,
      onError: ({ message }) => logger.warn(message),
      onWarning: (message) => logger.warn(message),
      observer: { ...metrics.store, health: reportHealth },
    });
    const opened = await openWhenReachable(() => openStore(storage, config.MIGRATE === 'auto'));
    store = track(opened.store);
    const http = createHttpServer({
      useCases: useCases(store),
      tokens,
      logger,
      observer: metrics.requests,
      bodyLimit: config.BODY_LIMIT,
      maxRequestsInFlight: config.MAX_REQUESTS_IN_FLIGHT,
      keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
      ...(config.RATE_LIMIT_PER_SECOND && { requestsPerSecond: config.RATE_LIMIT_PER_SECOND }),
      docs: config.DOCS === 'on',
    });
    const mode = config.production ? 'production' : 'development';
    const storeState = opened.state;
    logger.info({ version: version(), mode, store: maskedUrl(config.DATABASE_URL), storeState }, 'starting');
    const url = await listen(http, 'PORT', config.HOST, config.PORT, adminUrl);
    const stop = (delayMs = 0) => (stopping ??= shutDown(delayMs));
    return { url, adminUrl, storeState, stop };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }

  /** Logs each change of the store's health. */
  function reportHealth(found: Error | undefined): void {
    failure = found;
    if (found) logger.warn(`store unavailable: ${found.message}`);
    else logger.info('store available');
  }

  /** Repeats the opening every second while waiting may help: the database may start after the service. */
  async function openWhenReachable<Result>(open: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!canRecover(error)) throw error;
        const reason = errorMessage(error);
        if (notOpenReason !== reason) logger.warn(`not ready: ${reason}; the service tries again every second`);
        notOpenReason = reason;
        await sleep(1_000);
      }
    }
  }

  /** Closes the parts in reverse order, because requests in flight need the store. One that fails to close does not keep others open. */
  async function shutDown(delayMs: number): Promise<void> {
    // Keeps serving while load balancers notice that the service is not ready.
    if (delayMs > 0) await sleep(delayMs);
    await resources.disposeAsync();
  }

  function track<Resource extends { close(): Promise<void> }>(resource: Resource): Resource {
    resources.defer(() => resource.close());
    return resource;
  }

  /** Starts a listener. @throws {ConfigError} if it cannot start. */
  async function listen(
    server: FastifyInstance,
    setting: 'PORT' | 'ADMIN_PORT',
    host: string,
    port: number,
    adminUrl?: string,
  ): Promise<string> {
    // Also closed if it cannot listen.
    track({ close: async () => void (await server.close()) });
    const listenTextResolver = (url: string) => `listening on ${url}${adminUrl ? ` (admin: ${adminUrl})` : ''}`;
    return server.listen({ host, port, listenTextResolver }).catch(({ code, message }: NodeJS.ErrnoException) => {
      const advice =
        code === 'EADDRINUSE' ? 'set it to another, or to 0 for a free one' : 'set it, and the HOST beside it';
      throw new ConfigError(`${setting}: cannot listen on ${host}:${port} (${code ?? message}): ${advice}`);
    });
  }
}
