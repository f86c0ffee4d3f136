import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { storeAt, urlForms } from '../../src/stores/index.ts';
import { importsAndExports, plants } from '../imports-and-exports.ts';
import { runToEnd } from '../run-in-process.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';
import { storesWithoutServer } from '../stores/without-server.ts';

for (const { engine, url } of storesWithoutServer) {
  if (storeAt(readConfig({ DATABASE_URL: url('x') }), { onError: () => {} }).export)
    importsAndExports(engine, async (directory) => url(directory));
}

/** A store, and a file with this text. */
async function place(name: string, text: string) {
  const directory = await scratchDirectory(onTestFinished);
  const file = join(directory, name);
  await writeFile(file, text);
  const environment = { DATABASE_URL: `sqlite:${join(directory, 'plants.db')}` };
  const stored = async () => (await runToEnd(['export'], environment)).output.replace(/^plants written: .*\n/m, '');
  return { file, environment, stored };
}

describe('plant-store import', () => {
  test('--dry-run stores nothing, and rejects what an import would', async () => {
    const { file, environment, stored } = await place('in.ndjson', `hello\n${plants(1, 9)}`);
    const checked = await runToEnd(['import', file, '--dry-run'], environment);
    expect(checked).toEqual({ code: 1, output: expect.stringMatching(/^9 valid, 1 rejected/) });
    expect(await stored()).toMatch(/^plant-store: no such file: .*plants\.db\n$/);
  });

  test.each([
    [['import', 'new\nplant-store: line.csv'], 'new\\u000aplant-store: line.csv: no such file'],
    [['import', import.meta.filename], 'pass --format ndjson or --format csv'],
    ['import - --format csv --url no-such-engine://host', '--url: expected postgres://…'],
    ['import - --format csv --url http://127.0.0.1:1', '--url: expected postgres://…'],
    ['import - --retry-for 0', 'Expected a whole number above zero'],
    ['import - --format ndjson --ignore-columns', 'only CSV has columns'],
    ['import -', 'cannot infer the format of - from its name: pass --format ndjson or --format csv'],
    ['export --url http://host', `--url: expected ${urlForms()}\n`],
    ['export', 'no other process can read this store'],
  ])('%j is a usage error, exit code 2, and one line says what to do', async (command, message) => {
    const args = typeof command === 'string' ? command.split(' ') : command;
    const { code, output } = await runToEnd(args, { DATABASE_URL: 'memory:' });
    expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(output).toContain(message);
  });

  test('takes a CSV with other columns if they are to be ignored', async () => {
    const { file, environment, stored } = await place('in.csv', 'id,color,name\n1,green,Fern\n');
    expect((await runToEnd(['import', file], environment)).code).toBe(2);
    expect((await runToEnd(['import', file, '--ignore-columns'], environment)).code).toBe(0);
    expect(await stored()).toBe('{"id":1,"name":"Fern"}\n');
  });

  test('completes plants in flight when it is interrupted, and is simply repeated', async () => {
    const { file, environment, stored } = await place('in.ndjson', plants(1, 20_000));
    const importing = plantStore(['import', file], environment);
    const log = file.replace('in.ndjson', 'plants.db-wal');
    await expect
      .poll(async () => (await stat(log).catch(() => undefined))?.size, { timeout: 20_000 })
      .toBeGreaterThan(1e5);
    importing.process.kill('SIGTERM');
    expect(await importing.ended).toBe(3);
    const [, done = ''] =
      /^([\d,]+) stored, 0 rejected, .*\nplant-store: stopped: interrupted; run the same import again$/m.exec(
        importing.output(),
      ) ?? [];
    expect((await stored()).match(/^\{/gm)).toHaveLength(Number(done.replaceAll(',', '')));
    expect(await runToEnd(['import', file], environment)).toEqual({
      code: 0,
      output: expect.stringContaining(`20,000 stored (${done} already), 0 rejected`),
    });
    expect(await stored()).toBe(plants(1, 20_000));
  });
});
