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
      'turns CR LF into LF': changing((text) => text.replaceAll('\r\n', '\n')),
      'normalizes texts to NFC': changing((text) => text.normalize('NFC')),
      'cuts texts at 512 KiB': changing((text) => cutBytes(text, 2 ** 19)),
      'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => chunks(Buffer.from(text), 2 ** 18).join('')),
      'stores three bytes of UTF-8 per character, as utf8mb3 does': changing((text) =>
        text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      ),
      'unescapes HTML': changing((text) => text.replaceAll('&lt;', '<').replaceAll('&amp;', '&')),
      'takes a backslash for an escape': changing((text) => text.replace(/\\(.)/g, '$1')),
      'puts texts into the statement with String.replace': changing((text) => '?'.replace('?', text)),
      'formats texts with printf': changing((text) => text.replaceAll('%s', '(null)')),
      'takes the text «NULL» for none': changing((text) => (text === 'NULL' ? '' : text)),
      'takes \\N for NULL, as COPY does': changing((text) => (text === '\\N' ? '' : text)),
      'stores texts that look like numbers as numbers': changing((text) =>
        /^-?\d+(e\d+)?$/.test(text) ? String(Number(text)) : text,
      ),
      'interns texts in a plain object, which has some properties from the start': class extends ModelStore {
        readonly #texts: Record<string, string> = {};

        protected override snapshot(plant: NewPlant): NewPlant {
          return withTexts(super.snapshot(plant), (text) => (this.#texts[text] ??= text));
        }
      },
      'cuts the optional texts at 512 KiB, and the name nowhere': storing((plant) =>
        withTexts(plant, (text) => cutBytes(text, 2 ** 19), optionalTextFields),
      ),
      'rejects plants of more than 1,020,000 bytes: packet for query is too large': storing((plant) => {
        if (Buffer.byteLength(textFields.map((field) => plant[field] ?? '').join('')) > 1_020_000)
          throw new Error('packet for query is too large');
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
