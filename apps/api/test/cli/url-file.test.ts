import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/index.ts';
import { runToEnd as run } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';

test('commands take the URL of a store from a file', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const path = (name: string) => join(directory, name);
  await writeFile(path('url'), ` sqlite:${path('plants.db')}\n`);
  await writeFile(path('plants.ndjson'), '{"id":1,"name":"Fern"}\n');
  const urlFile = ['--url-file', path('url')];
  expect((await run(['import', path('plants.ndjson'), ...urlFile])).code).toBe(0);
  const exported = { code: 0, output: '{"id":1,"name":"Fern"}\nplants written: 1\n' };
  expect(await run(['export', ...urlFile])).toEqual(exported);
  expect(await run(['export'], { DATABASE_URL_FILE: path('url') })).toEqual(exported);

  expect(await run(['export', '--url-file', path('none')])).toEqual({
    code: 2,
    output: `plant-store: --url-file: cannot read ${path('none')} (ENOENT)\n`,
  });
  expect(() => readConfig({ DATABASE_URL_FILE: path('none') })).toThrow(
    `DATABASE_URL_FILE: cannot read ${path('none')} (ENOENT)`,
  );
  await writeFile(path('empty'), ' \n');
  expect(await run(['export', '--url-file', path('empty')])).toEqual({
    code: 2,
    output: `plant-store: --url-file: ${path('empty')} is empty; write the URL of a store into it\n`,
  });
  expect(() => readConfig({ DATABASE_URL_FILE: path('empty') })).toThrow(
    `DATABASE_URL_FILE: ${path('empty')} is empty`,
  );
  await writeFile(path('two'), `sqlite:${path('plants.db')}\r\npostgres://user:hunter2@host/db\n`);
  expect(await run(['export', '--url-file', path('two')])).toEqual({
    code: 2,
    output: `plant-store: --url-file: ${path('two')} has several lines; write one URL\n`,
  });
  expect(await run(['config'], { DATABASE_URL_FILE: path('two') })).toEqual({
    code: 2,
    output: `plant-store: Invalid configuration:\n  DATABASE_URL_FILE: ${path('two')} has several lines; write one URL\n`,
  });
  expect(await run(['export', '--url', 'memory:', ...urlFile])).toEqual({
    code: 2,
    output: expect.stringContaining("'--url-file <path>' cannot be used with option '--url <url>'"),
  });
});

test('config does not show the password in the file', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'url');
  await writeFile(path, 'postgres://user:hunter2@host/db');
  const { code, output } = await run(['config'], { DATABASE_URL_FILE: path });
  expect(code).toBe(0);
  expect(output).toMatch(/^DATABASE_URL +environment +postgres:\/\/\*\*\*@host\/db$/m);
  expect(output).not.toContain('hunter2');
});
