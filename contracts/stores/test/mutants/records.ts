import { deflateSync } from 'node:zlib';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, type Plant, textFields } from '@plant-store/domain';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-1 to PR-3: ids and texts are stored exactly. */
export const records: readonly Mutant<StoreMutation>[] = [
  ...mutantTable<StoreMutation>({
    'PR-1': {
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
    // More than two: one for each kind of text, hard, alike, long, long and optional, longest, not to be compressed.
    'PR-2': {
      'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => chunks(Buffer.from(text), 2 ** 18).join('')),
      'stores three bytes of UTF-8 per character, as utf8mb3 does': changing((text) =>
        text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      ),
      'interns texts, under a collation for which accents do not count': (correct, store) => {
        const texts: Record<string, string> = Object.create(null);
        const keyOf = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');
        return changing((text) => (texts[keyOf(text)] ??= text))(correct, store);
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
  // More than two: a text that is absent, one that is empty, and how one is absent.
  ...optionalTextFields.flatMap((field): Mutant<StoreMutation>[] => [
    ['PR-3', `stores an absent ${field} as an empty one`, storingText(field, (text) => text ?? '')],
    ['PR-3', `takes an empty ${field} for none`, storingText(field, (text) => text || undefined)],
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
