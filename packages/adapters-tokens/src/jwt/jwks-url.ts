import { VerifierUnavailable } from '@plant-store/domain';
import { createRemoteJWKSet, customFetch, type LocalJWKSet } from 'jose';
import { failureReason, fetchJwks } from './fetch-jwks.ts';
import { type KeySource, parseKeySet } from './key-set.ts';
import { parseJwksUrl } from './parse-jwks-url.ts';

/** An issuer's JSON Web Key Set (RFC 7517 section 5) at a URL. Times are in milliseconds. */
export interface JwksUrlOptions {
  /** See `parseJwksUrl`. */
  readonly url: string;
  /** Called when the keys cannot be fetched, once for each new reason; the message says what that means. */
  readonly onError: (error: VerifierUnavailable) => void;
  /** How often the keys are fetched, and so how long a withdrawn key stays in use; 5 minutes by default. */
  readonly refreshMs?: number;
  /** The time between two fetches for tokens that no key verifies, which anybody can send, or after a failure; 2 s. */
  readonly cooldownMs?: number;
  /** How long a fetch may take, and a token may wait for it; 1.5 s by default: clients get a response within 2 s. */
  readonly timeoutMs?: number;
  /** How many tokens may wait for a fetch, so that made-up ones do not block other requests; 100 by default. */
  readonly maxWaiting?: number;
}

/**
 * Follows the key set of an issuer. The first fetch begins at once and is not awaited: an unreachable issuer does not keep
 * a service from starting. Known keys stay in use until a fetch returns others.
 *
 * @throws {RangeError} if keys may not come from this URL.
 */
export function openJwksUrl(options: JwksUrlOptions): KeySource {
  const { onError, refreshMs = 300_000, cooldownMs = 2_000, timeoutMs = 1_500, maxWaiting = 100 } = options;
  const url = parseJwksUrl(options.url);
  const closing = new AbortController();
  let current: LocalJWKSet | undefined;
  let failure: VerifierUnavailable | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waiting = 0;

  const remote = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    [customFetch]: (href, init) => fetchJwks(href, { ...init, signal: AbortSignal.any([init.signal, closing.signal]) }),
  });
  void fetchKeys();

  /** Joins a fetch in flight. It never rejects. */
  async function fetchKeys(): Promise<void> {
    try {
      await remote.reload();
      const keys = JSON.stringify(remote.jwks());
      // Equal keys stay the same object: what was verified with them stays verified.
      if (keys !== JSON.stringify(current?.jwks())) current = parseKeySet(keys);
      failure = undefined;
    } catch (error) {
      const before = failure?.message;
      failure = unavailable(failureReason(error), error);
      if (!closing.signal.aborted && failure.message !== before) onError(failure);
    }
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(fetchKeys, failure ? cooldownMs : refreshMs).unref();
  }

  function unavailable(reason: string, cause?: unknown): VerifierUnavailable {
    const consequence = current ? 'the known keys stay in use' : 'no key is known, so no JWT can be verified yet';
    // Without its query, which may hold a secret.
    return new VerifierUnavailable(`JWKS at ${url.origin}${url.pathname}: ${reason}; ${consequence}`, { cause });
  }

  return {
    get current() {
      return current;
    },
    async renew() {
      if (remote.reloading || !(failure || remote.coolingDown)) {
        if (waiting >= maxWaiting) throw unavailable(`${waiting} tokens are waiting already`);
        waiting += 1;
        await fetchKeys();
        waiting -= 1;
      }
      if (failure) throw failure;
    },
    // A timer that is still set then fetches nothing.
    close: () => closing.abort(),
  };
}
