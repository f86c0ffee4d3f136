import { INT64_MAX, INT64_MIN } from '@plant-store/domain';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { idLiteral, rewriteMembers } from '../mutations/bodies.ts';
import { changedPlant } from '../mutations/use-case.ts';

/** Break HC-8 to HC-12: the int64 that identifies a plant. */
export const ids: readonly Mutant[] = [
  {
    does: 'takes the id through a JavaScript number',
    breaks: 'HC-8',
    alsoBreaks: { clauses: ['HC-9'], because: 'it writes ids of nineteen digits in other ways' },
    mutation: changedPlant((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })),
  },
  {
    does: 'stores 32 bits of the id',
    breaks: 'HC-8',
    mutation: changedPlant((plant) => ({ ...plant, id: BigInt.asIntN(32, plant.id) })),
  },
  {
    does: 'stores an id as nine bytes of a varint: a sign and 62 bits',
    breaks: 'HC-8',
    mutation: changedPlant((plant) => ({ ...plant, id: unZigzag(BigInt.asUintN(63, zigzag(plant.id))) })),
  },
  {
    does: 'refuses 0, because it checks whether there is an id',
    breaks: 'HC-8',
    alsoBreaks: { clauses: ['HC-9'], because: 'it writes 0 in other ways' },
    mutation: rewriteId((id) => id || undefined),
  },
  {
    does: 'refuses the smallest int64, because its magnitude is none',
    breaks: 'HC-8',
    alsoBreaks: { clauses: ['HC-9'], because: 'it writes the smallest int64 in other ways' },
    mutation: rewriteId((id) => (id === INT64_MIN ? 'too small' : id)),
  },
  {
    does: 'accepts only digits as an integer',
    breaks: 'HC-9',
    alsoBreaks: { clauses: ['HC-12'], because: 'its long numbers are integers with a point or an exponent' },
    mutation: rewriteId((id, literal) => (/^-?\d+$/.test(literal) ? id : 'not plain')),
  },
  {
    does: 'takes an id with an exponent through a JavaScript number',
    breaks: 'HC-9',
    alsoBreaks: {
      clauses: ['HC-10', 'HC-12'],
      because: 'a rounded id may be an int64 where the exact one is none, and long numbers have exponents',
    },
    mutation: rewriteId((id, literal) =>
      typeof id === 'bigint' && /[eE]/.test(literal) ? BigInt.asIntN(64, BigInt(Number(literal))) : id,
    ),
  },
  {
    does: 'refuses -0',
    breaks: 'HC-9',
    mutation: rewriteId((id, literal) => (literal === '-0' ? 'negative zero' : id)),
  },
  {
    does: 'reads 0e0 as 1, because anything to the power of 0 is 1',
    breaks: 'HC-9',
    mutation: rewriteId((id, literal) => (literal === '0e0' ? 1n : id)),
  },
  {
    does: 'cuts the fraction off',
    breaks: 'HC-10',
    alsoBreaks: { clauses: ['HC-12', 'HC-17'], because: 'they have numbers with a fraction as well' },
    mutation: rewriteId((id) => (typeof id === 'number' && Number.isFinite(id) ? BigInt(Math.trunc(id)) : id)),
  },
  {
    does: 'uses Number.isInteger, which no longer sees the fraction',
    breaks: 'HC-10',
    alsoBreaks: { clauses: ['HC-12'], because: 'a long fraction is one that a JavaScript number does not see' },
    mutation: rewriteId((id, literal) =>
      typeof id === 'number' && Number.isInteger(Number(literal)) ? BigInt(id) : id,
    ),
  },
  {
    does: 'wraps an id beyond int64 around',
    breaks: 'HC-10',
    alsoBreaks: { clauses: ['HC-17'], because: 'it has an id beyond int64 as well' },
    mutation: rewriteId((id) => (typeof id === 'bigint' ? BigInt.asIntN(64, id) : id)),
  },
  {
    does: 'replaces an id beyond int64 by the nearest one',
    breaks: 'HC-10',
    alsoBreaks: { clauses: ['HC-12', 'HC-17'], because: 'they have ids beyond int64 as well' },
    mutation: rewriteId((id) => {
      if (typeof id !== 'number' || Math.abs(id) < 2 ** 63) return id;
      return id < 0 ? INT64_MIN : INT64_MAX;
    }),
  },
  {
    does: 'treats a string of digits as a number',
    breaks: 'HC-11',
    alsoBreaks: { clauses: ['HC-6', 'HC-17'], because: 'they send a string of digits as well' },
    mutation: rewriteId((id) => (typeof id === 'string' && /^-?\d+$/.test(id) ? BigInt(id) : id)),
  },
  {
    does: 'coerces as Ajv does in Fastify: true is 1, null is 0, an array of one is its element',
    breaks: 'HC-11',
    alsoBreaks: { clauses: ['HC-17'], because: 'an id there is null' },
    mutation: rewriteId((id) => {
      const value = Array.isArray(id) && id.length === 1 ? id[0] : id;
      return value === null || typeof value === 'boolean' ? BigInt(Number(value)) : value;
    }),
  },
  {
    does: 'makes up an id if there is none',
    breaks: 'HC-11',
    alsoBreaks: { clauses: ['HC-17'], because: 'it sends a record without an id as well' },
    mutation: rewriteMembers((members) => ('id' in members ? members : { ...members, id: 7n })),
  },
  {
    does: 'refuses a number of more than a hundred characters',
    breaks: 'HC-12',
    mutation: rewriteId((id, literal) => (literal.length > 100 ? 'too long' : id)),
  },
  {
    does: 'reads the first thousand characters of a number',
    breaks: 'HC-12',
    mutation: rewriteId((id, literal) => {
      const cut = /^-?\d+\.0+$/.exec(literal.slice(0, 1_000));
      return literal.length > 1_000 && cut ? BigInt(Number(cut[0])) : id;
    }),
  },
];

/** The id is read in another way, perhaps by how it is written: a bigint, or what stood in its place. */
function rewriteId(read: (id: unknown, literal: string) => unknown): Mutation {
  return rewriteMembers((members, text) => ({ ...members, id: read(members['id'], idLiteral(text) ?? '7') }));
}

/** Signed integers as unsigned ones, as Protocol Buffers have it: 0, -1, 1, -2 are 0, 1, 2, 3. */
function zigzag(id: bigint): bigint {
  return id < 0n ? -2n * id - 1n : 2n * id;
}

function unZigzag(id: bigint): bigint {
  return id % 2n === 0n ? id / 2n : -(id + 1n) / 2n;
}
