/** What came of one request. Without a response, only `cause` is defined. */
export interface Reply {
  readonly status?: number;
  /** The body if it is a JSON object, such as a Plant or an Error record. */
  readonly record: { readonly name?: unknown; readonly error?: unknown; readonly message?: unknown };
  readonly headers?: Headers;
  /** Why there is no response. */
  readonly cause?: unknown;
}

/** Sends a request once, and ends it after the time or if the signal aborts. */
export async function send(url: string, init: RequestInit, timeoutMs: number, signal?: AbortSignal): Promise<Reply> {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  const ends = AbortSignal.any(signal ? [signal, timeout] : [timeout]);
  try {
    // A redirection is reported, because following it would repeat the request as a GET.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: ends });
    return { status: response.status, record: parseRecord(await response.text()), headers: response.headers };
  } catch (cause) {
    return { record: {}, cause };
  }
}

function parseRecord(text: string): Reply['record'] {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
