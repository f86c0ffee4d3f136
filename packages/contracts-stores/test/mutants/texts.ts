import { deflateSync } from 'node:zlib';
import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-2: texts are stored exactly. */
export const texts: readonly StoreMutant[] = [
  changing('trims texts', (text) => text.trim()),
  changing('drops trailing spaces, as CHAR columns do', (text) => text.replace(/ +$/, '')),
  changing('drops a trailing new line', (text) => text.replace(/\n$/, '')),
  changing('turns CR LF into LF', (text) => text.replaceAll('\r\n', '\n')),
  changing('turns white space of any kind into a space', (text) => text.replace(/\s/g, ' ')),
  changing('drops a byte order mark', (text) => text.replace(/^\ufeff/, '')),
  changing('drops control characters', (text) => text.replace(/\p{Cc}/gu, '')),
  changing('drops zero-width characters', (text) => text.replace(/\p{Cf}/gu, '')),
  changing('normalizes texts to NFC', (text) => text.normalize('NFC')),
  changing('normalizes texts to NFKC', (text) => text.normalize('NFKC')),
  changing('converts texts to lower case', (text) => text.toLowerCase()),
  changing('cuts texts at 255 code units', (text) => text.slice(0, 255)),
  changing('cuts texts at 65,535 bytes', (text) => cutBytes(text, 65_535)),
  changing('decodes UTF-8 in chunks of 64 KiB, one by one', (text) => chunks(Buffer.from(text), 65_536).join('')),
  changing('cuts texts at 2^18 code units', (text) => text.slice(0, 2 ** 18)),
  changing('cuts texts at 512 KiB', (text) => cutBytes(text, 2 ** 19)),
  changing('decodes UTF-8 in chunks of 256 KiB, one by one', (text) => chunks(Buffer.from(text), 2 ** 18).join('')),
  changing('stores three bytes of UTF-8 per character, as utf8mb3 does', (text) =>
    text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ),
  changing('stores Latin-1 only', (text) => text.replace(/[^\0-\xff]/gu, '?')),
  changing('drops private use characters', (text) => text.replace(/\p{Co}/gu, '')),
  changing('escapes HTML', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  changing('unescapes HTML', (text) => text.replaceAll('&lt;', '<').replaceAll('&amp;', '&')),
  changing('doubles quotes', (text) => text.replaceAll("'", "''")),
  changing('takes a backslash for an escape', (text) => text.replace(/\\(.)/g, '$1')),
  changing('cuts texts at a backslash', (text) => text.split('\\')[0] ?? ''),
  changing('decodes percent signs', (text) => text.replace(/%41/g, 'A')),
  changing('decodes + as a space', (text) => text.replaceAll('+', ' ')),
  changing('puts texts into the statement with String.replace', (text) => '?'.replace('?', text)),
  changing('takes \\x41 for a byte, as bytea does', (text) => text.replaceAll('\\x41', 'A')),
  changing('takes {a,b} for an array', (text) => text.replace(/^\{([^"]*)\}$/, '$1')),
  changing('formats texts with printf', (text) => text.replaceAll('%s', '(null)')),
  changing('takes the text «NULL» for none', (text) => (text === 'NULL' ? '' : text)),
  changing('takes \\N for NULL, as COPY does', (text) => (text === '\\N' ? '' : text)),
  changing('takes the text «null» for none', (text) => (text === 'null' ? '' : text)),
  changing('stores texts that look like numbers as numbers', (text) =>
    /^-?\d+(e\d+)?$/.test(text) ? String(Number(text)) : text,
  ),
  changing('revives texts that look like dates', (text) =>
    /^\d{4}-.*Z$/.test(text) ? new Date(text).toISOString() : text,
  ),
  interning('canonically equal ones are one', (text) => text.normalize('NFC')),
  interning('compatible ones are one', (text) => text.normalize('NFKC')),
  interning('accents do not count', (text) => text.normalize('NFD').replace(/\p{Mn}/gu, '')),
  interning('zero-width characters do not count', (text) => text.replace(/\p{Cf}/gu, '')),
  interning('hyphens between letters do not count', (text) => text.replace(/(?<=\p{L})-(?=\p{L})/gu, '')),
  interning('hiragana and katakana are one', (text) =>
    text.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)),
  ),
  interning('numbers are compared as numbers', (text) => text.replace(/^0+(?=\d)/, '')),
  [
    'PR-2',
    'interns texts in a plain object, which has some properties from the start',
    class extends ModelStore {
      readonly #texts: Record<string, string> = {};

      protected override snapshot(plant: NewPlant): NewPlant {
        return withTexts(super.snapshot(plant), (text) => (this.#texts[text] ??= text));
      }
    },
  ],
  [
    'PR-2',
    'cuts the optional texts, whose columns are shorter',
    storing((plant) => withTexts(plant, (text) => text.slice(0, 255), optionalTextFields)),
  ],
  [
    'PR-2',
    'cuts the optional texts at 512 KiB, and the name nowhere',
    storing((plant) => withTexts(plant, (text) => cutBytes(text, 2 ** 19), optionalTextFields)),
  ],
  [
    'PR-2',
    'rejects plants of more than 1,020,000 bytes: packet for query is too large',
    storing((plant) => {
      if (Buffer.byteLength(textFields.map((field) => plant[field] ?? '').join('')) > 1_020_000)
        throw new Error('packet for query is too large');
      return plant;
    }),
  ],
  [
    'PR-2',
    'rejects an empty name',
    storing((plant) => {
      if (plant.name === '') throw new Error('name must not be empty');
      return plant;
    }),
  ],
  [
    'PR-2',
    'has an index on the name, which rejects long ones unless they can be compressed',
    storing((plant) => {
      if (deflateSync(plant.name).length > 2_704) throw new Error('index row size exceeds btree maximum 2704');
      return plant;
    }),
  ],
];

function changing(does: string, change: (text: string) => string): StoreMutant {
  return ['PR-2', does, storing((plant) => withTexts(plant, change))];
}

/** A store with a table of texts, under a collation for which some are equal. */
function interning(collation: string, keyOf: (text: string) => string): StoreMutant {
  const Store = class extends ModelStore {
    readonly #texts = new Map<string, string>();

    protected override snapshot(plant: NewPlant): NewPlant {
      return withTexts(super.snapshot(plant), (text) => {
        const known = this.#texts.get(keyOf(text)) ?? text;
        this.#texts.set(keyOf(text), known);
        return known;
      });
    }
  };
  return ['PR-2', `interns texts, under a collation for which ${collation}`, Store];
}

function withTexts(plant: NewPlant, change: (text: string) => string, fields = textFields): NewPlant {
  const changed = fields.flatMap((field) => {
    const text = plant[field];
    return text === undefined ? [] : [[field, change(text)]];
  });
  return { ...plant, ...Object.fromEntries(changed) };
}

function storing(change: (plant: NewPlant) => NewPlant): StoreClass {
  return class extends ModelStore {
    protected override snapshot(plant: NewPlant): NewPlant {
      return change(super.snapshot(plant));
    }
  };
}

function cutBytes(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString();
}

function chunks(bytes: Buffer, size: number): string[] {
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
  return starts.map((start) => bytes.subarray(start, start + size).toString());
}
