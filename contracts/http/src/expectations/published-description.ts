import { runInNewContext } from 'node:vm';
import { ContractViolation } from '@plant-store/contracts-kit';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DeployedService } from '../deployed-service.ts';
import type { HttpResponse } from '../http/http-response.ts';
import { sendRequest } from '../http/send-request.ts';
import { fail, jsonObjectIn } from './expectations.ts';

/** The OpenAPI description that a service publishes, to be compared with what the service does. */
export interface PublishedDescription {
  /** The value at this path of names, which follows references; undefined if there is none. */
  at(...names: readonly string[]): unknown;
  /** How the value violates the schema at this path of names, as a sentence; undefined if it does not. */
  faultOf(value: unknown, ...schema: readonly string[]): string | undefined;
  /**
   * The same of a response, which has described members only: the schema leaves room for those of later versions, in which
   * they are described.
   */
  faultOfResponse(value: unknown, ...schema: readonly string[]): string | undefined;
}

/**
 * Reads the description, without a token.
 * @throws {ContractViolation} if it is not there.
 */
export async function readDescription(service: DeployedService): Promise<PublishedDescription> {
  const response = await requestDescription(service);
  const expected = '200, application/json, an OpenAPI document';
  if (response.status !== 200) fail(response, expected);
  const document = jsonObjectIn(response, expected);
  // A schema may have keywords that are not JSON Schema's (draft 2020-12, section 6.5). The meta-schema would be applied to the
  // root of the document only, of which it says nothing.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { regExp: boundedRegExp } });
  addFormats.default(ajv);
  const compiled = new Map<string, ValidateFunction>();
  ajv.addSchema(document, 'description');
  const at = (...names: readonly string[]) =>
    names.reduce<unknown>((value, name) => member(referred(document, value), name), document);
  return {
    at,
    faultOf: (value, ...names) => fault(value, names, {}),
    faultOfResponse: (value, ...names) => fault(value, names, { unevaluatedProperties: false }),
  };

  function fault(value: unknown, names: readonly string[], also: object): string | undefined {
    // Its references are to the whole document.
    const schema = JSON.stringify({ allOf: [at(...names)], ...also }).replaceAll('"$ref":"#', '"$ref":"description#');
    try {
      const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(schema));
      compiled.set(schema, validate);
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' });
    } catch (error) {
      throw new ContractViolation(
        response.action(),
        `no schema at ${names.join(' > ')}: ${error}`,
        'a JSON Schema there',
      );
    }
  }
}

/** A pattern is the service's: one that backtracks for ever must not hold up the check. */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => ({
    test: (text: string): boolean =>
      runInNewContext('new RegExp(pattern, flags).test(text)', { pattern, flags, text }, { timeout: 1_000 }),
  }),
  { code: 'boundedRegExp' },
);

/** Requests the description, without a token unless one is given. */
export function requestDescription(
  service: DeployedService,
  { method = 'GET', authorization }: { readonly method?: string; readonly authorization?: string | undefined } = {},
): Promise<HttpResponse> {
  return sendRequest(service, { method, path: '/openapi.json', headers: { authorization, 'content-type': undefined } });
}

/** What a Reference Object stands for; any other value itself. */
function referred(document: unknown, value: unknown): unknown {
  const reference = member(value, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value;
  return reference.slice(2).split('/').reduce(member, document);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
