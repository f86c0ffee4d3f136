import { textFields } from '@plant-store/domain';
import type { Mutants } from '../mutation.ts';
import { idLiteral, type Members, rewriteMembers, rewriteText } from '../mutations/bodies.ts';
import { rewriteCreated, rewritePlant } from '../mutations/responses.ts';
import { comparing } from '../mutations/use-case.ts';

/** Break HC-1 to HC-7: the record that is sent, and the record that is returned. */
export const records: Mutants = {
  'HC-1': {
    'returns 201 for 200': rewriteCreated(() => ({ status: 201 })),
    'echoes the id in the 200': {
      createPlant: (create) => async (plant) => {
        const result = await create(plant);
        return result.outcome === 'created' ? { ...result, plant: { id: String(plant.id), ...result.plant } } : result;
      },
    },
  },
  // More than two: the response to an absent one, to an empty one, what is stored.
  'HC-2': {
    'returns an absent tag as null': rewritePlant((plant) => ({ tag: null, ...plant })),
    'drops an empty tag': {
      createPlant:
        (create) =>
        ({ tag, ...plant }) =>
          create(tag ? { ...plant, tag } : plant),
    },
    'stores an absent text as an empty one': comparing((a, b) =>
      textFields.every((field) => (a[field] ?? '') === (b[field] ?? '')),
    ),
  },
  'HC-3': {
    'looks for the opening brace in the first byte': rewriteText((text) => (/^\s+\S/.test(text) ? `!${text}` : text)),
    'takes the members in the order of the description only': rewriteMembers((members) => {
      const order = Object.keys(members).filter((name) => fields.includes(name));
      return order.join() === fields.filter((name) => order.includes(name)).join() ? members : undefined;
    }),
  },
  'HC-4': {
    'refuses members that NewPlant does not have': rewriteMembers((members) =>
      Object.keys(members).every((name) => fields.includes(name)) ? members : undefined,
    ),
  },
  'HC-5': {
    'copies members one by one, so that __proto__ sets the prototype': rewriteMembers((members) => {
      const copy: Members = {};
      for (const name of Object.keys(members)) copy[name] = members[name];
      return copy;
    }),
    'merges constructor.prototype into the record, as a deep merge does': rewriteMembers((members) => {
      const { prototype } = Object(members['constructor']);
      return { ...prototype, ...members };
    }),
  },
  'HC-6': {
    'takes the first of two ids': rewriteMembers((members, text) => {
      const literal = idLiteral(text) ?? '';
      return typeof members['id'] === 'bigint' && /^-?\d+$/.test(literal)
        ? { ...members, id: BigInt(literal) }
        : members;
    }),
  },
  'HC-7': {
    'rounds an id whose name is written with an escape, because it looks for "id" in the text': rewriteMembers(
      (members, text) => (/"id"/.test(text) ? members : rounded(members)),
    ),
    'treats a "tag" as one wherever it is': rewriteMembers((members, text) => {
      const tag = /"tag"\s*:\s*("[^"]*"|[\d]+)/.exec(text)?.[1];
      return tag === undefined ? members : { ...members, tag: JSON.parse(tag) };
    }),
  },
};

/** The members of NewPlant, in the order of the description. */
const fields: readonly string[] = ['id', ...textFields];

function rounded(members: Members): Members {
  const { id } = members;
  return typeof id === 'bigint' ? { ...members, id: BigInt.asIntN(64, BigInt(Number(id))) } : members;
}
