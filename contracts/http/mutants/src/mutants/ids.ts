import type { Mutants, Mutation } from '../mutation.ts';
import { idLiteral, rewriteMembers } from '../mutations/bodies.ts';
import { changedPlant } from '../mutations/use-case.ts';

/** Break HC-8 to HC-12: the int64 that identifies a plant. */
export const ids: Mutants = {
  'HC-8': {
    'takes the id through a JavaScript number': changedPlant((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })),
    'refuses 0, because it checks whether there is an id': rewriteId((id) => id || undefined),
  },
  'HC-9': {
    'accepts only digits as an integer': rewriteId((id, literal) => (/^-?\d+$/.test(literal) ? id : 'not plain')),
    'takes an id with an exponent through a JavaScript number': rewriteId((id, literal) =>
      typeof id === 'bigint' && /[eE]/.test(literal) ? BigInt.asIntN(64, BigInt(Number(literal))) : id,
    ),
  },
  'HC-10': {
    'uses Number.isInteger, which no longer sees the fraction': rewriteId((id, literal) =>
      typeof id === 'number' && Number.isInteger(Number(literal)) ? BigInt(id) : id,
    ),
    'wraps an id beyond int64 around': rewriteId((id) => (typeof id === 'bigint' ? BigInt.asIntN(64, id) : id)),
  },
  'HC-11': {
    'treats a string of digits as a number': rewriteId((id) =>
      typeof id === 'string' && /^-?\d+$/.test(id) ? BigInt(id) : id,
    ),
    'makes up an id if there is none': rewriteMembers((members) =>
      'id' in members ? members : { ...members, id: 7n },
    ),
  },
  'HC-12': {
    'takes a number of more than a hundred characters through a JavaScript number': rewriteId((id, literal) =>
      literal.length > 100 && Number.isInteger(Number(literal)) ? BigInt.asIntN(64, BigInt(Number(literal))) : id,
    ),
    'reads the first thousand characters of a number': rewriteId((id, literal) => {
      const cut = /^-?\d+\.0+$/.exec(literal.slice(0, 1_000));
      return literal.length > 1_000 && cut ? BigInt(Number(cut[0])) : id;
    }),
  },
};

/** The id is read in another way, perhaps by its literal: a bigint, or the value in its place. */
function rewriteId(read: (id: unknown, literal: string) => unknown): Mutation {
  return rewriteMembers((members, text) => ({ ...members, id: read(members['id'], idLiteral(text) ?? '7') }));
}
