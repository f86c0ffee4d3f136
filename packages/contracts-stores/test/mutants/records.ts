import { deflateSync } from 'node:zlib';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, type Plant, textFields } from '@plant-store/domain';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-1 to PR-3: ids and texts are stored exactly. */
export const records: readonly Mutant<StoreMutation>[] = [
  ...mutantTable<StoreMutation>({
    'PR-1': {
      'negates the digits of a negative id, so that the smallest one overflows': withId((id) => {
        if (id === -(2n ** 63n)) throw new RangeError('9223372036854775808 is out of range for type bigint');
        return id;
      }),
      'stores 15 significant digits of the id': withId((id) => BigInt(Number(Number(id).toPrecision(15)))),
      'looks the plants of taken ids up together, in JSON with ids as numbers': ({ commit, exists }) => {
        let together = false;
        return {
          commit(batch) {
            together = batch.length > 1;
            return commit(batch);
          },
          exists: (asked) => exists(together ? { ...asked, id: BigInt(Number(asked.id)) } : asked),
        };
      },
    },
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
      'interns texts in a plain object, which has some properties from the start': (correct, store) => {
        const texts: Record<string, string> = {};
        return changing((text) => (texts[text] ??= text))(correct, store);
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
  ...optionalTextFields.flatMap((field): Mutant<StoreMutation>[] => [
    ['PR-3', `stores an absent ${field} as an empty one`, storingText(field, (text) => text ?? '')],
    ['PR-3', `stores an absent ${field} as the text «undefined»`, storingText(field, String)],
    ['PR-3', `takes an empty ${field} for none`, storingText(field, (text) => text || undefined)],
    ['PR-3', `returns an absent ${field} as null`, returning((plant) => ({ ...plant, [field]: plant[field] ?? null }))],
    [
      'PR-3',
      `returns an absent ${field} as a property that is undefined`,
      returning((plant) => ({ ...plant, [field]: plant[field] })),
    ],
  ]),
];

function storing(change: (plant: NewPlant) => NewPlant): StoreMutation {
  return ({ snapshot }) => ({ snapshot: (plant) => change(snapshot(plant)) });
}

function withId(change: (id: bigint) => bigint): StoreMutation {
  return storing((plant) => ({ ...plant, id: change(plant.id) }));
}

function changing(change: (text: string) => string): StoreMutation {
  return storing((plant) => withTexts(plant, change));
}

function storingText(field: keyof Plant, change: (text: string | undefined) => string | undefined): StoreMutation {
  return storing(({ [field]: text, ...rest }) => {
    const changed = change(text);
    return (changed === undefined ? rest : { ...rest, [field]: changed }) as NewPlant;
  });
}

function returning(change: (plant: Plant) => object): StoreMutation {
  return () => ({ returned: (stored) => change(stored) as Plant });
}

/** A store with a table of texts, under a collation for which some are equal. */
function interning(collation: string, keyOf: (text: string) => string): Mutant<StoreMutation> {
  const mutation: StoreMutation = (correct, store) => {
    const texts = new Map<string, string>();
    const intern = (text: string) => {
      const known = texts.get(keyOf(text)) ?? text;
      texts.set(keyOf(text), known);
      return known;
    };
    return changing(intern)(correct, store);
  };
  return ['PR-2', `interns texts, under a collation for which ${collation}`, mutation];
}

function withTexts(plant: NewPlant, change: (text: string) => string, fields = textFields): NewPlant {
  const changed = fields.flatMap((field) => {
    const text = plant[field];
    return text === undefined ? [] : [[field, change(text)]];
  });
  return { ...plant, ...Object.fromEntries(changed) };
}

function cutBytes(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString();
}

function chunks(bytes: Buffer, size: number): string[] {
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
  return starts.map((start) => bytes.subarray(start, start + size).toString());
}
