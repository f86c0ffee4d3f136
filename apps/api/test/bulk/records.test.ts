import { Readable } from 'node:stream';
import { printable } from '@plant-store/command-line';
import { INT64_MAX, INT64_MIN, isStorableText, type NewPlant, type Plant, textFields } from '@plant-store/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Format, formats } from '../../src/bulk/records/format.ts';
import { type Line, MAX_LINE_BYTES } from '../../src/bulk/records/line.ts';
import { readCsv } from '../../src/bulk/records/read-csv.ts';
import { readNdjson } from '../../src/bulk/records/read-ndjson.ts';
import { withoutMark } from '../../src/bulk/records/without-mark.ts';
import { writeRecords } from '../../src/bulk/records/write-records.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', '\ufeff', '=', 'a') }),
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

/** The plant of each line, or why it has none. */
async function read(format: Format, bytes: Buffer | string, { size = 64, ignoreColumns = false } = {}) {
  const chunks = withoutMark(pieces(Buffer.from(bytes as string, 'latin1'), size));
  const lines = format === 'csv' ? readCsv(chunks, ignoreColumns) : readNdjson(chunks);
  const all: Line[] = await Readable.from(lines).toArray();
  return all.map((line) => ('plant' in line ? line.plant : `${line.line}: ${line.reason}`));
}

async function write(format: Format, plants: readonly NewPlant[], forTerminal = false): Promise<Buffer> {
  async function* all(): AsyncGenerator<NewPlant, void> {
    yield* plants;
  }
  return Buffer.from((await Readable.from(writeRecords(all(), format, forTerminal)).toArray()).join(''));
}

test.each(formats)(
  '%s that was written is read back, in pieces of any size, and written again byte for byte',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(plant), fc.integer({ min: 1, max: 100 }), async (plants, size) => {
        const bytes = await write(format, plants);
        const came = await read(format, bytes, { size });
        expect(came).toStrictEqual(plants.map((one) => ({ ...one })));
        expect(await write(format, came as NewPlant[])).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  },
);

test('for a terminal, NDJSON is the same JSON in lines that it does not obey, and a line of CSV is a plant', async () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\u001b', '\u009b', '\n', '\r', '\u2028', '\u202e', '"', ',', 'a'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ id: fc.bigInt(0n, 9n), name: hostile, tag: hostile })), async (plants) => {
      const [ndjson, csv] = await Promise.all(formats.map((format) => write(format, plants, true)));
      for (const shown of [ndjson, csv].map((written) => String(written).replace(/[\r\n]/g, '')))
        expect(shown).toBe(printable(shown));
      expect(await read('ndjson', ndjson ?? '')).toEqual(plants.map((one) => ({ ...one })));
      expect(String(csv).split('\r\n')).toHaveLength(plants.length + 2);
    }),
    { numRuns: 200 },
  );
});

const fern = { id: 1n, name: 'Fern' };

test.each<[string, string, readonly unknown[], { size?: number; ignoreColumns?: boolean }?]>([
  ['ndjson', '{"id":1,"name":"Fern"}', [fern]],
  ['ndjson', '\n\r\n{"id":1,"name":"Fern"}\r\nx', [fern, '4: the line is not valid JSON']],
  ['ndjson', '\xef\xbb\xbf{"id":1,"name":"Fern"}\n', [fern], { size: 1 }],
  ['ndjson', '{"id":9007199254740993,"name":"a","id2":[{"id":1.5}]}', [{ id: 9007199254740993n, name: 'a' }]],
  ['ndjson', '{"id":1,"name":"\xff"}\n{"id":1,"name":"Fern"}', ['1: the line is not valid UTF-8', fern]],
  [
    'ndjson',
    '[]\n7\nnull',
    [expect.stringMatching('^1: id is missing; name'), expect.anything(), '3: the line must be a JSON object'],
  ],
  ['ndjson', '{"id":"1","name":"a"}', [expect.stringMatching(/^1: id must be an integer from/)]],
  // JSON.parse makes 7 of them.
  ['ndjson', '{"id":7.00000000000000000001,"name":"a"}', [expect.stringMatching(/^1: id must be an integer from/)]],
  ['ndjson', '{"id":9223372036854775808,"name":"a"}', [expect.stringMatching(/^1: id must be an integer from/)]],
  ['ndjson', '{"id":1,"name":"\\ud800","tag":null}', [expect.stringMatching(/^1: name must be .*; tag must be/)]],
  ['ndjson', `{"id":1,"name":"${'['.repeat(5)}"}${'['.repeat(1e6)}`, ['1: the line is not valid JSON']],
  [
    'ndjson',
    `${'x'.repeat(MAX_LINE_BYTES + 1)}\n{"id":1,"name":"Fern"}`,
    ['1: the line is longer than 16777216 bytes', fern],
    { size: 1e6 },
  ],
  [
    'csv',
    '\xef\xbb\xbf"tag",name,id\r\nshade,Fern,1\r\n\r\n,Moss,-2\n',
    [
      { ...fern, tag: 'shade' },
      { id: -2n, name: 'Moss' },
    ],
    { size: 1 },
  ],
  [
    'csv',
    'id,name,tag\n1,Fern,\n1,Fern,""\n1,"",\n1,,',
    [fern, { ...fern, tag: '' }, { id: 1n, name: '' }, '5: name is missing'],
  ],
  [
    'csv',
    'id,name\n1\n1,a,b\n1,Fern',
    [2, 3]
      .map(
        (line) =>
          expect.stringMatching(
            `^${line}: Invalid Record Length: columns length is 2, got \\d on line ${line}`,
          ) as unknown,
      )
      .concat(fern),
  ],
  [
    'csv',
    'id,name\n1.0,a\n9223372036854775808,a\n1,\xff\n1,Fern',
    [
      ...[2, 3].map((line) => expect.stringMatching(`^${line}: id must be an integer`) as unknown),
      expect.stringMatching(/^4: name must be a string of well-formed Unicode/),
      fern,
    ],
  ],
  ['csv', 'id,name\n', []],
  [
    'csv',
    'id,name,tag\n\xff,a,"\xff"\n1,Fern,',
    [expect.stringMatching(/^2: id must be an integer.*; tag must be a string/), fern],
  ],
  ['csv', 'id,note,name,\n1,x,Fern,\n', [fern], { ignoreColumns: true }],
])('%s of %j', async (format, bytes, expected, options) => {
  expect(await read(format as Format, bytes, options)).toEqual(expected);
});

describe('CSV', () => {
  test.each([
    ['a quote within quotes', '"a"b', 'Invalid Closing Quote'],
    ['a quote that is not closed', '"a', 'Quote Not Closed'],
    ['a quote that is not closed for long', `"${'a\n'.repeat(MAX_LINE_BYTES / 2)}`, 'Max Record Size'],
    ['a quote within a text', `${'a'.repeat(1_000)}"b"`, 'Invalid Opening Quote'],
  ])('ends at %s, and says after which line', async (_what, field, message) => {
    // The second plant has two lines.
    const csv = `id,name\n1,"a\nb"\n2,${field}\n3,c\n`;
    const ended = expect.stringMatching(`^the record after line 3: ${message}.{0,200}$`);
    await expect(read('csv', csv, { size: 1e6 })).rejects.toMatchObject({ message: ended });
  });

  test.each([
    ['', 'expected a header row with the columns id, name and optionally tag'],
    ['id\n1\n', 'expected a header row'],
    ['id;name\n1;a\n', 'expected a header row'],
    ['id,name,id\n', 'expected a header row'],
    [
      'id,note\u001b,name,\n',
      'a plant does not have: note\\u001b, ""; remove or rename them, or pass --ignore-columns',
    ],
  ])('refuses the header of %j', async (csv, message) => {
    await expect(read('csv', csv)).rejects.toThrow(message);
  });
});
