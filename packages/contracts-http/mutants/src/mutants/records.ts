import { textFields } from '@plant-store/domain';
import { hc, plantResponses, statusResponses, untaggedPlantResponses } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import { idLiteral, type Members, rewriteMembers, rewriteText } from '../mutations/bodies.ts';
import { rewriteCreated, rewritePlant } from '../mutations/responses.ts';
import { comparing, mutatedUseCase } from '../mutations/use-case.ts';

/** Break HC-1 to HC-7: the record that is sent, and the record that is returned. */
export const records: readonly Mutant[] = [
  {
    does: 'returns 201 for 200',
    breaks: 'HC-1',
    alsoBreaks: statusResponses,
    mutation: rewriteCreated(() => ({ status: 201 })),
  },
  {
    does: 'echoes the id in the 200',
    breaks: 'HC-1',
    alsoBreaks: plantResponses,
    mutation: mutatedUseCase((create) => async (plant) => {
      const result = await create(plant);
      return result.outcome === 'created' ? { ...result, plant: { id: String(plant.id), ...result.plant } } : result;
    }),
  },
  {
    does: 'wraps the plant in an envelope',
    breaks: 'HC-1',
    alsoBreaks: plantResponses,
    mutation: rewritePlant((plant) => ({ plant })),
  },
  {
    does: 'sends the plant as text/plain',
    breaks: 'HC-1',
    alsoBreaks: plantResponses,
    mutation: rewriteCreated(({ headers }) => ({
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    })),
  },
  {
    does: 'returns the name alone',
    breaks: 'HC-1',
    alsoBreaks: { clauses: hc('2 3 4 13 14 15 18 19 21'), because: 'they create plants with a tag as well' },
    mutation: rewritePlant(({ name }) => ({ name })),
  },
  {
    does: 'returns an absent tag as null',
    breaks: 'HC-2',
    alsoBreaks: untaggedPlantResponses,
    mutation: rewritePlant((plant) => ({ tag: null, ...plant })),
  },
  {
    does: 'drops an empty tag',
    breaks: 'HC-2',
    alsoBreaks: {
      clauses: ['HC-13', 'HC-14', 'HC-18', 'HC-19'],
      because: 'they create plants with an empty tag as well',
    },
    mutation: mutatedUseCase(
      (create) =>
        ({ tag, ...plant }) =>
          create(tag ? { ...plant, tag } : plant),
    ),
  },
  {
    does: 'stores an absent text as an empty one',
    breaks: 'HC-2',
    alsoBreaks: { clauses: ['HC-19'], because: 'an empty tag and none make two plants there, too' },
    mutation: comparing((a, b) => textFields.every((field) => (a[field] ?? '') === (b[field] ?? ''))),
  },
  {
    does: 'looks for the opening brace in the first byte',
    breaks: 'HC-3',
    alsoBreaks: { clauses: ['HC-24'], because: 'one of the bodies there begins with a space' },
    mutation: rewriteText((text) => (/^\s+\S/.test(text) ? `!${text}` : text)),
  },
  {
    does: 'rounds an id that has white space around its colon, because it looks for "id": in the text',
    breaks: 'HC-3',
    mutation: rewriteMembers((members, text) =>
      /"id"\s*:/.test(text) && !/"id":/.test(text) ? rounded(members) : members,
    ),
  },
  {
    does: 'takes the members in the order of the description only',
    breaks: 'HC-3',
    mutation: rewriteMembers((members) => {
      const order = Object.keys(members).filter((name) => fields.includes(name));
      return order.join() === fields.filter((name) => order.includes(name)).join() ? members : undefined;
    }),
  },
  {
    does: 'refuses members that NewPlant does not have',
    breaks: 'HC-4',
    alsoBreaks: { clauses: ['HC-5', 'HC-7', 'HC-35'], because: 'they send such members as well' },
    mutation: rewriteMembers((members) =>
      Object.keys(members).every((name) => fields.includes(name)) ? members : undefined,
    ),
  },
  {
    does: 'refuses U+0000 anywhere in the body',
    breaks: 'HC-4',
    alsoBreaks: {
      clauses: ['HC-17'],
      because: 'its message names fields that are not faulty, and not the one that is',
    },
    mutation: rewriteMembers((members, text) => (/[^\\]\\u0000/.test(text) ? {} : members)),
  },
  {
    does: 'recognizes members in any case',
    breaks: 'HC-4',
    alsoBreaks: {
      clauses: ['HC-5', 'HC-17'],
      because: 'it cannot copy __proto__, and takes Name for the name that is missing',
    },
    mutation: rewriteMembers((members) => {
      const folded: Members = {};
      for (const [name, value] of Object.entries(members)) folded[name.toLowerCase()] = value;
      return folded;
    }),
  },
  {
    does: 'copies members one by one, so that __proto__ sets the prototype',
    breaks: 'HC-5',
    mutation: rewriteMembers((members) => {
      const copy: Members = {};
      for (const name of Object.keys(members)) copy[name] = members[name];
      return copy;
    }),
  },
  {
    does: 'refuses __proto__ as an attack, as secure-json-parse does by default',
    breaks: 'HC-5',
    mutation: rewriteMembers((members) => (Object.hasOwn(members, '__proto__') ? undefined : members)),
  },
  {
    does: 'merges constructor.prototype into the record, as a deep merge does',
    breaks: 'HC-5',
    mutation: rewriteMembers((members) => {
      const { prototype } = Object(members['constructor']);
      return { ...prototype, ...members };
    }),
  },
  {
    does: 'takes the first of two ids',
    breaks: 'HC-6',
    alsoBreaks: { clauses: ['HC-7'], because: 'the first "id" in the text may be deep inside a member' },
    mutation: rewriteMembers((members, text) => {
      const literal = idLiteral(text) ?? '';
      return typeof members['id'] === 'bigint' && /^-?\d+$/.test(literal)
        ? { ...members, id: BigInt(literal) }
        : members;
    }),
  },
  {
    does: 'refuses a member that is there twice',
    breaks: 'HC-6',
    mutation: rewriteText((text) => (/^\{"(id|name)":[^{[]*,"\1":[^{[]*$/.test(text) ? '!' : text)),
  },
  {
    does: 'rounds an id whose name is written with an escape, because it looks for "id" in the text',
    breaks: 'HC-7',
    mutation: rewriteMembers((members, text) => (/"id"/.test(text) ? members : rounded(members))),
  },
  {
    does: 'treats a "tag" as one wherever it is',
    breaks: 'HC-7',
    alsoBreaks: {
      clauses: ['HC-4', 'HC-5', 'HC-13', 'HC-15'],
      because: 'they have a "tag" elsewhere, or escapes in a tag, as well',
    },
    mutation: rewriteMembers((members, text) => {
      const tag = /"tag"\s*:\s*("[^"]*"|[\d]+)/.exec(text)?.[1];
      return tag === undefined ? members : { ...members, tag: JSON.parse(tag) };
    }),
  },
];

/** The members of NewPlant, in the order of the description. */
const fields: readonly string[] = ['id', ...textFields];

function rounded(members: Members): Members {
  const { id } = members;
  return typeof id === 'bigint' ? { ...members, id: BigInt.asIntN(64, BigInt(Number(id))) } : members;
}
