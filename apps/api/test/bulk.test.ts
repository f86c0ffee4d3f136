import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCreatePlant, StoreOverloaded } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { importPlants } from '../src/bulk.ts';
import { plants } from './plants.ts';
import { runHere } from './run-here.ts';
import { runToEnd, scratchDirectory } from './running-service.ts';

async function scratch() {
  const directory = await scratchDirectory(onTestFinished);
  const [file, DATABASE_URL] = [join(directory, 'in.ndjson'), `sqlite:${join(directory, 'plants.db')}`];
  return { file, DATABASE_URL, other: `sqlite:${join(directory, 'other.db')}` };
}

test('an export can be imported and exported again, byte for byte', async () => {
  const hard = [
    '{"id":-9223372036854775808,"name":"","tag":""}\n',
    '{"id":0,"name":"\\n\\r\\n,\\"; ","tag":" "}\n',
    '{"id":9007199254740993,"name":"Ünïcödé 🌱"}\n',
    '{"id":9223372036854775807,"name":"\\\\"}\n',
  ].join('');
  const { file, DATABASE_URL, other } = await scratch();
  await writeFile(file, hard);
  // As processes, which do not end if something is left open.
  expect((await runToEnd(['import', file], { DATABASE_URL })).code).toBe(0);
  expect((await runToEnd(['export'], { DATABASE_URL })).code).toBe(0);
  const stored = { code: 0, output: '4 stored, 0 rejected\n' };
  const written = { code: 0, output: `${hard}4 plants written\n` };
  expect(await runHere(`import ${file}`, { DATABASE_URL })).toEqual(stored);
  expect(await runHere('export', { DATABASE_URL })).toEqual(written);
  // Importing again is safe.
  expect(await runHere(`import ${file}`, { DATABASE_URL })).toEqual(stored);
  expect(await runHere(`import ${file} --url ${other}`, { DATABASE_URL })).toEqual(stored);
  expect(await runHere(`export --url ${other}`, { DATABASE_URL })).toEqual(written);
});

test('each rejected line has its number and the reason on standard error, and all others are stored', async () => {
  const { file, DATABASE_URL } = await scratch();
  await writeFile(file, `${plants(1, 2)}hello\n{"id":1.5}\n\n{"id":2,"name":"other"}\n`);
  await appendFile(file, Buffer.from('{"id":3,"name":"\xff"}\n', 'latin1'));
  await appendFile(file, plants(5, 2_500));
  const { code, output } = await runHere(`import ${file}`, { DATABASE_URL });
  const lines = output.trimEnd().split('\n').toSorted();
  expect([code, lines]).toEqual([
    1,
    [
      '2498 stored, 4 rejected',
      expect.stringMatching(/^line 3: the line is not valid JSON/),
      expect.stringMatching(/^line 4: id must be an integer from .*; name is missing/),
      'line 6: the id is taken by another plant, which is unchanged',
      'line 7: the line is not valid UTF-8',
    ].toSorted(),
  ]);
});

test('an import waits while the store is overloaded, and ends if the store fails while no line comes', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  let adds = 0;
  const add = async () => {
    adds += 1;
    if (adds === 1) throw new StoreOverloaded('two items are waiting');
    if (adds === 3) throw new Error('the disk is gone');
    return { outcome: 'added' } as const;
  };
  async function* slowly() {
    yield Buffer.from(plants(1, 2));
    await vi.waitFor(() => expect(adds).toBe(3));
    // An unhandled rejection would end the process now.
    await sleep(10);
  }
  const importing = importPlants(Readable.from(slowly()), makeCreatePlant({ add }));
  await expect(importing).rejects.toThrow('the disk is gone; 1 plants are stored: run the same import again');
});

test('an export whose store fails is incomplete, with exit code 3', async () => {
  const { DATABASE_URL } = await scratch();
  const missing = await runHere('export', { DATABASE_URL });
  expect(missing).toEqual({ code: 3, output: expect.stringContaining('the export is incomplete: run it again') });
});
