import { MAX_JWKS_BYTES } from './key-set.ts';

/**
 * Fetches the text of a key set, decompressed.
 *
 * @param timeoutMs how long it may take in all, in milliseconds.
 * @param signal aborts it.
 * @throws {Error} that says why there is none: no response, a status other than 200 (a redirect, too: keys come from the
 * address that the operator has set and from nowhere else), a body that is too large.
 */
export async function fetchJwks(url: URL, timeoutMs: number, signal: AbortSignal): Promise<string> {
  try {
    return await textAt(url, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  } catch (error) {
    throw new Error(failureReason(error, timeoutMs), { cause: error });
  }
}

async function textAt(url: URL, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'manual', signal });
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
  return Buffer.concat(chunks).toString();
}

function failureReason(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no complete response within ${timeoutMs} ms`;
  // fetch itself only says that it failed.
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause ? `no response (${cause.code ?? cause.message})` : error.message;
}
