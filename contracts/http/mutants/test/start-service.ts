import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createHttpServer } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { type DeployedService, fixedIds } from '@plant-store/contracts-http';
import { type HttpMutation, otherToken, token } from '@plant-store/contracts-http/mutants';
import { type TokenVerifier, useCases, type ValidNewPlant } from '@plant-store/domain';
import type { FastifyInstance } from 'fastify';

/** Accepts only the two tokens. */
const correctTokens: TokenVerifier = {
  verify: async (text) =>
    text === token || text === otherToken ? { accepted: true, subject: 'test' } : { accepted: false },
};

/** Starts the service with a mutation, on a store of its own. */
export async function startService(
  mutation: HttpMutation,
): Promise<AsyncDisposable & { readonly service: DeployedService }> {
  const store = openMemory();
  const correct = useCases(store);
  const mutated = { ...correct, ...mutation.useCases?.(correct) };
  if (mutation.idsTaken)
    await Promise.allSettled(
      fixedIds.map((id) => mutated.createPlant({ id, name: 'somebody else’s' } as ValidNewPlant)),
    );
  const app = createHttpServer({
    useCases: mutated,
    tokens: mutation.tokens?.(correctTokens) ?? correctTokens,
    ...mutation.options,
  });
  addHooks(app, mutation);
  mutation.server?.(app.server);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const proxy = mutation.incoming && (await startProxy(origin, mutation.incoming));
  return {
    service: { baseUrl: proxy?.url ?? origin, token, otherToken, ...mutation.given },
    async [Symbol.asyncDispose]() {
      await app.close();
      proxy?.server.close();
      await store.close();
    },
  };
}

/** Applies the changes to bodies and responses. */
function addHooks(app: FastifyInstance, { bytes, body, response }: HttpMutation): void {
  if (bytes)
    app.addHook('preParsing', async (_request, _reply, stream) => {
      const rewritten = Object.assign(Readable.from(read()), { receivedEncodedLength: 0 });
      return rewritten;
      async function* read() {
        // Piped, because the service sends 100 Continue when the request starts to flow.
        const whole = await buffer(stream.pipe(new PassThrough()));
        rewritten.receivedEncodedLength = whole.length;
        yield Buffer.from(bytes?.(whole) ?? whole);
      }
    });
  if (body)
    app.addHook('preValidation', async (request) => {
      request.body = await body(request.body);
    });
  if (response)
    app.addHook('onSend', async ({ raw }, reply, payload) => {
      const outgoing = { status: reply.statusCode, headers: reply.getHeaders(), body: String(payload ?? '') };
      const changed = response(outgoing, raw);
      reply.code(changed.status ?? outgoing.status);
      for (const [name, value] of Object.entries(changed.headers ?? {}))
        if (value === undefined) reply.removeHeader(name);
        else reply.header(name, value);
      const { body: sent = payload } = changed;
      return sent === payload || typeof sent === 'string' ? sent : JSON.stringify(sent);
    });
}

/** Starts a proxy in front of a server, which rewrites incoming bytes. */
async function startProxy(origin: string, rewrite: (bytes: string) => string) {
  const { hostname, port } = new URL(origin);
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    async function* rewriting(incoming: AsyncIterable<Buffer>) {
      for await (const bytes of incoming) yield Buffer.from(rewrite(bytes.toString('latin1')), 'latin1');
    }
    // If one side fails, the other is closed.
    pipeline(client, rewriting, upstream, (error) => error && client.destroy());
    pipeline(upstream, client, (error) => error && upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
