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

  /** How often the keys are fetched, so how long a withdrawn key is still in use; 300,000 (5 minutes) by default. */
  readonly refreshMs?: number;

  /**
   * The least time from one fetch to the next, whatever the reason: a failure, or a token whose key is not known, which
   * anybody can send. 2,000 by default: little work for the issuer, and who has a new key, or was answered 503 while the
   * issuer was out of reach, soon gets in.
   */
  readonly cooldownMs?: number;

  /** How long a fetch may take, and a token may wait for it; 1,500 by default: callers are answered within 2 s. */
  readonly timeoutMs?: number;

  /**
   * How many tokens may wait for a fetch at once, at least 1; those beyond are told at once that it cannot be known
   * whether they are good. Anybody can make up a token with an unknown key, and must not hold what others need while an
   * issuer is slow. 100 by default, a twentieth of the requests that the service has under way.
   */
  readonly maxWaiting?: number;
}

/** Keys that follow a URL until it is closed. They do not keep the process alive. */
export interface JwksUrl extends KeySource {
  close(): void;
}

/**
 * Follows the key set of an issuer. The first fetch begins at once and is not waited for: an issuer that is out of reach
 * keeps no service from starting. Keys that are known stay in use until a fetch brings others.
 *
 * @throws {RangeError} when the URL is not one that keys may come from.
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
    // Nobody may be waiting for it; that it failed is reported.
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
    const consequence = latest
      ? 'the keys that are known stay in use'
      : 'no key is known, so no JWT can be checked yet';
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
      if (waiting >= maxWaiting) throw unavailable(`${waiting} tokens wait for it already`);
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
