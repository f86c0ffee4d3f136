import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importsAndExports, plants, runToEnd } from '../imports-and-exports.ts';
import { plantStore, scratchDirectory, startService, TOKEN } from '../running-service.ts';

importsAndExports('sqlite', async (directory) => `sqlite:${join(directory, 'plants.db')}`);

describe('plant-store import', () => {
  const memory = { DATABASE_URL: 'memory:' };

  test('--dry-run stores nothing, and --from-line skips lines', async () => {
    const directory = await scratchDirectory(onTestFinished);
    const file = join(directory, 'in.ndjson');
    await writeFile(file, `hello\n${plants(1, 9)}`);
    const DATABASE_URL = `sqlite:${join(directory, 'plants.db')}`;
    const checked = await runToEnd(['import', file, '--dry-run', '--from-line', '2'], { DATABASE_URL });
    expect(checked).toEqual({ code: 0, output: expect.stringMatching(/^9 valid, 0 rejected/) });
    expect(await runToEnd(['export'], { DATABASE_URL })).toEqual({
      code: 2,
      output: expect.stringMatching(/^plant-store: no such file: .*plants\.db\n$/),
    });
  });

  test.each([
    [['import', 'nowhere.csv'], 'nowhere.csv: no such file'],
    [['import', import.meta.filename], 'pass --format ndjson or --format csv'],
    [['import', import.meta.dirname], 'is a directory: pass the path of a file'],
    [['import', '-', '--url', 'mysql://host'], '--url: expected postgres://…'],
    [['import', '-', '--url', 'http://127.0.0.1:1'], 'API_TOKEN is not set'],
    [['import', '-', '--concurrency', '0'], 'Expected a whole number above zero'],
    [['import', '-', '--format', 'csv'], 'expected a header row with the columns id, name and optionally tag'],
    [['export', '--url', 'http://host'], '--url: expected postgres://… or sqlite:<path>\n'],
    [['export'], 'a memory store cannot be exported'],
  ])('%j is a usage error, exit code 2, and one line says what to do', async (args, message) => {
    const { code, output } = await runToEnd(args, memory);
    expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(output).toContain(message);
  });

  test('completes plants in flight when it is interrupted, and says where to continue', async () => {
    const directory = await scratchDirectory(onTestFinished);
    const DATABASE_URL = `sqlite:${join(directory, 'plants.db')}`;
    await writeFile(join(directory, 'in.ndjson'), plants(1, 200_000));
    const importing = plantStore(['import', join(directory, 'in.ndjson')], { DATABASE_URL });
    await expect.poll(() => stored(DATABASE_URL), { timeout: 20_000 }).toBeGreaterThan(1_000);
    importing.process.kill('SIGINT');
    expect(await importing.ended).toBe(3);
    const line = Number(/stopped at line (\d+): interrupted; .* --from-line \1$/m.exec(importing.output())?.[1]);
    expect(line).toBeLessThan(200_000);
    expect(await stored(DATABASE_URL)).toBe(line - 1);

    const rest = await runToEnd(['import', join(directory, 'in.ndjson'), '--from-line', String(line)], {
      DATABASE_URL,
    });
    expect(rest.code).toBe(0);
    expect(await stored(DATABASE_URL)).toBe(200_000);
  });

  async function stored(DATABASE_URL: string): Promise<number> {
    return (await runToEnd(['export'], { DATABASE_URL })).output.match(/^\{/gm)?.length ?? 0;
  }
});

describe('plant-store import over HTTP', () => {
  test('creates plants in a running service, and reports those that it rejects', async () => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const file = join(await scratchDirectory(onTestFinished), 'in.csv');
    await writeFile(file, 'id,name,tag\n9007199254740993,Fern,""\n9007199254740993,Moss,\n1,"a\nb",x\n');
    const to = (token: string) =>
      runToEnd(['import', file, '--url', service.url, '--concurrency', '1'], { API_TOKEN: token });
    expect(await to(TOKEN)).toEqual({ code: 1, output: expect.stringMatching(/^2 stored, 1 rejected/) });
    expect(await readFile(`${file}.rejects.ndjson`, 'utf8')).toBe(
      '{"line":3,"reason":"id: 9007199254740993 is taken by another plant, which is unchanged"}\n',
    );
    expect(await to('wrong-token-of-the-tests')).toEqual({
      code: 3,
      output: expect.stringMatching(/stopped at line 2: .* responded with 401, .*: set API_TOKEN to a token/),
    });
  });

  test.each(['sesame\nbehind a line break', 'sesame€'])(
    'rejects a token that is not allowed in a header, without showing it: %j',
    async (API_TOKEN) => {
      const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
      await writeFile(file, plants(1, 1));
      const { code, output } = await runToEnd(['import', file, '--url', 'http://127.0.0.1:1', '--retry-for', '1'], {
        API_TOKEN,
      });
      expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(/API_TOKEN: expected visible ASCII/) });
      expect(output).not.toContain('sesame');
    },
  );

  test('rejects a URL with a password, without showing it', async () => {
    const { code, output } = await runToEnd(['import', '-', '--url', 'http://user:sesame@host'], { API_TOKEN: TOKEN });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining('without user, password') });
    expect(output).not.toContain('sesame');
  });

  test.each(['?a=b', '#a'])('rejects a URL with more than a path: %s', async (rest) => {
    const url = `http://127.0.0.1:1/${rest}`;
    const { code, output } = await runToEnd(['import', '-', '--url', url], { API_TOKEN: TOKEN });
    expect({ code, output }).toEqual({
      code: 2,
      output: expect.stringContaining('without user, password, ? and #'),
    });
  });

  test('does not retry if the service does not use TLS', async () => {
    const service = await startService({ DATABASE_URL: 'memory:' });
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
    await writeFile(file, plants(1, 1));
    const url = service.url.replace('http:', 'https:');
    const { code, output } = await runToEnd(['import', file, '--url', url, '--retry-for', '1'], { API_TOKEN: TOKEN });
    expect({ code, output }).toEqual({
      code: 3,
      output: expect.stringContaining('does not use TLS: pass --url with http://'),
    });
  });

  test('retries when the service says so, gives up after a while, and says where to continue', async () => {
    const asked: number[] = [];
    const url = await respondingWith((body) => {
      asked.push(performance.now());
      const busy = asked.length === 1 || asked.length > 3;
      return busy
        ? { status: 503, retryAfter: '1', text: '{"error":50302,"message":"too much to do"}' }
        : { status: 200, text: body };
    });
    const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
    await writeFile(file, plants(1, 5));
    const { code, output } = await runToEnd(['import', file, '--url', url, '--concurrency', '1', '--retry-for', '2'], {
      API_TOKEN: TOKEN,
    });
    expect({ code, output }).toEqual({
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
      const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
      await writeFile(file, plants(1, 1));
      const { code, output } = await runToEnd(['import', file, '--url', url], { API_TOKEN: TOKEN });
      expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^0 stored, 0 rejected/) });
      expect(output).toContain(
        `stopped at line 1: ${url}/plants responded with 200 but not with the plant: pass the base address of the service with --url`,
      );
    },
  );

  test.each([400, 413, 500, 502, 503])('does not reject the line for a %d without an Error record', async (status) => {
    const url = await respondingWith(() => ({ status, text: '<!doctype html>' }));
    const file = join(await scratchDirectory(onTestFinished), 'in.ndjson');
    await writeFile(file, plants(1, 1));
    const { code, output } = await runToEnd(['import', file, '--url', url, '--retry-for', '1'], { API_TOKEN: TOKEN });
    expect({ code, output }).toEqual({ code: 3, output: expect.stringMatching(/^0 stored, 0 rejected/) });
    expect(output).toContain(`stopped at line 1: ${url}/plants responded with ${status}, without an Error record`);
  });

  /** Starts a server that is not a plant-store, and resolves with its address. */
  async function respondingWith(
    respond: (body: string) => { readonly status: number; readonly retryAfter?: string; readonly text: string },
  ): Promise<string> {
    const server = createServer(async (request, response) => {
      const { status, retryAfter, text } = respond(await readText(request));
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
