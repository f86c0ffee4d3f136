import { printable } from '@plant-store/command-line';
import { INT64_MAX, INT64_MIN, isStorableText, type NewPlant, type Plant, textFields } from '@plant-store/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Format, formats } from '../src/records/format.ts';
import type { Line, ReadOptions } from '../src/records/line.ts';
import { readCsv } from '../src/records/read-csv.ts';
import { readNdjson } from '../src/records/read-ndjson.ts';
import { type WriteOptions, writeRecords } from '../src/records/write-records.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', '\ufeff', 'a') }),
  )
  .filter(isStorableText);
const plant = fc.record(
  {
    id: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    ...(Object.fromEntries(textFields.map((field) => [field, text])) as Record<keyof Plant, typeof text>),
  },
  { requiredKeys: ['id', 'name'], noNullPrototype: true },
);

/** The bytes in pieces of so many, as they may come. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(
  format: Format,
  bytes: Buffer,
  { size = 64, ...given }: { size?: number } & Partial<ReadOptions> = {},
) {
  const lines: Line[] = [];
  const reader = format === 'csv' ? readCsv : readNdjson;
  const options = {
    maxBytes: 10_000,
    fromLine: 1,
    ignoreColumns: false,
    unescapeFormulas: false,
    onNotice() {},
    ...given,
  };
  for await (const line of reader(pieces(bytes, size), options)) lines.push(line);
  return lines;
}

async function write(format: Format, plants: readonly NewPlant[], given: Partial<WriteOptions> = {}): Promise<Buffer> {
  async function* all(): AsyncGenerator<NewPlant, void> {
    yield* plants;
  }
  const written: string[] = [];
  for await (const piece of writeRecords(all(), { format, ...given })) written.push(piece);
  return Buffer.from(written.join(''));
}

describe.each(formats)('%s', (format) => {
  test('what was written is read back, in pieces of any size, and written again byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plant), fc.integer({ min: 1, max: 100 }), async (plants, size) => {
        const bytes = await write(format, plants);
        const came = (await read(format, bytes, { size })).map((line) => ('plant' in line ? line.plant : line));
        expect(came).toStrictEqual(plants.map((one) => ({ ...one })));
        expect(await write(format, came as NewPlant[])).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });
});

test('with --escape-formulas no text of CSV begins as a formula does, and --unescape-formulas reads back what was written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plant), async (plants) => {
      const bytes = await write('csv', plants, { escapeFormulas: true });
      const escaped = (await read('csv', bytes)).map((line) => ('plant' in line ? line.plant : line)) as NewPlant[];
      for (const one of escaped) for (const field of textFields) expect(one[field] ?? '').not.toMatch(/^[=+\-@\t\r\n]/);
      const came = await read('csv', bytes, { unescapeFormulas: true });
      expect(came.map((line) => ('plant' in line ? line.plant : line))).toStrictEqual(
        plants.map((one) => ({ ...one })),
      );
    }),
    { numRuns: 200 },
  );
});

test('for a terminal, NDJSON is the same JSON in lines that it does not obey, and a line of CSV is a plant', async () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\u001b', '\u009b', '\n', '\r', '\u2028', '\u202e', '"', ',', 'a'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ id: fc.bigInt(0n, 9n), name: hostile, tag: hostile })), async (plants) => {
      const [ndjson, csv] = await Promise.all(formats.map((format) => write(format, plants, { forTerminal: true })));
      for (const shown of [ndjson, csv].map((written) => String(written).replace(/[\r\n]/g, '')))
        expect(shown).toBe(printable(shown));
      const came = await read('ndjson', ndjson ?? Buffer.alloc(0));
      expect(came.map((line) => ('plant' in line ? line.plant : line))).toEqual(plants.map((one) => ({ ...one })));
      expect(String(csv).split('\r\n')).toHaveLength(plants.length + 2);
    }),
    { numRuns: 200 },
  );
});

describe('CSV', () => {
  const lines = async (csv: string, options = {}) => read('csv', Buffer.from(csv, 'latin1'), options);
  const plantsOf = async (csv: string, options = {}) =>
    (await lines(csv, options)).map((line) => ('plant' in line ? line.plant : line.reason));

  test.each([',', ';'])(
    'accepts columns in any order, a byte order mark and blank lines, separated by %s',
    async (separator) => {
      const csv = '\xef\xbb\xbf"tag",name,id\r\nshade,Fern,1\r\n\r\n,Moss,-2\n'.replaceAll(',', separator);
      const notices: string[] = [];
      expect(await plantsOf(csv, { onNotice: (notice: string) => notices.push(notice) })).toEqual([
        { id: 1n, name: 'Fern', tag: 'shade' },
        { id: -2n, name: 'Moss' },
      ]);
      expect(notices).toEqual(separator === ';' ? ['the fields are separated by a semicolon'] : []);
    },
  );

  test('a comma in a file with semicolons is a text', async () => {
    expect(await plantsOf('id;name\n1;a,b\n2;a;b\n')).toEqual([
      { id: 1n, name: 'a,b' },
      'the line: 3 fields but 2 columns in the header row; quote fields that contain a semicolon',
    ]);
  });

  test('distinguishes an absent tag from an empty one by its quotes', async () => {
    expect(await plantsOf('id,name,tag\n1,a,\n2,a,""\n')).toEqual([
      { id: 1n, name: 'a' },
      { id: 2n, name: 'a', tag: '' },
    ]);
  });

  test.each([
    ['1', 'the line: 1 fields but 3 columns in the header row; quote fields that contain a comma'],
    ['1,a,b,c', 'the line: 4 fields but 3 columns in the header row; quote fields that contain a comma'],
    ['1.0,a,', expect.stringMatching(/^id must be an integer/)],
    ['9223372036854775808,a,', expect.stringMatching(/^id must be an integer/)],
    ['1,,', 'name is missing'],
    ['1,\xff,', 'the line is not valid UTF-8'],
  ])('rejects only %j', async (record, reason) => {
    expect(await plantsOf(`id,name,tag\n${record}\n2,b,\n`)).toEqual([reason, { id: 2n, name: 'b' }]);
  });

  test.each([
    ['a quote within quotes', '"a"b', 'the quote that opens here is closed on line 5 within a field: double'],
    ['none at the end', '"a', 'the quote that opens here is not closed'],
    ['none at the end of a long field', `"${'a\n'.repeat(200)}`, 'the quote that opens here is not closed by line 5'],
    ['a quote within a text', 'a"b"', 'a quote within a field: quote the whole field and double the quotes inside'],
    ['none, but a long line', 'a'.repeat(200), 'longer than the 100 bytes of BODY_LIMIT; raise it'],
    ['none, but many fields', 'a,'.repeat(200), 'longer than the 100 bytes of BODY_LIMIT; raise it'],
    ['none, but many empty fields', ','.repeat(200), 'longer than the 100 bytes of BODY_LIMIT; raise it'],
  ])('stops at unbalanced quotes and says where they open: %s', async (_what, field, message) => {
    // The second plant has two lines, and there is an empty one.
    await expect(lines(`id,name\n1,"a\nb"\n\n2,${field}\n3,c\n`, { maxBytes: 100 })).rejects.toThrow(
      `line 5: ${message}`,
    );
    await expect(lines(`name,id\nc,1\n\n\n${field},2\n3,c\n`, { maxBytes: 100 })).rejects.toThrow(`line 5: ${message}`);
  });

  test('says where a quote opens, and not where the next one closes it', async () => {
    const csv = 'id,name\n1,"a\n"\n2,"b"\n3,"c\n4,d\n5,"e"\n';
    await expect(lines(csv)).rejects.toThrow('line 5: the quote that opens here is closed on line 7 within a field');
  });

  test('a quote that is not closed is found at once, however long the file is', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Buffer, void> {
      yield Buffer.from('id,name\n1,"a\n');
      for (; ; read += 1_000) yield Buffer.from('2,b\n'.repeat(250));
    }
    const options = { maxBytes: 10_000, fromLine: 1, ignoreColumns: false, unescapeFormulas: false, onNotice() {} };
    const reading = readCsv(endless(), options);
    await expect(reading.next()).rejects.toThrow('line 2: the quote that opens here is not closed');
    expect(read).toBeLessThan(1_000_000);
  });

  test('refuses columns that a plant does not have, or names them', async () => {
    const csv = 'id,note\u001b,name,\n1,x,Fern,\n';
    const columns = 'columns that a plant does not have: note\\u001b, ""';
    await expect(lines(csv)).rejects.toThrow(`${columns}; remove or rename them, or pass --ignore-columns`);
    const notices: string[] = [];
    const options = { ignoreColumns: true, onNotice: (notice: string) => notices.push(notice) };
    expect(await plantsOf(csv, options)).toEqual([{ id: 1n, name: 'Fern' }]);
    expect(notices).toEqual([`ignoring ${columns}`]);
  });

  test('a first line without an end takes linear time, in pieces of any size', async () => {
    await expect(lines('a'.repeat(1_000_000), { maxBytes: 1_048_576 })).rejects.toThrow('expected a header row');
  });

  test.each(['', 'id\n1\n', 'name,tag\n', 'id,name,id\n'])(
    'requires a header row with id and name: %j',
    async (csv) => {
      await expect(lines(csv)).rejects.toThrow('expected a header row');
    },
  );
});

test.each([1, 2, 3, 64])('NDJSON may begin with a byte order mark, in pieces of %d', async (size) => {
  const [line] = await read('ndjson', Buffer.from('\ufeff{"id":1,"name":"\ufeff"}\n'), { size });
  expect(line).toMatchObject({ line: 1, plant: { id: 1n, name: '\ufeff' } });
});
