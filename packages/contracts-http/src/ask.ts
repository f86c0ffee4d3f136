import { ContractViolation } from '@plant-store/contracts-kit';
import type { Answer } from './answer.ts';
import { ANSWER_WITHIN_MS, type DeployedService, printable, targetOf } from './deployed-service.ts';

/** A request that `fetch` can send. What is left out is as in a good request to create a plant. */
export interface Question {
  /** What is special about it, for messages: «a token without its last character». */
  readonly about?: string;
  readonly method?: string;
  /** Below the base address, with a query or without one. */
  readonly path?: string;
  /** Beside `authorization` and `content-type`, or instead of them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Bytes are not shown in messages: `about` says what they are. */
  readonly body?: string | Uint8Array;
}

/**
 * Sends one request with `fetch` and waits for the whole answer.
 * @throws {ContractViolation} when none comes within {@link ANSWER_WITHIN_MS}.
 */
export async function ask(service: DeployedService, question: Question): Promise<Answer> {
  const { method = 'POST', path = '/plants', body } = question;
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...question.headers };
  const did = describe(service, question);
  try {
    const response = await fetch(new URL(service.baseUrl).origin + targetOf(service, path), {
      method,
      headers: Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
      // As bytes: for a string, fetch would make up a Content-Type where there shall be none.
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const { status, headers: received } = response;
    return { service, did, status, headers: received, body: await response.bytes() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    throw new ContractViolation(did, `no answer: ${error}${cause}`, `an HTTP answer within ${ANSWER_WITHIN_MS} ms`);
  }
}

function describe(service: DeployedService, question: Question): string {
  const { about, method = 'POST', path = '/plants', headers = {}, body } = question;
  const unusual = Object.entries(headers).map(([name, value]) =>
    value === undefined ? `no ${name}` : `${name}: ${value}`,
  );
  if (body !== undefined)
    unusual.push(typeof body === 'string' ? `the body ${body}` : `a body of ${body.length} bytes`);
  const parts = unusual.length === 0 ? '' : ` with ${unusual.join(', ')}`;
  return printable(service, `sent ${about ? `${about}: ` : ''}${method} ${path}${parts}`);
}
