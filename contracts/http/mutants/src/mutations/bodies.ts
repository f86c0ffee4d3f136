import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Mutation } from '../mutation.ts';

/** Changes the bytes of every body before they are parsed. */
export function rewriteBytes(rewrite: (bytes: Buffer) => Buffer | string): Mutation {
  return {
    server: (app) => void app.addHook('preParsing', async (_request, _reply, body) => rewritten(body, rewrite)),
  };
}

/** The same for the text of every body that is UTF-8. */
export function rewriteText(rewrite: (text: string) => string): Mutation {
  return rewriteBytes((bytes) => {
    const text = bytes.toString();
    return bytes.equals(Buffer.from(text)) ? rewrite(text) : bytes;
  });
}

/** Members of a parsed body, whose `id` is a bigint if it is an integer. */
export type Members = { [name: string]: unknown };

/** Changes every parsed body that is an object; if the result is not an object, it is refused. */
export function rewriteMembers(rewrite: (members: Members, text: string) => unknown): Mutation {
  return rewriteBody((body, text) =>
    typeof body === 'object' && body !== null && !Array.isArray(body) ? rewrite(body as Members, text) : body,
  );
}

/** Changes every parsed body before it is checked. */
export function rewriteBody(rewrite: (body: unknown, text: string) => unknown): Mutation {
  const texts = new WeakMap<FastifyRequest, string>();
  return {
    server: (app) => {
      app.addHook('preParsing', async (request, _reply, body) =>
        rewritten(body, (bytes) => {
          texts.set(request, bytes.toString());
          return bytes;
        }),
      );
      app.addHook('preValidation', async (request) => {
        const text = texts.get(request);
        if (text !== undefined) request.body = rewrite(request.body, text);
      });
    },
  };
}

/** The number at the first `"id"` in a JSON text, as it is written. */
export function idLiteral(text: string): string | undefined {
  return /"id"\s*:\s*(-?\d[\d.eE+-]*)/.exec(text)?.[1];
}

/** A body that is replaced once it is complete. Fastify holds the original length against its limit and Content-Length. */
function rewritten(body: Readable, rewrite: (bytes: Buffer) => Buffer | string): Readable {
  const pieces: Buffer[] = [];
  const rewriting: Transform & { receivedEncodedLength?: number } = new Transform({
    transform(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
    flush(done) {
      const bytes = Buffer.concat(pieces);
      rewriting.receivedEncodedLength = bytes.length;
      done(null, Buffer.from(rewrite(bytes)));
    },
  });
  pipeline(body, rewriting, () => {});
  return rewriting;
}
