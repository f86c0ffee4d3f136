/** Texts that RFC 8259 does not know. */
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

/** What makes bytes that are not UTF-8, or not without a byte order mark, of a JSON text. */
export const notUtf8: readonly ((json: string) => Uint8Array)[] = [
  // Cut off, out of place, overlong, a surrogate, beyond U+10FFFF, Latin-1.
  ...[
    [0xc3],
    [0xf0, 0x9f, 0x8c],
    [0x80],
    [0xbf, 0x41],
    [0xff],
    [0xc0, 0x80],
    [0xc1, 0x81],
    [0xe0, 0x80, 0xaf],
    [0xf0, 0x80, 0x80, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xed, 0xa0, 0xbc, 0xed, 0xbc, 0xb1],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0x46, 0xfc, 0x72],
  ].map((bytes) => withinTheName(bytes)),
  (json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json)]),
  (json) => Buffer.from(json, 'utf16le'),
  (json) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, 'utf16le')]),
];

function withinTheName(bytes: readonly number[]): (json: string) => Uint8Array {
  return (json) => {
    const text = Buffer.from(json);
    const at = text.indexOf('"name":"') + '"name":"'.length;
    return Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at)]);
  };
}
