import type { DeployedService } from './deployed-service.ts';

/** One answer of the service, with what it was an answer to. */
export interface Answer {
  readonly service: DeployedService;
  /** What was sent, as a sentence for messages. */
  readonly did: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Whether the service says that it closes the connection after this answer (RFC 9112 section 9.6). */
export function saysClose({ headers }: Answer): boolean {
  return /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');
}
