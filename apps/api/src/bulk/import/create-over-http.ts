import { type CreatePlant, isSamePlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import { errorMessage, IncompleteError } from '../../errors.ts';
import { toJson } from '../records/write-records.ts';
import { RetryAfter } from './retry.ts';

/**
 * Creates plants in a running service, over HTTP.
 *
 * @throws {StoreUnavailable} if the service is overloaded or unreachable; retrying is safe.
 * @throws {IncompleteError} if it would reject any plant, such as for its token, or is not a plant-store.
 */
export function createOverHttp(url: string, token: string): CreatePlant {
  const address = `${url.replace(/\/+$/, '')}/plants`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (newPlant) => {
    const { status, retryAfter, text } = await post(address, headers, toJson(newPlant));
    if (status === 200) {
      // A proxy or a web site may respond with 200 to anything.
      if (isPlant(text, newPlant)) return { outcome: 'created', plant: newPlant };
      throw new IncompleteError(
        `${address} responded with 200 but not with the plant: pass the base address of the service with --url`,
      );
    }
    const record = errorRecord(text);
    const failure = `${address} responded with ${status}, ${record?.message ?? 'without an Error record'}`;
    if (record?.error === ID_TAKEN) return { outcome: 'id-taken', id: newPlant.id };
    // RFC 9110, section 10.2.3. A date is rare; it counts as one second.
    if (status === 429 || status === 503) throw new RetryAfter(failure, (Number(retryAfter) || 1) * 1_000);
    if (status === 502 || status === 504) throw new StoreUnavailable(failure);
    // Without an Error record the response is not the service's, and the plant is not at fault.
    if (record && (status === 400 || status === 413 || status === 500)) throw new Error(record.message);
    throw new IncompleteError(`${failure}${advice[status] ?? ''}`);
  };
}

const ID_TAKEN = 40_005;

const advice: Readonly<Record<number, string>> = {
  401: ': set API_TOKEN to a token that the service accepts',
  404: ': pass the base address of the service with --url',
};

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function post(address: string, headers: Record<string, string>, body: string): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A redirect would send the token elsewhere.
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause ? cause.cause : cause;
    const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
      throw new IncompleteError(`${address} does not use TLS: pass --url with http://`, { cause });
    if (code === 'ENOTFOUND')
      throw new IncompleteError(`${address} is unreachable: ${errorMessage(reason)}: check the host name`, { cause });
    if (CERTIFICATE_ERROR.test(code))
      throw new IncompleteError(
        `the certificate of ${address} is not trusted: ${errorMessage(reason)} (${code}): use the host name of the certificate in --url, or set NODE_EXTRA_CA_CERTS to its certificate authority`,
        { cause },
      );
    throw new StoreUnavailable(`${address} is unreachable: ${errorMessage(reason)}`, { cause });
  }
}

/** Node's error codes for certificates (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const CERTIFICATE_ERROR = /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/** 30 s: many times the 2 s within which the service responds by itself. */
const TIMEOUT_MS = 30_000;

/** Whether a response is the plant. A Plant record has no id, so JSON.parse loses no digits. */
function isPlant(text: string, plant: Plant): boolean {
  try {
    return isSamePlant(JSON.parse(text), plant);
  } catch {
    return false;
  }
}

/** Undefined if the response is not the service's own. */
function errorRecord(text: string): { readonly error: number; readonly message: string } | undefined {
  try {
    const { error, message } = JSON.parse(text);
    if (typeof error === 'number' && typeof message === 'string') return { error, message };
  } catch {
    // Not JSON.
  }
  return undefined;
}
