import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type Connections, createOverHttp, RetryAfter } from '@plant-store/bulk/import';
import { IncompleteError } from '@plant-store/command-line';
import { type NewPlant, StoreUnavailable } from '@plant-store/domain';
import { listening } from '@plant-store/testing-servers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Application } from '../../src/index.ts';
import { composedService } from '../composed-service.ts';
import { plants } from '../imports-and-exports.ts';
import { runToEnd } from '../run-in-process.ts';
import { scratchDirectory, TOKEN } from '../running-service.ts';

const fern: NewPlant = { id: 1n, name: 'Fern' };

describe('plant-store import over HTTP', () => {
  let service: Application;
  beforeAll(async () => {
    service = await composedService();
    return () => service.stop();
  });

  test('creates plants in a running service, and reports those that it rejects', async () => {
    const file = join(await scratchDirectory(onTestFinished), 'in.csv');
    await writeFile(file, 'id,name,tag\n9007199254740993,Fern,""\n9007199254740993,Moss,\n1,"a\nb",x\n');
    const to = (API_TOKEN: string) => runToEnd(['import', file, '--url', service.url], { API_TOKEN });
    expect(await to(TOKEN)).toEqual({ code: 1, output: expect.stringMatching(/^2 stored, 1 rejected/) });
    expect(await readFile(`${file}.rejects.ndjson`, 'utf8')).toBe(
      '{"line":3,"reason":"id: 9007199254740993 is taken by another plant, which is unchanged"}\n',
    );
    expect(await to('wrong-token-of-the-tests')).toEqual({
      code: 3,
      output: expect.stringMatching(/stopped at line 2: .* responded with 401, .*: set API_TOKEN to a token/),
    });
  });

  test('does not retry if the service does not use TLS', async () => {
    const url = service.url.replace('http:', 'https:');
    expect(await importOne(url)).toEqual({
      code: 3,
      output: expect.stringContaining('does not use TLS: pass --url with http://'),
    });
  });

  test.each(['sesame\nbehind a line break', 'sesame€'])(
    'rejects a token that is not allowed in a header, without showing it: %j',
    async (API_TOKEN) => {
      const { code, output } = await runToEnd(['import', '-', '--format', 'ndjson', '--url', 'http://127.0.0.1:1'], {
        API_TOKEN,
      });
      expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/API_TOKEN: expected visible ASCII/) });
      expect(output).not.toContain('sesame');
    },
  );

  test.each(['http://user:sesame@host', 'http://127.0.0.1:1/?a=sesame', 'http://127.0.0.1:1/#sesame'])(
    'rejects a URL with more than a path, without showing it: %s',
    async (url) => {
      const { code, output } = await runToEnd(['import', '-', '--format', 'ndjson', '--url', url], {
        API_TOKEN: TOKEN,
      });
      expect({ code, output }).toEqual({
        code: 2,
        output: expect.stringContaining('without user, password, ? and #'),
      });
      expect(output).not.toContain('sesame');
    },
  );

  test('retries when the service says so, gives up after a while, and says where to continue', async () => {
    const asked: number[] = [];
    const url = await respondingWith((body) => {
      asked.push(performance.now());
      const isBusy = asked.length === 1 || asked.length > 3;
      return isBusy
        ? { status: 503, retryAfter: '1', text: '{"error":50302,"message":"too much to do"}' }
        : { status: 200, text: body };
    });
    const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
    await writeFile(file, plants(1, 5));
    const args = ['import', file, '--url', url, '--concurrency', '1', '--retry-for', '2'];
    expect(await runToEnd(args, { API_TOKEN: TOKEN })).toEqual({
      code: 3,
      output: expect.stringMatching(
        /^2 stored, 0 rejected.*\n.*stopped at line 3: .* responded with 503, too much to do; .* --from-line 3$/m,
      ),
    });
    expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test.each([['<!doctype html>'], ['null'], ['{"name":"plant 1","tag":""}'], ['{"name":"plant 2"}']])(
    'does not count a 200 without the plant as stored: %s',
    async (text) => {
      const url = await respondingWith(() => ({ status: 200, text }));
      const { code, output } = await importOne(url);
      expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^0 stored, 0 rejected/) });
      expect(output).toContain(
        `stopped at line 1: ${url}/plants responded with 200 but not with the plant: pass the base address of the service with --url`,
      );
    },
  );

  const record = (error: number) => JSON.stringify({ error, message: 'no fault of the plant' });
  test.each([
    ...[400, 413, 500, 502, 503].map((status) => [status, '<!doctype html>', 'without an Error record'] as const),
    ...[40_001, 40_003, 40_006, 40_007].map((error) => [400, record(error), 'no fault of the plant'] as const),
    [500, record(50_001), 'no fault of the plant: see the log of the service'] as const,
  ])('a %d with %s stops at the first line, rejects nothing and says how to continue', async (status, text, said) => {
    const url = await respondingWith(() => ({ status, text }));
    const { code, output, rejects } = await importFile(url, plants(1, 300));
    expect({ code, rejects }).toEqual({ code: 3, rejects: undefined });
    expect(output).toMatch(/^0 stored, 0 rejected, in/m);
    expect(output).toContain(`stopped at line 1: ${url}/plants responded with ${status}, ${said}`);
    expect(output).toMatch(/ --from-line 1\n$/);
  });

  test.each([
    [40_002, 'name is missing'],
    [40_004, 'the body is larger than 1048576 bytes'],
    [40_008, 'the store refuses this plant; sending it again will not help'],
  ])('rejects the line for the error %d, in the words of the service', async (error, message) => {
    const url = await respondingWith(() => ({ status: 400, text: JSON.stringify({ error, message }) }));
    const { code, rejects } = await importFile(url, plants(1, 1));
    expect({ code, rejects }).toEqual({ code: 1, rejects: `${JSON.stringify({ line: 1, reason: message })}\n` });
  });

  test('sends a request again that did not arrive in time', async () => {
    let late = true;
    const url = await respondingWith((text) => {
      const response = late ? { status: 400, text: '{"error":40007,"message":"too late"}' } : { status: 200, text };
      late = false;
      return response;
    });
    expect(await importFile(url, plants(1, 1))).toMatchObject({ code: 0, rejects: undefined });
  });

  test.each([401, 503])(
    'shows a hostile message of a %d in one line that no terminal obeys, and cut off',
    async (status) => {
      const message = `\u001b]0;X\u0007\nplant-store: 5 stored\u202e\u009b${'x'.repeat(10_000)}`;
      const url = await respondingWith(() => ({ status, text: JSON.stringify({ error: 1, message }) }));
      const { output } = await importOne(url);
      expect(output.trimEnd().split('\n')).toHaveLength(2);
      expect(output).toContain('\\u001b]0;X\\u0007\\u000aplant-store: 5 stored\\u202e\\u009bxxx');
      expect(output.length).toBeLessThan(1_000);
    },
  );

  /** Imports a file with one plant. */
  async function importOne(url: string) {
    const { code, output } = await importFile(url, plants(1, 1));
    return { code, output };
  }

  async function importFile(url: string, text: string) {
    const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
    await writeFile(file, text);
    const ended = await runToEnd(['import', file, '--url', url, '--retry-for', '1'], { API_TOKEN: TOKEN });
    return { ...ended, rejects: await readFile(`${file}.rejects.ndjson`, 'utf8').catch(() => undefined) };
  }
});

describe('a request', () => {
  test.each([
    ['ENOTFOUND', IncompleteError, 'check the host name'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', IncompleteError, 'pass --url with http://'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', IncompleteError, 'NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', IncompleteError, 'the certificate of https://host'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', IncompleteError, 'use the host name of the certificate in --url'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', IncompleteError, 'NODE_EXTRA_CA_CERTS'],
    ['ECONNREFUSED', StoreUnavailable, 'is unreachable'],
    ['EAI_AGAIN', StoreUnavailable, 'is unreachable'],
    ['ECONNRESET', StoreUnavailable, 'is unreachable'],
  ])('that fails with %s: whether waiting helps', async (code, Failure, message) => {
    const cause = Object.assign(new Error('of a certificate for \u001b[2J'), { code });
    const failing: Connections = {
      dispatch: (_options, { onResponseError }) => {
        onResponseError?.(undefined as never, cause);
        return true;
      },
      destroy: async () => {},
    };
    const error = await createOverHttp('https://host', 'token', 1, failing)
      .create(fern)
      .catch((error) => error);
    expect(error).toBeInstanceOf(Failure);
    expect(String(error)).toContain('https://host/plants');
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('\u001b');
  });

  test('whose response does not end is given up after 64 KiB', async () => {
    let sent = 0;
    const url = await serving((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(16 * 1024, 'x');
      const more = (error?: Error | null) => {
        if (error || response.destroyed) return;
        sent += piece.length;
        response.write(piece, more);
      };
      more();
    });
    const error = await failureOf(url);
    expect(error).toBeInstanceOf(IncompleteError);
    expect(error.message).toMatch(/sent a response of more than \d+ bytes: pass the base address/);
    // What the sockets hold besides.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test.each([
    ['7', 7_000],
    ['-1', 0],
    ['NaN', 0],
    ['1e9', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
    ['999999999', 30_000],
  ])('that is to be retried after %s waits %d ms', async (retryAfter, ms) => {
    const url = await respondingWith(() => ({ status: 503, retryAfter, text: '{}' }));
    const error = await failureOf(url);
    expect(error).toBeInstanceOf(RetryAfter);
    expect((error as RetryAfter).ms).toBe(ms);
  });

  async function failureOf(url: string): Promise<Error> {
    await using remote = createOverHttp(url, 'token', 1);
    return await remote.create(fern).then(
      () => expect.unreachable(),
      (error) => error,
    );
  }
});

/** Starts a server that is not a plant-store, and resolves with its address. */
function respondingWith(
  respond: (body: string) => { readonly status: number; readonly retryAfter?: string; readonly text: string },
): Promise<string> {
  return serving(async (request, response) => {
    const { status, retryAfter, text } = respond(await readText(request));
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(text);
  });
}

async function serving(respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(respond), onTestFinished)}`;
}
