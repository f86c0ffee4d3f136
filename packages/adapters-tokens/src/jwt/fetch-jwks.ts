import { errors } from 'jose';
import { utf8Text } from '../utf8-text.ts';

/** 262,144 bytes: about a hundred times a usual key set, and little memory for a wrong response. */
const MAX_JWKS_BYTES = 262_144;

/** Fetches a key set. @throws {Error} if there is no response, its status is not 200, or it is too large or UTF-16. */
export async function fetchJwks(url: string, init: RequestInit): Promise<Response> {
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
export function failureReason(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  const isTimeout = error instanceof errors.JWKSTimeout;
  // The message of fetch's TypeError has no reason.
  if (!isTimeout && !(error instanceof TypeError)) return message;
  const code = isTimeout ? 'timeout' : (cause?.code ?? cause?.message ?? message);
  return `no response (${code}); for a proxy set NODE_USE_ENV_PROXY=1 and HTTPS_PROXY, for a private CA NODE_EXTRA_CA_CERTS`;
}
