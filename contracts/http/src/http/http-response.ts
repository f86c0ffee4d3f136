import type { DeployedService } from '../deployed-service.ts';

/** A response of the service, with the request that it belongs to. */
export interface HttpResponse {
  readonly service: DeployedService;
  /** What was sent, as a sentence for messages: of thousands of requests few are in one. */
  readonly action: () => string;
  readonly status: number;
  /** By name, in lower case; of one that is there more than once the values are combined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Whether the service says that it closes the connection after this response (RFC 9112 section 9.6). */
export function saysClose({ headers }: HttpResponse): boolean {
  return /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');
}
