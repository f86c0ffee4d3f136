import { ContractViolation } from '@plant-store/contracts-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DeployedService } from '../deployed-service.ts';
import { firstResponse, noBody, type RawRequest } from '../http/raw-request.ts';
import type { HttpResponse } from '../http/response-parser.ts';
import { fail, jsonObjectIn } from './expectations.ts';

/** The OpenAPI description that a service publishes, to be compared with what the service does. */
export interface PublishedDescription {
  /** The value at this path of names, which follows references; undefined if there is none. */
  at(...names: readonly string[]): unknown;
  /**
   * How the value violates the schema at this path of names, as a sentence; undefined if it does not.
   * @param isClosed whether it must have described members only: the schema leaves room for those of later versions.
   */
  faultOf(value: unknown, schema: readonly string[], isClosed?: boolean): string | undefined;
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
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { regExp: anyText } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  const at = (...names: readonly string[]) =>
    names.reduce<unknown>((value, name) => member(referred(document, value), name), document);
  return {
    at,
    faultOf(value, names, isClosed = false) {
      // Its references are to the whole document.
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

/** A pattern is the service's: one that backtracks for ever would hold up the check, so none is applied. */
const anyText = Object.assign(() => ({ test: () => true }), { code: 'anyText' });

/** Requests the description, without a token unless the request has one. */
export function requestDescription(service: DeployedService, request: RawRequest = {}): Promise<HttpResponse> {
  const headers = { ...noBody.headers, Authorization: undefined, ...request.headers };
  const get = { ...noBody, method: 'GET', path: '/openapi.json' };
  return firstResponse(service, 'a request for the description', { ...get, ...request, headers });
}

/** The operations that the description has: methods in capitals, and paths whose parameters are in braces. */
export function describedOperations({ at }: PublishedDescription) {
  return Object.entries(at('paths') ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path,
      hasBody: at('paths', path, method, 'requestBody') !== undefined,
    })),
  );
}

/** The methods that the description has for this path, parameters included; with GET comes HEAD (RFC 9110 section 9.1). */
export function methodsAt(description: PublishedDescription, path: string): readonly string[] {
  const methods = describedOperations(description)
    .filter((operation) =>
      new URLPattern({ pathname: operation.path.replaceAll(/\{(\w+)\}/g, ':$1') }).test(path, 'http://x'),
    )
    .map(({ method }) => method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/** Where the description has the one operation of the interface. */
export const operation: readonly string[] = ['paths', '/plants', 'post'];

/** Those to other paths and methods are described there, too: OpenAPI has no other place for them. */
const responses = [...operation, 'responses'];

/**
 * The response must be as described there: its status, its media type, the required headers, its body by the schema without
 * a member more, and the number of an error by the examples, which have one for each number.
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

/** What a Reference Object stands for; any other value itself. */
function referred(document: unknown, value: unknown): unknown {
  const reference = member(value, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value;
  return reference.slice(2).split('/').reduce(member, document);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
