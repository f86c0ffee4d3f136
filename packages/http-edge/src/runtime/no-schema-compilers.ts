import type { FastifyServerOptions } from 'fastify';

/**
 * No route of ours has a schema for Fastify, which would load its compilers even so, Ajv and fast-json-stringify.
 */
export const noSchemaCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
};

function unused(): never {
  throw new Error(
    'this server compiles no schemas: validate in the handler, or give the route a validatorCompiler and a serializerCompiler',
  );
}
