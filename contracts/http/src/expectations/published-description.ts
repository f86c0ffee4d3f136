import { ContractViolation } from '@plant-store/contracts-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DeployedService } from '../deployed-service.ts';
import { firstResponse, noBody, type RawRequest } from '../http/raw-request.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { fail, jsonObjectIn } from './expectations.ts';

/** The OpenAPI description that a service publishes. */
export interface PublishedDescription {
  /** The value at a path of names, through references; undefined if there is none. */
  at(...names: readonly string[]): unknown;
  /**
   * How the value violates the schema at a path of names; undefined if it is valid.
   * @param isClosed whether members that the schema does not describe are violations. The schema allows them for later versions.
   * @throws {ContractViolation} if there is no valid schema.
   */
  faultOf(value: unknown, schema: readonly string[], isClosed?: boolean): string | undefined;
}

/** Reads the description, without a token. @throws {ContractViolation} if the response is not a JSON document. */
export async function readDescription(service: DeployedService): Promise<PublishedDescription> {
  const response = await requestDescription(service);
  const expected = '200, application/json, an OpenAPI document';
  if (response.status !== 200) fail(response, expected);
  const document = jsonObjectIn(response, expected);
  // OpenAPI's schemas have keywords of their own (JSON Schema 2020-12, section 6.5), and the root of the document is no schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { regExp: matchAnything } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  const at = (...names: readonly string[]) =>
    names.reduce<unknown>((value, name) => member(resolved(document, value), name), document);
  return {
    at,
    faultOf(value, names, isClosed = false) {
      // References in the schema are relative to the whole document.
      const schema = { allOf: [at(...names)], ...(isClosed && { unevaluatedProperties: false }) };
      const text = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"description#');
      try {
        return ajv.validate(JSON.parse(text), value) ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'it' });
      } catch (error) {
        const actual = `no schema at ${names.join(' > ')}: ${error}`;
        throw new ContractViolation(response.action(), actual, 'a JSON Schema there');
      }
    },
  };
}

/** Replaces the patterns of the service's schemas, because one that backtracks for ever would block the check. */
const matchAnything = Object.assign(() => ({ test: () => true }), { code: 'matchAnything' });

/** Requests the description, by default with GET and without a token. */
export function requestDescription(service: DeployedService, request: RawRequest = {}): Promise<HttpResponse> {
  const headers = { ...noBody.headers, Authorization: undefined, ...request.headers };
  const get = { ...noBody, method: 'GET', path: '/openapi.json' };
  return firstResponse(service, 'a request for the description', { ...get, ...request, headers });
}

/** The operations of the description: methods in upper case, and paths with parameters in braces. */
export function describedOperations({ at }: PublishedDescription) {
  return Object.entries(at('paths') ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path,
      hasBody: at('paths', path, method, 'requestBody') !== undefined,
    })),
  );
}

/** The methods of the operations whose path matches. GET implies HEAD (RFC 9110 section 9.1). */
export function methodsAt(description: PublishedDescription, path: string): readonly string[] {
  const methods = describedOperations(description)
    .filter((operation) =>
      new URLPattern({ pathname: operation.path.replaceAll(/\{(\w+)\}/g, ':$1') }).test(path, 'http://x'),
    )
    .map(({ method }) => method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/** The path of names of createPlant. */
export const operation: readonly string[] = ['paths', '/plants', 'post'];

/** Includes the responses to other paths and methods, because OpenAPI has no other place for them. */
const responses = [...operation, 'responses'];

/**
 * The response must be as described: its status, media type and required headers, its body by the closed schema, and the number
 * of an error by the examples, which have each number.
 */
export function expectDescribed({ at, faultOf }: PublishedDescription, response: HttpResponse): void {
  const described = [...responses, String(response.status)];
  if (at(...described) === undefined)
    fail(response, `one of the statuses described: ${Object.keys(at(...responses) ?? {}).join(', ')}`);

  for (const name of Object.keys(at(...described, 'headers') ?? {}))
    if (at(...described, 'headers', name, 'required') === true && !response.headers.has(name.toLowerCase()))
      fail(response, `the header ${name}, described as required`);

  const content = [...described, 'content', 'application/json'];
  const body = jsonObjectIn(response, 'a JSON object as application/json, as described');
  const fault = faultOf(body, [...content, 'schema'], true);
  if (fault) fail(response, `a body of the schema described; ${fault}`);

  if (response.status === 200) return;
  const examples = Object.keys(at(...content, 'examples') ?? {});
  if (!examples.some((name) => at(...content, 'examples', name, 'value', 'error') === body['error']))
    fail(response, 'an error whose number is described');
}

/** The target of a Reference Object; any other value itself. */
function resolved(document: unknown, value: unknown): unknown {
  const reference = member(value, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value;
  return reference.slice(2).split('/').reduce(member, document);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
