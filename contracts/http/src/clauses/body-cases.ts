/** Texts that are not JSON (RFC 8259). */
export const notJson: readonly string[] = [
  '',
  ' ',
  '\r\n\t ',
  '{',
  '{"id"',
  '{"id":7',
  '{"id":7,"name":"n"',
  '{"id":7,"name":"n',
  '{"id":7,"name":"n"}}',
  '{"id":7,"name":"n"} x',
  '{"id":7,"name":"n"}{"id":7,"name":"n"}',
  '{"id":7,"name":"n"}\u0000',
  '\u00a0{"id":7,"name":"n"}',
  '{"id":7,"name":"n",}',
  '{,"id":7,"name":"n"}',
  '{"id":7 "name":"n"}',
  "{'id':7,'name':'n'}",
  '{id:7,name:"n"}',
  '{"id":7,"name":"n"/* comment */}',
  '// comment\n{"id":7,"name":"n"}',
  '{"id":7,"name":"line\nbreak"}',
  '{"id":7,"name":"tab\t"}',
  '{"id":7,"name":"\u0000"}',
  '{"id":7,"name":"\\x41"}',
  '{"id":7,"name":"\\u00g0"}',
  '{"id":7,"name":"\\ud83"}',
  ...[
    '007',
    '+7',
    '.7',
    '7.',
    '7e',
    '0x7',
    '7n',
    '1_000',
    '- 7',
    '--7',
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'True',
  ].map((id) => `{"id":${id},"name":"n"}`),
  'id=7&name=n',
  '<plant id="7"/>',
  'undefined',
];

/** JSON texts that are not objects. */
export const notObjects: readonly string[] = [
  '[]',
  '[{"id":7,"name":"n"}]',
  '"x"',
  '"{\\"id\\":7,\\"name\\":\\"n\\"}"',
  '7',
  '-0',
  '1e400',
  'true',
  'false',
  'null',
  ' null ',
];

/** Changes that make the bytes of a JSON text invalid UTF-8, or add a byte order mark. */
export const notUtf8: readonly (readonly [what: string, encode: (json: string) => Uint8Array])[] = [
  withinTheName('a character of two bytes without its second', [0xc3]),
  withinTheName('a character of four bytes without its last', [0xf0, 0x9f, 0x8c]),
  withinTheName('a byte that continues no character', [0x80]),
  withinTheName('another byte that continues no character', [0xbf, 0x41]),
  withinTheName('a byte that UTF-8 does not have', [0xff]),
  withinTheName('an overlong U+0000', [0xc0, 0x80]),
  withinTheName('an overlong A', [0xc1, 0x81]),
  withinTheName('a slash in three bytes', [0xe0, 0x80, 0xaf]),
  withinTheName('a slash in four bytes', [0xf0, 0x80, 0x80, 0xaf]),
  withinTheName('a surrogate', [0xed, 0xa0, 0x80]),
  withinTheName('a surrogate pair, as CESU-8 has it', [0xed, 0xa0, 0xbc, 0xed, 0xbc, 0xb1]),
  withinTheName('a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]),
  withinTheName('a character of five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]),
  withinTheName('Latin-1', [0x46, 0xfc, 0x72]),
  ['a byte order mark before the text', (json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json)])],
  ['UTF-16', (json) => Buffer.from(json, 'utf16le')],
  ['UTF-16 with a byte order mark', (json) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, 'utf16le')])],
];

function withinTheName(what: string, bytes: readonly number[]): (typeof notUtf8)[number] {
  const hex = bytes.map((byte) => byte.toString(16).toUpperCase()).join(' ');
  return [
    `a name with the bytes ${hex}, ${what}`,
    (json) => {
      const text = Buffer.from(json);
      const at = text.indexOf('"name":"') + '"name":"'.length;
      return Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at)]);
    },
  ];
}
