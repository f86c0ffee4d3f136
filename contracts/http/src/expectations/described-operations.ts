import type { HttpResponse } from '../http/http-response.ts';
import { expectError, fail } from './expectations.ts';
import type { PublishedDescription } from './published-description.ts';

/** An operation that the description has. */
export interface DescribedOperation {
  /** In capitals. */
  readonly method: string;
  /** As described: parameters are in braces. */
  readonly path: string;
  readonly hasBody: boolean;
}

export function describedOperations({ at }: PublishedDescription): readonly DescribedOperation[] {
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
    .filter((operation) => leadsTo(operation.path, path))
    .map(({ method }) => method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

/** The response must be 405, and name these methods. */
export function expectNotAllowed(response: HttpResponse, allowed: readonly string[]): void {
  expectError(response, 'method-not-allowed');
  expectAllow(response, allowed);
}

/** `Allow` must have these methods and no other. */
export function expectAllow(response: HttpResponse, allowed: readonly string[]): void {
  const named = response.headers.get('allow')?.split(/, */) ?? [];
  if (named.toSorted().join() !== allowed.toSorted().join()) fail(response, `405 with Allow: ${allowed.join(', ')}`);
}

function leadsTo(template: string, path: string): boolean {
  const segments = path.split('/');
  const wanted = template.split('/');
  return (
    wanted.length === segments.length &&
    wanted.every((each, at) => (each.includes('{') ? segments[at] !== '' : each === segments[at]))
  );
}
