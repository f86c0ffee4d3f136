import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdminServer, createHttpServer } from '@plant-store/adapters-http';
import { type PlantStore, type TokenVerifier, useCases } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import type { FastifyInstance } from 'fastify';
import { cannotListenMessage, type PortSetting } from './cannot-listen.ts';
import { type Address, type Config, maskedUrl } from './config/index.ts';
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
  /** How many connections to its store it may open, as the store says now; 0 if it needs none. */
  readonly storeConnections: number;
  /** The state of the store and its schema after the start, for the operator. */
  readonly storeState: string;
  /** Resolves with why it has to end, if its store is found unusable after the start; a person has to act. */
  readonly failed: Promise<Error>;
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
 * The composition root: builds the service from its configuration and starts it. The tests use it, too.
 *
 * @throws {Error} with a message for the operator if a part cannot be started; the parts already started are stopped.
 */
export async function compose(
  config: Config,
  { logger, droppedLines = () => 0 }: Log,
  overrides: Overrides = {},
): Promise<Application> {
  const parts: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;
  let http: FastifyInstance | undefined;
  const stop = (delayMs = 0) => (stopping ??= shutDown(delayMs));
  // Not defects, so without their stacks.
  const onTokenError = ({ message }: Error) => logger.error(message);
  const onStoreError = ({ message }: Error) => logger.warn(message);

  try {
    // Opened first and closed last: it exports what the others record until then.
    const telemetry = keep(
      await openTelemetry(overrides.environment ?? process.env, (message) => logger.warn(message), droppedLines),
    );
    const tokens = overrides.tokens ?? keep(await openTokens(config, onTokenError));
    const onWarning = (message: string) => logger.warn(message);
    let storeConnections = () => 0;
    const observer: StoreObserver = {
      ...telemetry.store,
      watchConnections(figures) {
        storeConnections = () => figures().max;
        telemetry.store.watchConnections(figures);
      },
    };
    const failure = Promise.withResolvers<Error>();
    let storeState = 'not reachable yet';
    const onSchema = (state: string) => {
      storeState = state;
    };
    const open = () => openStore(config, { onError: onStoreError, onWarning, observer, onSchema });
    const store =
      overrides.store ??
      keep(
        await openWhenReachable(open, {
          onUnavailable: (reason) => logger.warn(`not ready: ${reason}; the service tries again every second`),
          onOpen: () => logger.info('the store is open'),
          onFailure: (error) => failure.resolve(error instanceof Error ? error : new Error(String(error))),
        }),
      );
    const ready = async () => {
      if (stopping) throw new Error('the service is shutting down');
      await store.check();
    };

    const adminUrl =
      config.admin &&
      (await listen(
        createAdminServer({
          ready,
          metrics: telemetry.metricsText,
          maxConnections: config.adminMaxConnections,
        }),
        'ADMIN_PORT',
        config.admin,
      ));
    http = createHttpServer({
      useCases: useCases(store),
      tokens,
      logger,
      observer: telemetry.requests,
      bodyLimit: config.bodyLimit,
      maxRequestsInFlight: config.maxRequestsInFlight,
      maxConnections: config.maxConnections,
      keepAliveTimeout: config.keepAliveTimeout,
      docs: config.docs,
      ...(config.requestsPerSecond === undefined ? {} : { requestsPerSecond: config.requestsPerSecond }),
    });
    logger[overrides.isAnnounced ? 'debug' : 'info'](
      {
        version: version(),
        mode: config.production ? 'production' : 'development',
        store: maskedUrl(config.databaseUrl),
        storeState,
      },
      'starting',
    );
    const url = await listen(http, 'PORT', config.http, adminUrl);
    return { url, adminUrl, storeConnections: storeConnections(), storeState, failed: failure.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function shutDown(delayMs: number): Promise<void> {
    // Not ready, but otherwise as usual: load balancers notice, and send their requests elsewhere.
    if (http && delayMs > 0) await sleep(delayMs);
    await closeInReverse(parts);
  }

  function keep<Part extends { close(): Promise<void> }>(part: Part): Part {
    parts.push(() => part.close());
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
    { host, port }: Address,
    adminUrl?: string,
  ): Promise<string> {
    keep({ close: async () => void (await server.close()) });
    const listenTextResolver = (url: string) => `listening on ${url}${adminUrl ? ` (admin: ${adminUrl})` : ''}`;
    return lookup(host)
      .then(({ address }) => server.listen({ host: address, port, listenTextResolver }))
      .catch((error: NodeJS.ErrnoException) => {
        throw new Error(cannotListenMessage(error, setting, { host, port }), { cause: error });
      });
  }
}

/** The last part started is closed first: the public listener, the admin listener, the store, the tokens. */
async function closeInReverse(parts: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  // A part that fails to close must not keep the others open, above all the store.
  for (const close of parts.toReversed()) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'some parts could not be closed');
}
