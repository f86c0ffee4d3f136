import { deflateSync } from 'node:zlib';
import { mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';
import type { StoreClass } from '../model/model-harness.ts';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-2: texts are stored exactly. */
export const texts: readonly StoreMutant[] = [
  ...mutantTable({
    'PR-2': {
      'trims texts': changing((text) => text.trim()),
      'drops trailing spaces, as CHAR columns do': changing((text) => text.replace(/ +$/, '')),
      'drops a trailing new line': changing((text) => text.replace(/\n$/, '')),
      'turns CR LF into LF': changing((text) => text.replaceAll('\r\n', '\n')),
      'turns white space of any kind into a space': changing((text) => text.replace(/\s/g, ' ')),
      'drops a byte order mark': changing((text) => text.replace(/^\ufeff/, '')),
      'drops control characters': changing((text) => text.replace(/\p{Cc}/gu, '')),
      'drops zero-width characters': changing((text) => text.replace(/\p{Cf}/gu, '')),
      'normalizes texts to NFC': changing((text) => text.normalize('NFC')),
      'normalizes texts to NFKC': changing((text) => text.normalize('NFKC')),
      'converts texts to lower case': changing((text) => text.toLowerCase()),
      'cuts texts at 255 code units': changing((text) => text.slice(0, 255)),
      'cuts texts at 65,535 bytes': changing((text) => cutBytes(text, 65_535)),
      'decodes UTF-8 in chunks of 64 KiB, one by one': changing((text) => chunks(Buffer.from(text), 65_536).join('')),
      'cuts texts at 2^18 code units': changing((text) => text.slice(0, 2 ** 18)),
      'cuts texts at 512 KiB': changing((text) => cutBytes(text, 2 ** 19)),
      'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => chunks(Buffer.from(text), 2 ** 18).join('')),
      'stores three bytes of UTF-8 per character, as utf8mb3 does': changing((text) =>
        text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      ),
      'stores Latin-1 only': changing((text) => text.replace(/[^\0-\xff]/gu, '?')),
      'drops private use characters': changing((text) => text.replace(/\p{Co}/gu, '')),
      'escapes HTML': changing((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
      'unescapes HTML': changing((text) => text.replaceAll('&lt;', '<').replaceAll('&amp;', '&')),
      'doubles quotes': changing((text) => text.replaceAll("'", "''")),
      'takes a backslash for an escape': changing((text) => text.replace(/\\(.)/g, '$1')),
      'cuts texts at a backslash': changing((text) => text.split('\\')[0] ?? ''),
      'decodes percent signs': changing((text) => text.replace(/%41/g, 'A')),
      'decodes + as a space': changing((text) => text.replaceAll('+', ' ')),
      'puts texts into the statement with String.replace': changing((text) => '?'.replace('?', text)),
      'takes \\x41 for a byte, as bytea does': changing((text) => text.replaceAll('\\x41', 'A')),
      'takes {a,b} for an array': changing((text) => text.replace(/^\{([^"]*)\}$/, '$1')),
      'formats texts with printf': changing((text) => text.replaceAll('%s', '(null)')),
      'takes the text «NULL» for none': changing((text) => (text === 'NULL' ? '' : text)),
      'takes \\N for NULL, as COPY does': changing((text) => (text === '\\N' ? '' : text)),
      'takes the text «null» for none': changing((text) => (text === 'null' ? '' : text)),
      'stores texts that look like numbers as numbers': changing((text) =>
        /^-?\d+(e\d+)?$/.test(text) ? String(Number(text)) : text,
      ),
      'revives texts that look like dates': changing((text) =>
        /^\d{4}-.*Z$/.test(text) ? new Date(text).toISOString() : text,
      ),
      'interns texts in a plain object, which has some properties from the start': class extends ModelStore {
        readonly #texts: Record<string, string> = {};

        protected override snapshot(plant: NewPlant): NewPlant {
          return withTexts(super.snapshot(plant), (text) => (this.#texts[text] ??= text));
        }
      },
      'cuts the optional texts, whose columns are shorter': storing((plant) =>
        withTexts(plant, (text) => text.slice(0, 255), optionalTextFields),
      ),
      'cuts the optional texts at 512 KiB, and the name nowhere': storing((plant) =>
        withTexts(plant, (text) => cutBytes(text, 2 ** 19), optionalTextFields),
      ),
      'rejects plants of more than 1,020,000 bytes: packet for query is too large': storing((plant) => {
        if (Buffer.byteLength(textFields.map((field) => plant[field] ?? '').join('')) > 1_020_000)
          throw new Error('packet for query is too large');
        return plant;
      }),
      'rejects an empty name': storing((plant) => {
        if (plant.name === '') throw new Error('name must not be empty');
        return plant;
      }),
      'has an index on the name, which rejects long ones unless they can be compressed': storing((plant) => {
        if (deflateSync(plant.name).length > 2_704) throw new Error('index row size exceeds btree maximum 2704');
        return plant;
      }),
    },
  }),
  interning('canonically equal ones are one', (text) => text.normalize('NFC')),
  interning('compatible ones are one', (text) => text.normalize('NFKC')),
  interning('accents do not count', (text) => text.normalize('NFD').replace(/\p{Mn}/gu, '')),
  interning('zero-width characters do not count', (text) => text.replace(/\p{Cf}/gu, '')),
  interning('hyphens between letters do not count', (text) => text.replace(/(?<=\p{L})-(?=\p{L})/gu, '')),
  interning('hiragana and katakana are one', (text) =>
    text.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)),
  ),
  interning('numbers are compared as numbers', (text) => text.replace(/^0+(?=\d)/, '')),
];

function changing(change: (text: string) => string): StoreClass {
  return storing((plant) => withTexts(plant, change));
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
