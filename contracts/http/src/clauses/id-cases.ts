import { INT64_MAX, INT64_MIN } from '@plant-store/domain';

/**
 * Where a double or a sign goes wrong. Few, since they are the only ids of the contract that are not random, and
 * other plants may have them.
 */
export const edges: readonly bigint[] = [
  0n,
  ...[2n ** 53n, -(2n ** 53n)].flatMap((edge) => [edge - 1n, edge, edge + 1n]),
  INT64_MIN,
  INT64_MIN + 1n,
  INT64_MAX - 1n,
  INT64_MAX,
];

/** Ways to write an integer as a JSON number. */
export const writings: readonly ((id: bigint) => string)[] = [
  (id) => `${id}`,
  (id) => `${id}.0`,
  (id) => `${id}.000000000000000000000000`,
  (id) => `${id}e0`,
  (id) => `${id}E+00`,
  (id) => `${id}e-0`,
  (id) => `${id}.0e0`,
  (id) => `${id}0e-1`,
  (id) => `${id}000E-003`,
  (id) => `${id}000.000e-3`,
  (id) => `${id < 0n ? '-' : ''}0.${magnitude(id)}e${magnitude(id).length}`,
  (id) => scientific(id),
  (id) => scientific(id).replace('e', 'E+0'),
];

export const writingsOfZero: readonly string[] = [
  '-0',
  '0.0',
  '-0.000',
  '0e0',
  '-0E+99',
  '0e999999999',
  '0.0e-999999999',
];

/** With one digit before the point; for an id of two digits or more. */
export function scientific(id: bigint): string {
  const digits = magnitude(id);
  return `${id < 0n ? '-' : ''}${digits[0]}.${digits.slice(1)}e${digits.length - 1}`;
}

/** The digits, without a sign. */
export function magnitude(id: bigint): string {
  return String(id < 0n ? -id : id);
}

/** Numbers that are not integers, or beyond int64. */
export const notInt64: readonly string[] = [
  '7.5',
  '-7.5',
  '0.1',
  '7.00000000000000000001',
  '6.99999999999999999999',
  '900719925474099.01',
  '9007199254740993.5',
  '9007199254740992.0000000001',
  '75e-1',
  '1e-400',
  '-1e-400',
  '1e-999999999',
  '9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.5',
  '9223372036854775807.0000000000000000000000001',
  '9.223372036854775808e18',
  '92233720368547758070e0',
  '18446744073709551616',
  '18446744073709551623',
  '1e19',
  '-1e19',
  '1e400',
  '1e999999999',
  '1e99999999999999999999',
  '-1e99999999999999999999',
];

/** JSON values that are not numbers. */
export const notNumbers: readonly string[] = [
  '"7"',
  '"9007199254740993"',
  '""',
  'true',
  'false',
  'null',
  '[]',
  '[7]',
  '{}',
  '{"id":7}',
  '"0x7"',
];
