import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportUrlForms, storeAt } from '../../src/stores/index.ts';
import { importsAndExports, plants } from '../imports-and-exports.ts';
import { runToEnd } from '../run-in-process.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';
import { storesWithoutServer } from '../stores/without-server.ts';

for (const { engine, url } of storesWithoutServer) {
  if (storeAt(url(''), { onError: () => {} }).export) importsAndExports(engine, async (directory) => url(directory));
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
  test('--dry-run stores nothing, and --from-line skips lines', async () => {
    const { file, environment, stored } = await place('in.ndjson', `hello\n${plants(1, 9)}`);
    const checked = await runToEnd(['import', file, '--dry-run', '--from-line', '2'], environment);
    expect(checked).toEqual({ code: 0, output: expect.stringMatching(/^9 valid, 0 rejected/) });
    expect(await stored()).toMatch(/^plant-store: no such file: .*plants\.db\n$/);
  });

  test.each([
    [['import', 'new\nplant-store: line'], 'new\\u000aplant-store: line: no such file'],
    [['import', import.meta.filename], 'pass --format ndjson or --format csv'],
    [['import', import.meta.dirname], 'is a directory: pass the path of a file'],
    ['import - --format csv --url no-such-engine://host', '--url: expected postgres://…'],
    ['import - --format csv --url http://127.0.0.1:1', 'API_TOKEN is not set'],
    ['import - --concurrency 0', 'Expected a whole number above zero'],
    ['import - --format csv', 'expected a header row with the columns id, name and optionally tag'],
    ['import - --format ndjson --ignore-columns', 'only CSV has columns'],
    ['import -', 'standard input has no name: pass --format ndjson or --format csv'],
    ['import - --format csv --url ./plants.db', 'of a running service; did you mean sqlite:./plants.db?'],
    ['export --url postgress://user:hunter2@host/plants', '; did you mean postgres://…?\n'],
    ['export --url ./plants.db', 'did you mean sqlite:./plants.db?'],
    ['export --url http://host', `--url: expected ${exportUrlForms()}\n`],
    ['export --escape-formulas', 'only CSV has formulas'],
    ['export', 'this store cannot be exported'],
  ])('%j is a usage error, exit code 2, and one line says what to do', async (command, message) => {
    const args = typeof command === 'string' ? command.split(' ') : command;
    const { code, output } = await runToEnd(args, { DATABASE_URL: 'memory:' });
    expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(output).toContain(message);
  });

  test('completes plants in flight when it is interrupted, and says where to continue', async () => {
    const { file, environment, stored } = await place('in.ndjson', plants(1, 20_000));
    const count = async () => (await stored()).match(/^\{/gm)?.length ?? 0;
    // So few that no store rejects any: a plant that waits to be sent again leaves a gap, and the line is that of the gap.
    const importing = plantStore(['import', file, '--concurrency', '16'], environment);
    const log = file.replace('in.ndjson', 'plants.db-wal');
    await expect
      .poll(async () => (await stat(log).catch(() => undefined))?.size, { timeout: 20_000 })
      .toBeGreaterThan(1e5);
    importing.process.kill('SIGINT');
    expect(await importing.ended).toBe(3);
    const line = Number(/stopped at line (\d+): interrupted; .* --from-line \1$/m.exec(importing.output())?.[1]);
    expect(line).toBeLessThan(20_000);
    expect(await count()).toBe(line - 1);

    const rest = await runToEnd(['import', file, '--from-line', String(line)], environment);
    expect(rest.code).toBe(0);
    expect(await count()).toBe(20_000);
  });
});

describe('CSV', () => {
  test('names columns that a plant does not have and refuses them, once, unless they are to be ignored', async () => {
    const { file, environment, stored } = await place('in.csv', 'id;note\u001b;name;color\n1;;Fern;\n2;;Moss;x\n');
    const columns = 'columns that a plant does not have: note\\u001b, color';
    expect(await runToEnd(['import', file], environment)).toEqual({
      code: 2,
      output: `plant-store: the fields are separated by a semicolon\nplant-store: the header row has ${columns}; remove or rename them, or pass --ignore-columns\n`,
    });
    const { code, output } = await runToEnd(['import', file, '--ignore-columns'], environment);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/\n2 stored, 0 rejected/) });
    expect(output.split(columns)).toHaveLength(2);
    expect(await stored()).toBe('{"id":1,"name":"Fern"}\n{"id":2,"name":"Moss"}\n');
  });

  test('what --escape-formulas writes, a spreadsheet does not run and --unescape-formulas reads back', async () => {
    const texts = ['=1+1', '+1', '-1', '@a', '\t=1', '＝1', "'=1", "'a", 'a=1'];
    const lines = texts.map((name, at) => `${JSON.stringify({ id: at - 4, name, tag: name })}\n`).join('');
    const { file, environment, stored } = await place('in.ndjson', lines);
    expect((await runToEnd(['import', file], environment)).code).toBe(0);
    const csv = `${file}.csv`;
    expect(await runToEnd(['export', csv, '--escape-formulas'], environment)).toEqual({
      code: 0,
      output: 'plants written: 9\n',
    });
    const [, ...rows] = (await readFile(csv, 'utf8')).split('\r\n');
    expect(rows[0]).toBe("-4,'=1+1,'=1+1");
    for (const row of rows) expect(row).not.toMatch(/,"?[=+\-@\t＝]/);

    const other = await place('none', '');
    const imported = await runToEnd(['import', csv, '--unescape-formulas'], other.environment);
    expect(imported).toEqual({ code: 0, output: expect.stringMatching(/^9 stored, 0 rejected/m) });
    expect(await other.stored()).toBe(await stored());
  });
});

describe('an export to a terminal', () => {
  const hostile = 'Fern\u009b31m\n9999,forged\u202e';

  test.each([
    ['csv', 'id,name,tag\r\n1,Fern\\u009b31m\\u000a9999,forged\\u202e,\r\nplants written: 1\n'],
    ['ndjson', '{"id":1,"name":"Fern\\u009b31m\\n9999,forged\\u202e"}\nplants written: 1\n'],
  ])('escapes what the terminal would obey, in %s', async (format, shown) => {
    const { file, environment } = await place('in.ndjson', `${JSON.stringify({ id: 1, name: hostile })}\n`);
    expect((await runToEnd(['import', file], environment)).code).toBe(0);
    const { output } = await runToEnd(['export', '--format', format], environment, { isTTY: true });
    expect(output.replaceAll('"', '')).toBe(shown.replaceAll('"', ''));
    const { output: piped } = await runToEnd(['export', '--format', format], environment);
    expect(piped).toContain('\u009b31m');
  });
});
