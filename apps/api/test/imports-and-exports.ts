import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runToEnd } from './run-in-process.ts';
import { scratchDirectory } from './running-service.ts';

/** What `plant-store export` writes, `plant-store import` reads, on a store that is new each time. */
export function importsAndExports(engine: string, databaseUrl: (directory: string) => Promise<string>): void {
  describe(`plant-store import and export, on ${engine}`, () => {
    async function place() {
      const directory = await scratchDirectory(onTestFinished);
      const url = await databaseUrl(directory);
      return { url, path: (name: string) => join(directory, name) };
    }

    test('an export can be imported and exported again, byte for byte, in both formats', async () => {
      const { url, path } = await place();
      const hard = [
        '{"id":-9223372036854775808,"name":"","tag":""}\n',
        '{"id":0,"name":"\\n\\r\\n,\\"; ","tag":" "}\n',
        '{"id":9007199254740993,"name":"Ünïcödé 🌱"}\n',
        '{"id":9223372036854775807,"name":"\\\\"}\n',
      ].join('');
      await writeFile(path('a.ndjson'), hard);
      const stored = { code: 0, output: expect.stringMatching(/^4 stored, 0 rejected, in /m) };
      const written = (text = '') => ({ code: 0, output: `${text}plants written: 4\n` });
      expect(await runToEnd(['import', path('a.ndjson'), '--url', url])).toEqual(stored);
      for (const name of ['b.ndjson', 'b.csv'])
        expect(await runToEnd(['export', path(name), '--url', url])).toEqual(written());
      expect(await readFile(path('b.ndjson'), 'utf8')).toBe(hard);

      const other = await place();
      expect(await runToEnd(['import', path('b.csv'), '--url', other.url])).toEqual(stored);
      expect(await runToEnd(['export', '-', '--url', other.url])).toEqual(written(hard));
      const csv = await readFile(path('b.csv'), 'utf8');
      expect(await runToEnd(['export', '--format', 'csv', '--url', other.url])).toEqual(written(csv));
    });

    // What a line is rejected for does not depend on the engine.
    if (engine !== 'sqlite') return;
    test('reports each rejected line with its number and the reason, in their order, and stores all others', async () => {
      const { url, path } = await place();
      await writeFile(path('in.ndjson'), `${plants(1, 2)}hello\n{"id":1.5}\n\n{"id":2,"name":"other"}\n`);
      await appendFile(path('in.ndjson'), Buffer.from('{"id":3,"name":"\xff"}\n', 'latin1'));
      await appendFile(path('in.ndjson'), plants(5, 2_500));
      for (const stored of ['2,498 stored', '2,498 stored (2,498 already)'])
        expect(await runToEnd(['import', path('in.ndjson'), '--url', url])).toEqual({
          code: 1,
          output: expect.stringContaining(`${stored}, 4 rejected (see ${path('in.ndjson.rejects.ndjson')}), in `),
        });
      const rejects = (await readFile(path('in.ndjson.rejects.ndjson'), 'utf8')).trim().split('\n');
      expect(rejects.map((line) => JSON.parse(line))).toEqual([
        { line: 3, reason: 'the line is not valid JSON' },
        { line: 4, reason: expect.stringMatching(/^id must be written in digits, from .*; name is missing/) },
        { line: 6, reason: 'id: 2 is taken by another plant, which is unchanged' },
        { line: 7, reason: 'the line is not valid UTF-8' },
      ]);
    });
  });
}

/** Lines of NDJSON with the plants of these ids. */
export const plants = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `{"id":${from + at},"name":"plant ${from + at}"}\n`).join('');
