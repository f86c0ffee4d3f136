import { VerifierUnavailable } from '@plant-store/domain';
import { createRemoteJWKSet, customFetch, type LocalJWKSet } from 'jose';
import { failureReason, fetchJwks } from './fetch-jwks.ts';
import { type KeySource, parseKeySet } from './key-set.ts';
import { parseJwksUrl } from './parse-jwks-url.ts';

/** The options of {@link openJwksUrl}. Times are in milliseconds. */
export interface JwksUrlOptions {
  /** The URL of a JSON Web Key Set (RFC 7517 section 5); see `parseJwksUrl`. */
  readonly url: string;
  /** Called when a fetch fails with a new reason. The message says the consequence. */
  readonly onError: (error: VerifierUnavailable) => void;
  /** The interval between fetches, and so how long a withdrawn key stays accepted; 5 minutes by default. */
  readonly refreshMs?: number;
  /** The minimum interval between fetches for tokens with unknown keys, which anybody can send, or after a failure; 2 s. */
  readonly cooldownMs?: number;
  /** The timeout of a fetch, and of a token that waits for it; 1.5 s by default, because clients get a response within 2 s. */
  readonly timeoutMs?: number;
}

/**
 * Follows the key set of an issuer. The first fetch is not awaited, so an unreachable issuer does not block startup. Known keys
 * stay in use until a fetch returns others.
 *
 * @throws {RangeError} if the URL is not allowed; see `parseJwksUrl`.
 */
export function openJwksUrl(options: JwksUrlOptions): KeySource {
  const { onError, refreshMs = 300_000, cooldownMs = 2_000, timeoutMs = 1_500 } = options;
  const url = parseJwksUrl(options.url);
  const closing = new AbortController();
  let current: LocalJWKSet | undefined;
  let failure: VerifierUnavailable | undefined;
  let timer: NodeJS.Timeout | undefined;

  const remote = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    [customFetch]: (href, init) => fetchJwks(href, { ...init, signal: AbortSignal.any([init.signal, closing.signal]) }),
  });
  void fetchKeys();

  /** Fetches the keys, or joins the fetch in flight. Never rejects. */
  async function fetchKeys(): Promise<void> {
    try {
      await remote.reload();
      const keys = JSON.stringify(remote.jwks());
      // Equal keys keep the same object, which keeps the verifier's cache.
      if (keys !== JSON.stringify(current?.jwks())) current = parseKeySet(keys);
      failure = undefined;
    } catch (error) {
      const previous = failure?.message;
      failure = unavailable(failureReason(error), error);
      if (!closing.signal.aborted && failure.message !== previous) onError(failure);
    }
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(fetchKeys, failure ? cooldownMs : refreshMs).unref();
  }

  function unavailable(reason: string, cause?: unknown): VerifierUnavailable {
    const consequence = current ? 'the known keys stay in use' : 'no key is known, so no JWT can be verified yet';
    // The query may contain a secret.
    return new VerifierUnavailable(`JWKS at ${url.origin}${url.pathname}: ${reason}; ${consequence}`, { cause });
  }

  return {
    get current() {
      return current;
    },
    async renew() {
      if (remote.reloading || !(failure || remote.coolingDown)) await fetchKeys();
      if (failure) throw failure;
    },
    // If a timer is still set, its fetch is aborted.
    close: () => closing.abort(),
  };
}
