import { deflateSync } from 'node:zlib';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, type Plant, textFields } from '@plant-store/domain';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-1 to PR-3: ids and texts are stored exactly. */
export const records: readonly Mutant<StoreMutation>[] = [
  ...mutantTable<StoreMutation>({
    'PR-1': {
      'stores 15 significant digits of the id': storing((plant) => ({
        ...plant,
        id: BigInt(Number(Number(plant.id).toPrecision(15))),
      })),
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
    // More than two: one for each kind of text, hard, alike, long, long and optional, not to be compressed.
    'PR-2': {
      'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => {
        const chunks =
          Buffer.from(text)
            .toString('latin1')
            .match(/.{1,262144}/gs) ?? [];
        return chunks.map((chunk) => Buffer.from(chunk, 'latin1').toString()).join('');
      }),
      'stores three bytes of UTF-8 per character, as utf8mb3 does': changing((text) =>
        text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      ),
      'interns texts, under a collation for which accents do not count': (correct, store) => {
        const texts: Record<string, string> = Object.create(null);
        const keyOf = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');
        return changing((text) => (texts[keyOf(text)] ??= text))(correct, store);
      },
      'cuts the optional texts at 512 KiB, and the name nowhere': storing((plant) =>
        withTexts(
          plant,
          (text) =>
            Buffer.from(text)
              .subarray(0, 2 ** 19)
              .toString(),
          optionalTextFields,
        ),
      ),
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
      ({ returned }) => ({ returned: (...plants) => ({ [field]: undefined, ...returned(...plants) }) as never }),
    ],
  ]),
];

function storing(change: (plant: NewPlant) => NewPlant): StoreMutation {
  return ({ snapshot }) => ({ snapshot: (plant) => change(snapshot(plant)) });
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

function withTexts(plant: NewPlant, change: (text: string) => string, fields = textFields): NewPlant {
  const changed = fields.flatMap((field) => {
    const text = plant[field];
    return text === undefined ? [] : [[field, change(text)]];
  });
  return { ...plant, ...Object.fromEntries(changed) };
}
