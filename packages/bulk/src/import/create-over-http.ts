import { errorMessage, IncompleteError, printable } from '@plant-store/command-line';
import { type CreatePlant, isSamePlant, type Plant, PlantRefused, StoreUnavailable } from '@plant-store/domain';
import { type Dispatcher, Pool } from 'undici';
import { toJson } from '../records/to-json.ts';
import { RetryAfter } from './retry.ts';

/** Creates plants in a running service, over HTTP. */
export interface RemoteService extends AsyncDisposable {
  /**
   * @throws {StoreUnavailable} if the service is overloaded, unreachable or got the request late; retrying is safe.
   * @throws {IncompleteError} if it would reject any plant, such as for its token, fails itself, or is not a plant-store.
   * @throws {PlantRefused} if it rejects this plant.
   */
  readonly create: CreatePlant;
}

/** What sends the requests. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** @param inFlight the most plants that are created at once. */
export function createOverHttp(
  url: string,
  token: string,
  inFlight: number,
  connections: Connections = openConnections(new URL(url).origin, inFlight),
): RemoteService {
  const address = `${url.replace(/\/+$/, '')}/plants`;
  const path = new URL(address).pathname;
  const headers = ['authorization', `Bearer ${token}`, 'content-type', 'application/json'];

  async function create(newPlant: Parameters<CreatePlant>[0]): ReturnType<CreatePlant> {
    const { status, retryAfter, text } = await post(connections, { path, headers, body: toJson(newPlant) }).catch(
      (cause: unknown) => {
        throw failureOf(address, cause);
      },
    );
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
    if (status === 429 || status === 503) throw new RetryAfter(failure, retryAfterMs(retryAfter));
    if (status === 502 || status === 504 || record?.error === REQUEST_LATE) throw new StoreUnavailable(failure);
    // Whatever else is a 400 says nothing of the plant.
    if (record && ofThePlant.has(record.error)) throw new PlantRefused(record.message);
    throw new IncompleteError(`${failure}${advice[status] ?? ''}`);
  }

  return { create, [Symbol.asyncDispose]: () => connections.destroy() };
}

/**
 * Requests are pipelined (RFC 9112, section 9.3.2): creating is idempotent, so those that a connection loses are sent again.
 * The service reads several of them at once, which costs both sides less.
 */
function openConnections(origin: string, inFlight: number): Connections {
  return new Pool(origin, {
    connections: Math.ceil(inFlight / PIPELINED),
    pipelining: PIPELINED,
    allowH2: false,
    connectTimeout: 10_000,
  });
}

/** A lost connection costs so many retries; the service allows 100. */
const PIPELINED = 8;

const ID_TAKEN = 40_005;
const REQUEST_LATE = 40_007;

/** Not a NewPlant, larger than the service accepts, refused by its store. */
const ofThePlant: ReadonlySet<number> = new Set([40_002, 40_004, 40_008]);

const advice: Readonly<Record<number, string>> = {
  401: ': set API_TOKEN to a token that the service accepts',
  404: ': pass the base address of the service with --url',
  500: ': see the log of the service',
};

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

interface PlantRequest {
  readonly path: string;
  readonly headers: string[];
  readonly body: string;
}

/** Redirects are not followed: they would send the token elsewhere. */
function post(connections: Connections, { path, headers, body }: PlantRequest): Promise<Reply> {
  const longest = LONGEST_RECORD + 6 * body.length;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [status, length] = [0, 0];
    let retryAfter: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    connections.dispatch(
      { path, method: 'POST', headers, body, idempotent: true },
      {
        onRequestStart(controller) {
          clearTimeout(timer);
          timer = setTimeout(
            () => controller.abort(new Error(`no response within ${TIMEOUT_MS / 1_000} s`)),
            TIMEOUT_MS,
          );
        },
        onResponseStart(_controller, statusCode, { 'retry-after': value }) {
          status = statusCode;
          retryAfter = String(value ?? '');
        },
        onResponseData(controller, chunk) {
          length += chunk.length;
          if (length > longest) controller.abort(new ResponseTooLong(`a response of more than ${longest} bytes`));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          clearTimeout(timer);
          resolve({ status, retryAfter, text: Buffer.concat(chunks).toString() });
        },
        onResponseError(_controller, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}

/** 30 s: many times the 2 s within which the service responds by itself. */
const TIMEOUT_MS = 30_000;

/**
 * 64 KiB: many times an Error record. A Plant record may be longer, but not than six times the plant, which is what JSON
 * makes of a text if every character is escaped.
 */
const LONGEST_RECORD = 64 * 1024;

class ResponseTooLong extends Error {}

function failureOf(address: string, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // A certificate's names are the server's words.
  const reason = printable(errorMessage(cause));
  if (cause instanceof ResponseTooLong)
    return new IncompleteError(`${address} sent ${reason}: pass the base address of the service with --url`, { cause });
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return new IncompleteError(`${address} does not use TLS: pass --url with http://`, { cause });
  if (code === 'ENOTFOUND')
    return new IncompleteError(`${address} is unreachable: ${reason}: check the host name`, { cause });
  if (CERTIFICATE_ERROR.test(code))
    return new IncompleteError(
      `the certificate of ${address} is not trusted: ${reason} (${code}): use the host name of the certificate in --url, or set NODE_EXTRA_CA_CERTS to its certificate authority`,
      { cause },
    );
  return new StoreUnavailable(`${address} is unreachable: ${reason}`, { cause });
}

/** Node's error codes for certificates (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const CERTIFICATE_ERROR = /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/;

/**
 * How long to wait before a retry, in milliseconds (RFC 9110, section 10.2.3). A date, which is rare, and what is not a
 * number count as none.
 */
function retryAfterMs(text: string | undefined): number {
  return /^\d{1,9}$/.test(text ?? '') ? Math.min(Number(text) * 1_000, LONGEST_WAIT_MS) : 0;
}

/** 30 s: half of the default of --retry-for, so that a service that asks for more is asked once again. */
const LONGEST_WAIT_MS = 30_000;

/** Whether a response is the plant. A Plant record has no id, so JSON.parse loses no digits. */
function isPlant(text: string, plant: Plant): boolean {
  try {
    return isSamePlant(JSON.parse(text), plant);
  } catch {
    return false;
  }
}

/** Undefined if the response is not the service's own. The message is printable, and at most a few lines of a terminal. */
function errorRecord(text: string): { readonly error: number; readonly message: string } | undefined {
  try {
    const { error, message } = JSON.parse(text);
    if (typeof error === 'number' && typeof message === 'string') return { error, message: shortened(message) };
  } catch {
    // Not JSON.
  }
  return undefined;
}

function shortened(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${printable(message.slice(0, LONGEST_MESSAGE))}…` : printable(message);
}

const LONGEST_MESSAGE = 500;
