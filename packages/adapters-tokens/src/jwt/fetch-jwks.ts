import { errors } from 'jose';
import { utf8Text } from '../utf8-text.ts';
import { MAX_JWKS_BYTES } from './key-set.ts';

/** @throws {Error} if there is no response, its status is not 200, or it is too large or not UTF-8. */
export async function fetchJwks(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status} instead of 200`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_JWKS_BYTES) throw new Error(`the response is larger than ${MAX_JWKS_BYTES} bytes`);
    chunks.push(chunk);
  }
  return utf8Text(Buffer.concat(chunks));
}

/** Why a fetch failed, and what may help. */
export function failureReason(error: unknown): string {
  // fetch itself only says that it failed.
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  const code = error instanceof errors.JWKSTimeout ? 'timeout' : (cause?.code ?? cause?.message);
  if (code === undefined) return message;
  return `no response (${code}); for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS`;
}
