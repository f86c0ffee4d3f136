import type { z } from 'zod';
import type { ErrorKinds } from './error-catalogue.ts';

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A record of the interface, by its name there, and examples of it by their names. */
export interface DescribedRecord {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly examples: Readonly<Record<string, JsonObject>>;
}

/** A parameter in the path. */
export interface PathParameter<Value = unknown> {
  readonly description: string;
  readonly schema: JsonObject;
  /** @returns undefined if there can be nothing under this text; the client gets 404. */
  readonly read: (text: string) => Value | undefined;
}

type Values<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends PathParameter<infer Value> ? Value : never;
};

/**
 * An operation of the interface: its route, its part of the description and its work are made of this. Every operation
 * needs a token, and counts towards the limit on the requests of that token.
 */
export interface Operation<
  UseCases = never,
  Parameters extends Readonly<Record<string, PathParameter>> = Readonly<Record<string, PathParameter>>,
  Body = unknown,
  Result = unknown,
> {
  /** Its `operationId`. Its span has the same name, with a capital letter. */
  readonly id: string;
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** As OpenAPI writes it: `/plants/{id}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly tag: { readonly name: string; readonly description: string };
  /** Those of the path, by their names in it. */
  readonly parameters?: Parameters;
  /** What the client sends, as `application/json`. `read` throws what `toHttpError` knows. */
  readonly body?: DescribedRecord & { readonly read: (bytes: Buffer) => Body };
  /** What the client gets with 200. */
  readonly response: DescribedRecord & { readonly description: string };
  /** The errors that other operations need not have. */
  readonly errors: ErrorKinds;
  /** Calls the use case. It is a part of the request's trace. */
  handle(input: { readonly parameters: Values<Parameters>; readonly body: Body }, useCases: UseCases): Promise<Result>;
  /** The record for a result of the use case, or an HttpError that is thrown. */
  respond(result: Result): unknown;
}

/** Declares an operation. What its functions get and return is inferred. */
export function operation<UseCases, Parameters extends Readonly<Record<string, PathParameter>>, Body, Result>(
  declared: Operation<UseCases, Parameters, Body, Result>,
): Operation<UseCases> {
  return declared as unknown as Operation<UseCases>;
}
