import type { FastifyServerOptions } from 'fastify';

/**
 * No route has a schema for Fastify, which would load its compilers even so, Ajv and fast-json-stringify: a tenth of the time
 * of a start.
 */
export const noSchemaCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
};

function unused(): never {
  throw new Error('a route has a schema: see no-schema-compilers.ts');
}
