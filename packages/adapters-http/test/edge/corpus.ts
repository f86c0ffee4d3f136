import { token } from './edge-server.ts';

/** Seed inputs, one character per byte (Latin-1): valid requests, odd ones, and some that have found a defect. */
export const corpus: readonly (readonly [what: string, bytes: string])[] = [
  ['a plant', post('{"id":1,"name":"Fern"}')],
  ['a plant with a tag', post('{"id":2,"name":"Fern","tag":"shade"}')],
  ['text outside of ASCII', post(utf8('{"id":3,"name":"Farn 🌱","tag":"\\u00fc\\ud83c\\udf31"}'))],
  ['the largest id', post('{"id":9223372036854775807,"name":"n"}')],
  ['an id in scientific notation', post('{"id":-90071992547409930e-1,"name":"n"}')],
  ['an id that is not an int64', post('{"id":9223372036854775808,"name":"n"}')],
  ['a surrogate without its partner', post('{"id":4,"name":"\\ud800"}')],
  ['a NUL', post('{"id":5,"name":"\\u0000"}')],
  ['__proto__', post('{"__proto__":{"id":6},"name":"n","constructor":1}')],
  ['a member twice', post('{"id":7.5,"id":8,"name":"a","name":"b"}')],
  ['bytes that are not UTF-8', post('{"id":9,"name":"\xc0\x80"}')],
  ['a byte order mark', post('\xef\xbb\xbf{"id":10,"name":"n"}')],
  ['an empty body', post('')],
  ['nested brackets', post('['.repeat(300))],
  [
    'chunks',
    post('5\r\n{"id"\r\nb;a="b"\r\n:11,"name":\r\n4\r\n"n"}\r\n0\r\nX-Y: z\r\n\r\n', {
      length: 0,
      more: ['Transfer-Encoding: chunked'],
    }),
  ],
  ['a wrong token', post('{"id":12,"name":"n"}', { authorization: 'Authorization: Bearer wrong' })],
  ['a wrong token and half a body', post('{"id":13', { authorization: 'Authorization: Basic eDp5', length: 200 })],
  ['a rejection while the body arrives', post('{"id":45,"name":"n"}', { more: ['Content-Encoding: br'], length: 200 })],
  ['HEAD without a version', 'HEAD /HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['two Authorization headers', post('{"id":14,"name":"n"}', { more: [`Authorization: Bearer ${token}`] })],
  ['two Host headers', post('{"id":15,"name":"n"}', { more: ['Host: y'] })],
  ['another media type', post('{"id":16,"name":"n"}', { type: 'Content-Type: text/plain; charset=utf-16' })],
  ['a charset', post('{"id":17,"name":"n"}', { type: 'content-type: Application/JSON ; ; charset="UTF-8" ' })],
  ['an encoding', post('{"id":18,"name":"n"}', { more: ['Content-Encoding: gzip'] })],
  ['an expectation', post('{"id":19,"name":"n"}', { more: ['Expect: 100-continue'] })],
  [
    'an expectation in HTTP/1.0',
    post('{"id":20,"name":"n"}', { line: 'POST /plants HTTP/1.0', more: ['Expect: 100-continue'] }),
  ],
  ['an unknown expectation', post('{"id":21,"name":"n"}', { more: ['Expect: 200-ok'] })],
  ['both lengths', post('5\r\n{"id"\r\n0\r\n\r\n', { more: ['Transfer-Encoding: chunked'] })],
  ['two lengths', post('{"id":22,"name":"n"}', { more: ['Content-Length: 5'] })],
  ['a body that is longer than declared', post('{"id":23,"name":"n"}', { length: 10 })],
  ['the last request', post('{"id":24,"name":"n"}', { more: ['Connection: close'] })],
  ['HTTP/1.0', post('{"id":25,"name":"n"}', { line: 'POST /plants HTTP/1.0' })],
  [
    'HTTP/1.0 with keep-alive',
    post('{"id":26,"name":"n"}', { line: 'POST /plants HTTP/1.0', more: ['Connection: keep-alive'] }),
  ],
  ['an Upgrade', post('{"id":27,"name":"n"}', { more: ['Connection: Upgrade', 'Upgrade: h2c'] })],
  [
    'a plant after an Upgrade',
    post('{"id":43,"name":"n"}', { more: ['Connection: Upgrade', 'Upgrade: h2c'] }) + post('{"id":44,"name":"n"}'),
  ],
  ['an Upgrade that is cut off', post('{"id":47', { more: ['Connection: Upgrade', 'Upgrade: h2c'], length: 200 })],
  [
    'a malformed trailer after an Upgrade',
    post('14\r\n{"id":48,"name":"n"}\r\n0\r\nno colon\r\n\r\n', {
      length: 0,
      more: ['Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked'],
    }),
  ],
  ['absolute-form', post('{"id":28,"name":"n"}', { line: 'POST http://example.org/plants?x HTTP/1.1' })],
  ['a path in escapes', post('{"id":29,"name":"n"}', { line: 'POST /%70lant%73?%zz HTTP/1.1' })],
  ['a bad escape', post('{"id":30,"name":"n"}', { line: 'POST /plants% HTTP/1.1' })],
  ['a fragment', post('{"id":31,"name":"n"}', { line: 'POST /plants#x HTTP/1.1' })],
  ['another path', post('{"id":32,"name":"n"}', { line: 'POST /plants/ HTTP/1.1' })],
  ['a pattern for a path', post('{"id":46,"name":"n"}', { line: 'POST /*a HTTP/1.1' })],
  ['another method', post('{"id":33,"name":"n"}', { line: 'DELETE /plants HTTP/1.1' })],
  ['the description', 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['HEAD', 'HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
  ['CONNECT after a plant', `${post('{"id":34,"name":"n"}')}CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n`],
  ['a method of RTSP', 'PLAY /plants RTSP/1.0\r\nHost: x\r\nCSeq: 1\r\n\r\n'],
  ['a method of RTSP after a plant', `${post('{"id":35,"name":"n"}')}SETUP /plants RTSP/1.0\r\nHost: x\r\n\r\n`],
  ['a method of RTSP with half a body', 'PLAY /plants RTSP/1.0\r\nHost: x\r\nContent-Length: 10\r\n\r\nab'],
  [
    'a method of RTSP with half a body after a plant',
    `${post('{"id":47,"name":"n"}')}PLAY /plants RTSP/1.0\r\nHost: x\r\nContent-Length: 10\r\n\r\nab`,
  ],
  ['a line of an internet radio', post('{"id":36,"name":"n"}', { line: 'SOURCE /plants ICE/1.0' })],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a folded header', post('{"id":37,"name":"n"}', { more: ['X-A: b\r\n c'] })],
  ['bare line feeds', post('{"id":38,"name":"n"}').replaceAll('\r\n', '\n')],
  ['empty lines', `\r\n\n${post('{"id":39,"name":"n"}')}\r\n\r\n`],
  ['an invalid host', post('{"id":40,"name":"n"}', { host: 'Host: a b' })],
  [
    'many separators in a media type',
    post('{"id":41,"name":"n"}', { type: `Content-Type: application/json${'; '.repeat(40)}x` }),
  ],
  ['garbage after a plant', `${post('{"id":42,"name":"n"}')}garbage`],
];

interface Parts {
  readonly line?: string;
  readonly host?: string;
  readonly authorization?: string;
  readonly type?: string;
  /** What Content-Length says; 0 leaves it out. */
  readonly length?: number;
  readonly more?: readonly string[];
}

function post(body: string, parts: Parts = {}): string {
  const { line = 'POST /plants HTTP/1.1', host = 'Host: x', type = 'Content-Type: application/json' } = parts;
  const { authorization = `Authorization: Bearer ${token}`, length = body.length, more = [] } = parts;
  const framing = length === 0 ? [] : [`Content-Length: ${length}`];
  return `${[line, host, authorization, type, ...framing, ...more].join('\r\n')}\r\n\r\n${body}`;
}

function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}
