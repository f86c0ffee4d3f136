import { VerifierUnavailable } from '@plant-store/domain';
import { createRemoteJWKSet, customFetch, errors, type LocalJWKSet } from 'jose';
import { utf8Text } from '../follow-file.ts';
import { type KeySource, parseKeySet } from './key-set.ts';
import { parseJwksUrl } from './settings.ts';

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

/** 262,144 bytes: about a hundred times a usual key set, and little memory for a wrong response. */
const MAX_JWKS_BYTES = 262_144;

/** Fetches a key set. @throws {Error} if there is no response, its status is not 200, or it is too large or UTF-16. */
async function fetchJwks(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Throwing from the loop closes the connection.
    if (bytes > MAX_JWKS_BYTES) throw new Error(`the response is larger than ${MAX_JWKS_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (response.status !== 200) throw new Error(`status ${response.status} instead of 200`);
  return new Response(utf8Text(Buffer.concat(chunks)));
}

/** The reason why a fetch failed, with a hint for the operator. */
function failureReason(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  const isTimeout = error instanceof errors.JWKSTimeout;
  // The message of fetch's TypeError has no reason.
  if (!isTimeout && !(error instanceof TypeError)) return message;
  const code = isTimeout ? 'timeout' : (cause?.code ?? cause?.message ?? message);
  return `no response (${code}); for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS`;
}
