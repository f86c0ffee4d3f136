import { VerifierUnavailable } from '@plant-store/domain';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { type FollowOptions, followFile } from './follow-file.ts';

/** The public keys of an issuer. Until it is closed, it follows changes without keeping the process alive. */
export interface KeySource {
  /** Finds the key of a token. @throws {VerifierUnavailable} if the issuer does not deliver its keys in time. */
  readonly find: JWTVerifyGetKey;
  close(): void;
}

/** The options of {@link openJwksUrl}. Times are in milliseconds. */
export interface JwksUrlOptions {
  /** The URL of a JSON Web Key Set (RFC 7517 section 5); see `isJwksUrl`. */
  readonly url: string;
  /** Called when a regular fetch fails. The message says the consequence. */
  readonly onError: (error: Error) => void;
  /** The time between fetches: 120,000 by default, so that a withdrawn key is refused within 6 minutes even if one fetch fails. */
  readonly refreshMs?: number;
  /** The minimum age of the keys before a token with an unknown key, which anybody can send, renews them; 2,000 by default. */
  readonly cooldownMs?: number;
}

/** 5 s: a fetch goes on in the background, so that a slow issuer delays the first tokens and no later ones. */
const FETCH_MS = 5_000;

/** 400 ms: how long a token waits for its key, because the store may need 2 s more, and clients get a response within 2.5 s. */
const WAIT_MS = 400;

/**
 * Follows the key set of an issuer. The first fetch is not awaited, so an unreachable issuer does not block startup. Known keys
 * stay in use until a fetch returns others.
 */
export function openJwksUrl(options: JwksUrlOptions): KeySource {
  const { url: href, onError, refreshMs = 120_000, cooldownMs = 2_000 } = options;
  const url = new URL(href);
  const address = removeQuery(url);
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: FETCH_MS,
    cooldownDuration: cooldownMs,
    // The timer below renews the keys, so that an outage of the issuer does not end their use.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchKeys,
  });
  const renew = () => void remote.reload().catch(onError);
  renew();
  const timer = setInterval(renew, refreshMs).unref();
  return { find: (...token) => waitForKey(remote(...token)), close: () => clearInterval(timer) };

  async function waitForKey<Key>(finding: Promise<Key>): Promise<Key> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(new VerifierUnavailable(`no keys from ${address} within ${WAIT_MS} ms`));
    const timer = setTimeout(giveUp, WAIT_MS);
    return Promise.race([finding, late]).finally(() => clearTimeout(timer));
  }

  /** Throws nothing but VerifierUnavailable, because jose's errors do not tell a failed fetch from a faulty token. */
  async function fetchKeys(href: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(href, init);
      const to = response.headers.get('location');
      if (to !== null) throw new Error(`it redirects to ${removeQuery(new URL(to, url))}: set this address`);
      if (response.status !== 200) throw new Error(`status ${response.status} instead of 200`);
      const text = await response.text();
      parseKeySet(text);
      return new Response(text);
    } catch (error) {
      const { name, message, cause } = error as Error;
      const { code } = (cause ?? {}) as NodeJS.ErrnoException;
      const reason = name === 'TimeoutError' ? 'timeout' : (code ?? message);
      const advice = 'for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS';
      throw new VerifierUnavailable(`no keys from ${address} (${reason}); known ones stay in use; ${advice}`);
    }
  }
}

/** A URL without its query, which may contain a secret. */
function removeQuery({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/**
 * Opens a file with a JSON Web Key Set (RFC 7517 section 5), and follows it: see `followFile`.
 * @throws {Error} with a message for the operator if the file is unusable at startup.
 */
export async function openJwksFile(options: FollowOptions): Promise<KeySource> {
  const file = await followFile(options, parseKeySet, createLocalJWKSet({ keys: [] }));
  return { find: (...token) => file.current(...token), close: file.close };
}

function parseKeySet(text: string): ReturnType<typeof createLocalJWKSet> {
  try {
    return createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
  } catch {
    throw new Error('it is not a JSON Web Key Set: give {"keys": […]} with the public keys (RFC 7517 section 5)');
  }
}
