import { VerifierUnavailable } from '@plant-store/domain';
import { fetchJwks } from './fetch-jwks.ts';
import { type KeySet, type KeySource, parseKeySet } from './key-set.ts';
import { parseJwksUrl } from './parse-jwks-url.ts';

/** An issuer's JSON Web Key Set (RFC 7517 section 5) at a URL. Times are in milliseconds. */
export interface JwksUrlOptions {
  /** See `parseJwksUrl`. */
  readonly url: string;

  /** Called when the keys cannot be fetched, once for each new reason; the message says what that means. */
  readonly onError: (error: VerifierUnavailable) => void;

  /** How often the keys are fetched, and so how long a withdrawn key stays in use; 300,000 (5 minutes) by default. */
  readonly refreshMs?: number;

  /**
   * The minimum time from one fetch to the next, whatever the reason: a failure, or a token with an unknown key, which
   * anybody can send. 2,000 by default: little work for the issuer, and a client with a new key, or that got 503 while the
   * issuer was unreachable, is soon accepted.
   */
  readonly cooldownMs?: number;

  /** How long a fetch may take, and a token may wait for it; 1,500 by default: clients get a response within 2 s. */
  readonly timeoutMs?: number;

  /**
   * The maximum number of tokens that wait for a fetch, at least 1; VerifierUnavailable is thrown at once for more. Anybody
   * can make up a token with an unknown key, and must not block what others need while an issuer is slow. 100 by default,
   * a twentieth of the requests that the service has in flight.
   */
  readonly maxWaiting?: number;
}

/** Keys that follow a URL until it is closed. They do not keep the process alive. */
export interface JwksUrl extends KeySource {
  close(): void;
}

/**
 * Follows the key set of an issuer. The first fetch begins at once and is not awaited: an unreachable issuer does not keep
 * a service from starting. Known keys stay in use until a fetch returns others.
 *
 * @throws {RangeError} if keys may not come from this URL.
 */
export function openJwksUrl(options: JwksUrlOptions): JwksUrl {
  const { onError, refreshMs = 300_000, cooldownMs = 2_000, timeoutMs = 1_500, maxWaiting = 100 } = options;
  const url = parseJwksUrl(options.url);
  const closing = new AbortController();
  let latest: { readonly text: string; readonly keys: KeySet } | undefined;
  let failure: VerifierUnavailable | undefined;
  let timer: NodeJS.Timeout | undefined;
  let begunAt = 0;
  let fetching = false;
  let waiting = 0;
  let lastFetch = begin();

  function begin(): Promise<KeySet> {
    clearTimeout(timer);
    begunAt = performance.now();
    fetching = true;
    const keys = load().finally(() => {
      fetching = false;
      if (!closing.signal.aborted) timer = setTimeout(refresh, failure ? cooldownMs : refreshMs).unref();
    });
    // It may not be awaited; a failure is reported.
    keys.catch(() => {});
    return keys;
  }

  function refresh(): void {
    lastFetch = begin();
  }

  async function load(): Promise<KeySet> {
    try {
      const text = await fetchJwks(url, timeoutMs, closing.signal);
      // The same keys stay the same object: what was verified with them stays verified.
      if (text !== latest?.text) latest = { text, keys: parseKeySet(text) };
      failure = undefined;
      return latest.keys;
    } catch (error) {
      const before = failure;
      failure = unavailable(error);
      if (!closing.signal.aborted && failure.message !== before?.message) onError(failure);
      throw failure;
    }
  }

  function unavailable(cause: unknown): VerifierUnavailable {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const consequence = latest ? 'the known keys stay in use' : 'no key is known, so no JWT can be verified yet';
    // Without its query, which may hold a secret.
    return new VerifierUnavailable(`JWKS at ${url.origin}${url.pathname}: ${reason}; ${consequence}`, { cause });
  }

  return {
    get known() {
      return latest?.keys;
    },
    async renewed() {
      if (!fetching && performance.now() - begunAt >= cooldownMs) refresh();
      if (!fetching) return lastFetch;
      if (waiting >= maxWaiting) throw unavailable(`${waiting} tokens are waiting already`);
      waiting += 1;
      try {
        return await lastFetch;
      } finally {
        waiting -= 1;
      }
    },
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}
