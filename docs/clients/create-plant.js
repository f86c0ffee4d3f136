// A client of POST /plants that retries: copy it. It needs Node 22.

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to the stored plant. Throws an error with `status` and `error`. */
export async function createPlant(baseUrl, token, { id, ...texts }, giveUpAfterMs = 30_000) {
  if (typeof id === 'number' && !Number.isSafeInteger(id)) throw new RangeError('a large id must be a bigint');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id: JSON.rawJSON(String(id)), ...texts });
  const giveUpAt = Date.now() + giveUpAfterMs;
  let defects = 0;
  for (let attempt = 1; ; attempt++) {
    const { status, record, retryAfter } = await send(`${baseUrl}/plants`, { method: 'POST', headers, body });
    if (status === 200 && 'name' in record) return record;
    if (status === 500) defects++;
    const mayRetry = [0, 429, 500, 502, 503, 504].includes(status) || record.error === 40007;
    const pauseMs = Math.max(Number(retryAfter) * 1000 || 0, Math.random() * Math.min(5000, 100 * 2 ** attempt));
    if (!mayRetry || defects > 1 || Date.now() + pauseMs > giveUpAt)
      throw Object.assign(new Error(record.message), { status, error: record.error });
    await wait(pauseMs);
  }
}

async function send(url, options) {
  try {
    const response = await fetch(url, { ...options, redirect: 'manual', signal: AbortSignal.timeout(10_000) });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const record = isJson ? await response.json() : { message: await response.text() };
    return { status: response.status, record, retryAfter: response.headers.get('retry-after') };
  } catch (cause) {
    return { status: 0, record: { message: `no response: ${cause.cause ?? cause}` } };
  }
}
