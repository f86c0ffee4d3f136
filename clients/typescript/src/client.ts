import { plantsUrl, writeAuthorization } from './checks.ts';
import type { components } from './description.ts';
import { exactJson } from './exact-json.ts';
import { PlantStoreError } from './plant-store-error.ts';
import { pauseAfter, wait } from './retries.ts';
import { type Reply, send } from './send.ts';

/** A plant as the service returns it. */
export type Plant = components['schemas']['Plant'];

/** A plant to create. The description has the id as an int64, which a JavaScript number does not hold exactly. */
export type NewPlant = Omit<components['schemas']['NewPlant'], 'id'> & { readonly id: bigint };

export interface ClientOptions {
  /** The base URL, `http:` or `https:`, with or without a path: `https://example.org/garden`. It has nothing else. */
  readonly baseUrl: string;
  /** The bearer token, or a function that returns the current one, which is called before each attempt. */
  readonly token: string | (() => string | Promise<string>);
  /** The longest time of an attempt in milliseconds, 10,000 by default. */
  readonly attemptMs?: number;
  /** The longest time of a call with its tokens and retries in milliseconds, 30,000 by default. */
  readonly deadlineMs?: number;
}

export interface PlantStoreClient {
  /**
   * Creates a plant, and repeats the request by the rules of the HTTP API. Resolves once the plant is durable.
   *
   * @param options.signal ends the call, after which the plant may be stored.
   * @throws {PlantStoreError} if the plant was not confirmed.
   * @throws {TypeError} if the id is not a bigint, or the token not a bearer token (RFC 6750). That is not sent.
   * @throws the reason of the signal if it aborts, or of the function of the token if it has none.
   */
  createPlant(plant: NewPlant, options?: { readonly signal?: AbortSignal }): Promise<Plant>;
}

/** Makes a client. @throws {TypeError} if the base URL cannot be one. */
export function plantStoreClient(options: ClientOptions): PlantStoreClient {
  const { baseUrl, token, attemptMs = 10_000, deadlineMs = 30_000 } = options;
  const url = plantsUrl(baseUrl);
  return {
    async createPlant(plant, { signal } = {}) {
      if (typeof plant.id !== 'bigint') throw new TypeError('the id must be a bigint, such as 7n');
      const body = exactJson(plant);
      const endsAt = performance.now() + deadlineMs;
      const replies: Reply[] = [];
      for (;;) {
        const current = typeof token === 'string' ? token : await wait(endsAt - performance.now(), signal, token());
        signal?.throwIfAborted();
        if (current === undefined) throw errorAfter(replies, { record: { message: 'no token before the deadline' } });
        const headers = { authorization: writeAuthorization(current), 'content-type': 'application/json' };
        const timeoutMs = Math.min(attemptMs, endsAt - performance.now());
        const reply = await send(url, { method: 'POST', headers, body }, timeoutMs, signal);
        if (reply.status === 200 && reply.record.name === plant.name) return reply.record as Plant;
        signal?.throwIfAborted();
        replies.push(reply);
        const pauseMs = pauseAfter(replies);
        if (pauseMs === undefined || performance.now() + pauseMs >= endsAt) throw errorAfter(replies, reply);
        await wait(pauseMs, signal);
      }
    },
  };
}

/** The number of the error that says that another plant has the id. */
const ID_TAKEN = 40005;

function errorAfter(replies: readonly Reply[], { status, record, headers, cause }: Reply): PlantStoreError {
  const { message = status === undefined ? 'no response' : `status ${status} without an Error record` } = record;
  const error = typeof record.error === 'number' ? record.error : undefined;
  const isUnknown = replies.some(({ status = 500 }) => status === 200 || status >= 500);
  const requestId = headers?.get('x-request-id') ?? undefined;
  const mayBeStored = isUnknown && error !== ID_TAKEN;
  return new PlantStoreError(`${message}`, { status, error, requestId, attempts: replies.length, mayBeStored }, cause);
}
