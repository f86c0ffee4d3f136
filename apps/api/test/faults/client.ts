import { Agent, request } from 'node:http';
import { plantOf } from '@plant-store/domain';
import { TOKEN } from '../running-service.ts';
import type { SentPlant } from './plants.ts';

/** The result of a request. Times are those of `performance.now()`, in milliseconds. */
export interface Result {
  readonly plant: SentPlant;
  readonly sentAt: number;
  readonly completedAt: number;
  /**
   * The status; or `taken` for 400 because another plant has the id, `refused` if the connection was refused, `lost` if it
   * closed without a response, `silent` if there was none for {@link SILENT_AFTER_MS}.
   */
  readonly outcome: number | 'taken' | 'refused' | 'lost' | 'silent';
  /** Whether the body is valid: the same plant with 200, an Error record of the store or of overload with 503, of the id if taken. */
  readonly asExpected: boolean;
  readonly body: string;
  /** Whether it was sent on a connection that had carried another request before. */
  readonly kept: boolean;
}

/** Sends requests to a service over keep-alive connections, as many concurrently as asked for. */
export interface Client {
  send(plant: SentPlant): Promise<Result>;
  close(): void;
}

/** Longer than any bound, to distinguish a late response from none. */
const SILENT_AFTER_MS = 20_000;

/** Store unavailable, and service overloaded. */
const SERVICE_FAILURES = [50301, 50302];

/** Another plant has the id. */
const TAKEN = 40005;

/** @param maxConnections further requests wait for a free connection. */
export function openClient(url: string, maxConnections = 4_000): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections });
  const options = {
    agent,
    method: 'POST',
    timeout: SILENT_AFTER_MS,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  };
  return {
    send(plant) {
      const sentAt = performance.now();
      const text = JSON.stringify(plant);
      return new Promise((resolve) => {
        const end = (outcome: Result['outcome'], asExpected = false, body = '') =>
          resolve({
            plant,
            sentAt,
            completedAt: performance.now(),
            outcome,
            asExpected,
            body,
            kept: outgoing.reusedSocket,
          });
        const outgoing = request(`${url}/plants`, options, (incoming) => {
          let body = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            body += chunk;
          });
          incoming.on('end', () => {
            const outcome = outcomeOf(incoming, body);
            end(outcome, isExpected(plant, outcome, incoming, body), body);
          });
          incoming.on('error', () => end('lost'));
        });
        outgoing.on('timeout', () => {
          end('silent');
          outgoing.destroy();
        });
        outgoing.on('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNREFUSED' ? 'refused' : 'lost'));
        outgoing.end(text);
      });
    },
    close: () => agent.destroy(),
  };
}

interface Head {
  readonly statusCode?: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
}

function outcomeOf({ statusCode = 0 }: Head, body: string): Result['outcome'] {
  return statusCode === 400 && errorIn(body).error === TAKEN ? 'taken' : statusCode;
}

function isExpected(plant: SentPlant, outcome: Result['outcome'], { headers }: Head, body: string): boolean {
  if (outcome === 200) return body === JSON.stringify(plantOf(plant));
  if (outcome === 'taken') return true;
  if (outcome !== 503 || !/^[1-9]\d*$/.test(String(headers['retry-after']))) return false;
  const { error, message } = errorIn(body);
  return SERVICE_FAILURES.includes(error ?? 0) && typeof message === 'string';
}

/** The Error record of a body; empty if it is none. */
function errorIn(body: string): { readonly error?: number; readonly message?: string } {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
