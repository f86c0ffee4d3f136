import { optionalTextFields, textFields } from '@plant-store/domain';

/** Texts, and another way to write each in JSON. */
export const escapes: readonly (readonly [string, string])[] = [
  ['Fern', '\\u0046\\u0065\\u0072\\u006E'],
  ['🌱', '\\ud83c\\udf31'],
  ['🌱', '\\uD83C\\uDF31'],
  ['a/b', 'a\\/b'],
  ['\b\f\n\r\t"\\', '\\b\\f\\n\\r\\t\\"\\\\'],
  ['\u0001\u001f', '\\u0001\\u001F'],
  ['\\u0041', '\\\\u0041'],
  ['\u2028', '\\u2028'],
];

/** JSON escapes of what RFC 7493 section 2.1 excludes, and of U+0000. */
export const unstorable: readonly string[] = [
  '\\u0000',
  'a\\u0000b',
  '\\ud800',
  '\\uDBFF',
  '\\udc00',
  '\\uDFFF',
  'a\\ud800b',
  '\\udf31\\ud83c',
  '\\ud83c\\ud83c\\udf31',
  '🌱\\ud83c',
];

/** Members with a faulty text in one field, and that field. */
function faultyTexts(value: string): [string, string[]][] {
  const inOptional = optionalTextFields.map((field): [string, string[]] => [
    `"id":ID,"name":"n","${field}":${value}`,
    [field],
  ]);
  return [[`"id":ID,"name":${value}`, ['name']], ...inOptional];
}

/** The members of a JSON object, and which fields are faulty. ID stands for a valid id. */
export const faultyRecords: readonly (readonly [string, readonly string[]])[] = [
  ['"name":"n"', ['id']],
  ...['"7"', 'null', '7.5', '9223372036854775808', '-1e400', `7${'0'.repeat(1_000)}`].map((id): [string, string[]] => [
    `"id":${id},"name":"n"`,
    ['id'],
  ]),
  ...['\\u0000', '\\ud800', '\\udc00'].flatMap((text) => faultyTexts(`"${text}"`)),
  ['"id":ID', ['name']],
  ['"id":ID,"tag":"t"', ['name']],
  ['"id":ID,"Name":"n"', ['name']],
  ...['null', '7', 'true', '[]', '["n"]', '{}'].flatMap((value): [string, string[]][] => [
    ...faultyTexts(value),
    [`"id":ID,${textFields.map((field) => `"${field}":${value}`)}`, [...textFields]],
    [`"id":"7",${textFields.map((field) => `"${field}":${value}`)}`, ['id', ...textFields]],
  ]),
  ['', ['id', 'name']],
  ...optionalTextFields.flatMap((field): [string, string[]][] => [
    [`"${field}":null`, ['id', 'name', field]],
    [`"id":7.5,"name":"\\u0000","${field}":"\\ud800"`, ['id', 'name', field]],
  ]),
];
