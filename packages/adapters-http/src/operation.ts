import type { UseCases } from '@plant-store/domain';
import type { HTTPMethods } from 'fastify';
import type { z } from 'zod';
import { anyBody, anyRequest, type ErrorKind } from './errors.ts';

/** The parts of a request that an operation declares, as its schemas have parsed them. */
interface OperationInput<Body, Params, Query> {
  readonly body: Body;
  readonly params: Params;
  readonly query: Query;
}

/** The schemas of an operation. What is not declared is not read. */
interface Schemas<Body, Params, Query> {
  readonly body?: z.ZodType<Body>;
  readonly params?: z.ZodType<Params>;
  readonly querystring?: z.ZodType<Query>;
  /** The record of the response. It is not validated again. */
  readonly response: { readonly 200: z.ZodType };
}

/** An operation of the API. Its route, `Allow`, its errors, its description, its metrics and its span follow from it. */
export interface Operation<
  Name extends keyof UseCases = keyof UseCases,
  Body = unknown,
  Params = unknown,
  Query = unknown,
> {
  /** The use case that it calls. Where the store lacks the port of that, the operation is neither served nor described. */
  readonly useCase: Name;
  readonly method: HTTPMethods;
  /** The path as OpenAPI has it: `/plants/{id}`. A parameter is a segment that is not empty, of at most 100 characters. */
  readonly path: string;
  /** The name of the operation in the description. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** What a 200 brings, for the description. */
  readonly result: string;
  readonly schemas: Schemas<Body, Params, Query>;
  /** The kinds of errors that this operation alone gives. */
  readonly errors: readonly ErrorKind[];
  /** The kind among them of a request that does not match the schemas. */
  readonly invalid?: ErrorKind;
  /** Resolves with the record of the response, or throws. */
  handle(useCase: NonNullable<UseCases[Name]>, input: OperationInput<Body, Params, Query>): Promise<unknown>;
}

/** Every kind of error that a client of the operations can get, once and by number. */
export function errorsOf(...operations: readonly Operation[]): readonly ErrorKind[] {
  const kinds = operations.flatMap(({ errors, schemas }) => [
    ...Object.values(anyRequest),
    ...(schemas.body ? Object.values(anyBody) : []),
    ...errors,
  ]);
  return [...new Set(kinds)].toSorted((one, other) => one.error - other.error);
}
