import { type CreatePlant, isSamePlant, type Plant, StoreUnavailable } from '@plant-store/domain';
import { reasonOf } from '../../error-message.ts';
import { StoppedEarly } from '../../incomplete-error.ts';
import { toJson } from '../records/write-records.ts';
import { RetryAfter } from './retried.ts';

/**
 * The use case in a running service, over HTTP.
 *
 * @throws {StoreUnavailable} when it has too much to do, or cannot be reached; the same again is safe.
 * @throws {StoppedEarly} when it would refuse any plant, as it does without its token, or is no plant-store at all.
 */
export function createOverHttp(url: string, token: string): CreatePlant {
  const address = `${url.replace(/\/+$/, '')}/plants`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (newPlant) => {
    const { status, retryAfter, text } = await post(address, headers, toJson(newPlant));
    if (status === 200) {
      // A proxy or a web site may answer 200 to anything.
      if (isPlant(text, newPlant)) return { outcome: 'created', plant: newPlant };
      throw new StoppedEarly(
        `${address} answers 200, but not with the plant: give --url the base address of the service`,
      );
    }
    const record = errorRecord(text);
    const answer = `${address} answers ${status}, ${record?.message ?? 'without an Error record'}`;
    if (record?.error === ID_TAKEN) return { outcome: 'id-taken', id: newPlant.id };
    // RFC 9110, section 10.2.3; as a date it is rare, and a second will do.
    if (status === 429 || status === 503) throw new RetryAfter(answer, (Number(retryAfter) || 1) * 1_000);
    if (status === 502 || status === 504) throw new StoreUnavailable(answer);
    // Without a record it is not the service that answers, and the plant is not to blame.
    if (record && (status === 400 || status === 413 || status === 500)) throw new Error(record.message);
    throw new StoppedEarly(`${answer}${advice[status] ?? ''}`);
  };
}

const ID_TAKEN = 40_005;

const advice: Readonly<Record<number, string>> = {
  401: ': set API_TOKEN to a token that the service accepts',
  404: ': give --url the base address of the service',
};

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function post(address: string, headers: Record<string, string>, body: string): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    // A redirection would take the token elsewhere.
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause ? cause.cause : cause;
    const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
      throw new StoppedEarly(`${address} answers without TLS: give --url with http://`, { cause });
    if (code === 'ENOTFOUND')
      throw new StoppedEarly(`${address} cannot be reached: ${reasonOf(reason)}: check the host's name`, { cause });
    if (OF_THE_CERTIFICATE.test(code))
      throw new StoppedEarly(
        `${address} is not trusted: ${reasonOf(reason)} (${code}): give --url the name that its certificate is for, or NODE_EXTRA_CA_CERTS the authority that signed it`,
        { cause },
      );
    throw new StoreUnavailable(`${address} cannot be reached: ${reasonOf(reason)}`, { cause });
  }
}

/** What Node calls faults of a certificate (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const OF_THE_CERTIFICATE = /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/** 30 s: many times what the service takes, which answers within 2 s by itself. */
const ANSWER_WITHIN_MS = 30_000;

/** Whether an answer is the plant. A Plant record has no id, so that JSON.parse loses nothing. */
function isPlant(text: string, plant: Plant): boolean {
  try {
    return isSamePlant(JSON.parse(text), plant);
  } catch {
    return false;
  }
}

/** Undefined where whatever answers in the place of the service sends none. */
function errorRecord(text: string): { readonly error: number; readonly message: string } | undefined {
  try {
    const { error, message } = JSON.parse(text);
    if (typeof error === 'number' && typeof message === 'string') return { error, message };
  } catch {
    // Not JSON.
  }
  return undefined;
}
