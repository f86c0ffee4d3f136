/** 262,144 bytes: some hundred times a usual key set, and little memory for an answer that is none. */
const MAX_JWKS_BYTES = 262_144;

/**
 * Fetches the text of a key set, decompressed.
 *
 * @param timeoutMs how long it may take altogether, in milliseconds.
 * @param signal ends it early.
 * @throws {Error} saying why there is none: no answer, one other than 200 (a redirect as well: keys come from the address
 * that the operator has named and from nowhere else), a body that is too large.
 */
export async function fetchJwks(url: URL, timeoutMs: number, signal: AbortSignal): Promise<string> {
  try {
    return await textAt(url, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  } catch (error) {
    throw new Error(reasonOf(error, timeoutMs), { cause: error });
  }
}

async function textAt(url: URL, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/jwk-set+json, application/json' };
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`it answered ${response.status} instead of 200`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > MAX_JWKS_BYTES) throw new Error(`its answer is larger than ${MAX_JWKS_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no whole answer within ${timeoutMs} ms`;
  // fetch itself only says that it failed.
  if (error.cause instanceof Error) return `no answer (${codeOf(error.cause) ?? error.cause.message})`;
  return error.message;
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}
