import { Agent, request } from 'node:http';
import { TOKEN } from '../running-service.ts';
import type { SentPlant } from './plants.ts';

/** What came of a request. Times are those of `performance.now()`, in milliseconds. */
export interface Answer {
  readonly plant: SentPlant;
  readonly sentAt: number;
  readonly answeredAt: number;
  /**
   * The status; or `refused`, when nobody listens any more; `lost`, when the connection ended without an answer;
   * `silent`, when there was none for {@link SILENT_AFTER_MS}.
   */
  readonly outcome: number | 'refused' | 'lost' | 'silent';
  /** Whether the body is that of a good answer: the very plant with 200, an Error record of the store's or of overload with 503. */
  readonly asPromised: boolean;
  readonly body: string;
}

/** Keeps connections to a service and sends one request over each at a time, as many at once as it is asked to. */
export interface Caller {
  send(plant: SentPlant): Promise<Answer>;
  close(): void;
}

/** Longer than any bound, so that an answer that comes too late is told from none. */
const SILENT_AFTER_MS = 20_000;

/** The store cannot answer, and the service has too much to do. */
const SERVICE_FAILURES = [50301, 50302];

/** @param maxConnections requests beyond so many at once wait for one that is free. */
export function openCaller(url: string, maxConnections = 4_000): Caller {
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
        const end = (outcome: Answer['outcome'], asPromised = false, body = '') =>
          resolve({ plant, sentAt, answeredAt: performance.now(), outcome, asPromised, body });
        const outgoing = request(`${url}/plants`, options, (incoming) => {
          let body = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            body += chunk;
          });
          incoming.on('end', () => end(incoming.statusCode ?? 0, isPromised(plant, incoming, body), body));
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

function isPromised({ name, tag }: SentPlant, { statusCode, headers }: Head, body: string): boolean {
  if (statusCode === 200) return body === JSON.stringify(tag === undefined ? { name } : { name, tag });
  if (statusCode !== 503 || !/^[1-9]\d*$/.test(String(headers['retry-after']))) return false;
  const { error, message } = JSON.parse(body);
  return SERVICE_FAILURES.includes(error) && typeof message === 'string';
}
