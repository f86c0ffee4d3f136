import type { TokenVerifier } from '@plant-store/domain';
import { exchangeOf, type JsonBodies, notFound, sendJson } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { authenticate } from './authenticate.ts';
import type { Operation } from './operation.ts';
import { limitRate } from './rate-limit.ts';

/** What serves operations. */
export interface OperationsOptions<UseCases> {
  readonly operations: readonly Operation<UseCases>[];
  readonly useCases: UseCases;
  readonly tokens: TokenVerifier;
  readonly requestsPerSecond?: number | undefined;
  readonly bodies: JsonBodies;
}

/** Serves the operations, each to clients with a token. */
export async function operationsRoute<UseCases>(
  app: FastifyInstance,
  { operations, useCases, tokens, requestsPerSecond, bodies }: OperationsOptions<UseCases>,
): Promise<void> {
  const limit = requestsPerSecond === undefined ? undefined : limitRate(requestsPerSecond);
  for (const each of operations) app.register(async (scope) => serve(scope, each));

  function serve(scope: FastifyInstance, { id, method, path, body, ...operation }: Operation<UseCases>): void {
    const part = id.charAt(0).toUpperCase() + id.slice(1);
    const parameters = Object.entries(operation.parameters ?? {});
    if (body) bodies.readWith(scope, body.read);

    scope.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { isOperation: true },
      // In this order: first who sends it, then what; the body is read only for clients that may send one.
      onRequest: async (request, reply) => {
        const exchange = exchangeOf(request.raw);
        const subject = await authenticate(request.raw.headers, tokens);
        limit?.(subject);
        if (body) bodies.admit(exchange, reply);
      },
      handler: async (request, reply) => {
        const values = parameters.length === 0 ? none : valuesOf(request.params as Readonly<Record<string, string>>);
        const input = { parameters: values, body: request.body };
        const { span } = exchangeOf(request.raw);
        const result = await (span
          ? span.part(part, () => operation.handle(input, useCases))
          : operation.handle(input, useCases));
        return sendJson(reply, JSON.stringify(operation.respond(result)));
      },
    });

    function valuesOf(params: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
      const values: Record<string, unknown> = {};
      for (const [name, { read }] of parameters) {
        const value = read(params[name] ?? '');
        if (value === undefined) throw notFound([]);
        values[name] = value;
      }
      return values;
    }
  }
}

const none = {};
