import { deflateSync } from 'node:zlib';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, plantOf, textFields } from '@plant-store/domain';
import type { StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-1 to PR-3: ids and texts are stored exactly. */
export const records: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  'PR-1': {
    'stores 15 significant digits of the id': storing((plant) => ({
      ...plant,
      id: BigInt(Number(Number(plant.id).toPrecision(15))),
    })),
    'looks up the plants of taken ids together, in JSON with ids as numbers': ({ commit, exists }) => {
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
  // More than two: one for each kind of text, hard, lookalike, long, long and optional, not compressible.
  'PR-2': {
    'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => {
      const chunks =
        Buffer.from(text)
          .toString('latin1')
          .match(/.{0,262144}/gs) ?? [];
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
    'truncates the optional texts at 512 KiB, and no name': changing(
      (text) => Buffer.from(text).toString('utf8', 0, 2 ** 19),
      optionalTextFields,
    ),
    'has an index on the name, which rejects long ones unless they can be compressed': storing((plant) => {
      if (deflateSync(plant.name).length > 2_704) throw new Error('index row size exceeds btree maximum 2704');
      return plant;
    }),
  },
  // More than two: an absent text, an empty text, and how a text is absent.
  'PR-3': {
    'stores an absent text as an empty one': storingTexts((text) => text ?? '', optionalTextFields),
    'stores an empty text as an absent one': storingTexts((text) => text || undefined, optionalTextFields),
    'returns an absent text as a property that is undefined': ({ toPlant }) => ({
      toPlant: (...rows) => ({ ...undefinedTexts, ...toPlant(...rows) }),
    }),
  },
});

const undefinedTexts = Object.fromEntries(optionalTextFields.map((field) => [field, undefined]));

function storing(change: (plant: NewPlant) => NewPlant): StoreMutation {
  return ({ snapshot }) => ({ snapshot: (plant) => change(snapshot(plant)) });
}

function changing(change: (text: string) => string, fields = textFields): StoreMutation {
  return storingTexts((text) => (text === undefined ? undefined : change(text)), fields);
}

/** Stores other texts in these fields. One that is undefined is absent. */
function storingTexts(change: (text?: string) => string | undefined, fields = textFields): StoreMutation {
  return storing((plant) => {
    const changed = fields.map((field) => [field, change(plant[field])]);
    return { id: plant.id, ...plantOf({ ...plant, ...Object.fromEntries(changed) }) };
  });
}
