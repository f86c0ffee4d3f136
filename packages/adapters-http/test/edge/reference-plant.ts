import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';

/**
 * The NewPlant in a body, strictly by the rules of the interface and with nothing of the service's own code but the names
 * of the fields: slow, but short enough to be verified by reading.
 */
export function readPlant(bytes: Buffer): NewPlant | undefined {
  let body: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    body = parseJson(text, (_member, value, { source }) => (typeof value === 'number' ? new Written(source) : value));
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Written) return undefined;
  const members = body as Readonly<Record<string, unknown>>;
  const id = members['id'];
  const number = id instanceof Written ? integerOf(id.source) : undefined;
  if (number === undefined || BigInt.asIntN(64, number) !== number) return undefined;
  const given = textFields.filter((field) => Object.hasOwn(body, field) || !optionalTextFields.includes(field));
  if (!given.every((field) => isText(members[field]))) return undefined;
  return { id: number, ...Object.fromEntries(given.map((field) => [field, members[field]])) } as unknown as NewPlant;
}

/** With the third parameter of the reviver, which ECMAScript has and TypeScript's ES2024 has not. */
const parseJson = JSON.parse as (
  text: string,
  reviver: (member: string, value: unknown, context: { readonly source: string }) => unknown,
) => unknown;

/** A number as written in the text. */
class Written {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

/** The value if it is an integer of a relevant size. */
function integerOf(source: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(source) ?? [];
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  const shift = Number(exponent) - fraction.length;
  if (shift > 19 || -shift > whole.length + fraction.length) return undefined;
  const [factor, divisor] = [10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))];
  return (digits * factor) % divisor === 0n ? BigInt(`${sign}1`) * ((digits * factor) / divisor) : undefined;
}
