import type { Clause } from '@plant-store/contracts-kit';
import { bodyLimitOf, type DeployedService, roomIn } from '../deployed-service.ts';
import { expectVerdict, expectVerdicts } from '../expectations/exchange.ts';
import {
  create,
  expectCreated,
  expectError,
  expectPlant,
  fail,
  forEachCase,
  isError,
} from '../expectations/expectations.ts';
import { chunked, chunks, firstResponse, type RawRequest } from '../http/raw-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** What a body is: its bytes, how large it may be, and what it is declared to be. */
export const bodyClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-14',
    title: 'a body that is absent, not JSON, not valid UTF-8, or begins with a byte order mark is refused',
    check: async (service) => {
      await forEachCase(notJson, async (body) => expectError(await create(service, body), 'malformed-json'));
      await expectVerdicts(service, 'a body that is not UTF-8', notUtf8, 'malformed-json');
      const absent = { headers: { 'Content-Length': undefined }, body: '' };
      await expectVerdict(service, 'a request without a body', absent, 'malformed-json');
    },
  },
  {
    id: 'HC-15',
    title: 'brackets nested as deep as a body can be get the same response as any other body, and at once',
    check: async (service) => {
      const depth = Math.floor(roomIn(service) / 2);
      const plant = aPlant();
      const brackets = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const deep = await create(service, `${jsonOf(plant).slice(0, -1)},"x":${brackets}}`);
      // A parser may set a limit on the depth of nesting (RFC 8259 section 9).
      if (deep.status === 200) expectPlant(deep, plant);
      else if (!isError(deep, ['malformed-json', 'not-a-new-plant']))
        fail(deep, 'the plant is created, or refused as too deep with 400 and the error 40001 or 40002');
      await expectCreated(service, plant, deep, 'the plant without the brackets');
    },
  },
  {
    id: 'HC-16',
    title:
      'a body as large as the limit, 64 KiB by default, is accepted; a larger one is refused, however framed, and before it is sent if it is declared',
    check: async (service) => {
      const limit = bodyLimitOf(service);
      await forEachCase([limit + 1, 10 ** 12, Number.MAX_SAFE_INTEGER], async (length) => {
        const head = { headers: { 'Content-Length': String(length) }, body: '' };
        const what = `a Content-Length of ${length} and nothing of the body`;
        expectError(await firstResponse(service, what, head), 'body-too-large');
      });
      const frames: readonly [RawRequest['headers'], (json: string) => string][] = [
        [{}, (json) => json],
        [chunked, (json) => chunks(...(json.match(/.{1,65536}/gs) ?? []))],
      ];
      for (const [headers = {}, frame] of frames) {
        // White space does not change the meaning of a JSON text, and is not stored.
        const ofLength = (length: number) => ({ headers, body: (json: string) => frame(json.padEnd(length)) });
        await expectVerdict(service, `a body of ${limit} bytes, the limit,`, ofLength(limit));
        const larger = `a body of ${limit + 1} bytes, over the limit,`;
        await expectVerdict(service, larger, ofLength(limit + 1), 'body-too-large');
      }
    },
  },
  {
    id: 'HC-17',
    title:
      'application/json is accepted in any case, with charset=utf-8 or utf8, quoted or not, and other parameters, and Content-Encoding: identity',
    check: (service) => expectVerdicts(service, 'a media type', accepted),
  },
  {
    id: 'HC-18',
    title: 'any other media type, charset or Content-Encoding is refused, and so is a body without a media type',
    check: async (service) => {
      await expectVerdicts(service, 'another media type or coding', refused, 'unsupported-media-type');
      const kinds = ['unsupported-media-type', 'malformed-http'] as const;
      await expectVerdict(service, 'two media types', { lines: ['Content-Type: text/plain'] }, kinds);
    },
  },
];

/** Texts that are not JSON (RFC 8259), as clients have sent them. */
const notJson: readonly string[] = [
  '',
  '{"id":7,"name":"n"} x',
  '{"id":7,"name":"n",}',
  "{'id':7,'name':'n'}",
  '{"id":7,"name":"n"/* comment */}',
  '{"id":7,"name":"line\nbreak"}',
  '{"id":007,"name":"n"}',
  '{"id":NaN,"name":"n"}',
  'id=7&name=n',
];

/** Bodies that are not valid UTF-8, or begin with a byte order mark. */
const notUtf8: readonly RawRequest[] = [
  { what: 'a character of two bytes without its second', body: withinTheName(0xc3) },
  { what: 'an overlong U+0000', body: withinTheName(0xc0, 0x80) },
  { what: 'Latin-1', body: withinTheName(0x46, 0xfc, 0x72) },
  { what: 'a byte order mark before the text', body: (json) => `\ufeff${json}` },
  { what: 'UTF-16 with a byte order mark', body: (json) => Buffer.from(`\ufeff${json}`, 'utf16le') },
];

function withinTheName(...bytes: readonly number[]): (json: string) => Buffer {
  return (json) =>
    Buffer.from(
      json.replace('"name":"', (name) => name + String.fromCharCode(...bytes)),
      'latin1',
    );
}

const accepted: readonly RawRequest[] = [
  'APPLICATION/Json',
  'APPLICATION/JSON; CHARSET="UTF-8"',
  'application/json;charset=utf8',
  'application/json;odata.metadata=minimal',
  'application/json; version=1; charset="utf8"; odata.metadata=minimal',
].map((type) => ({ headers: { 'Content-Type': type, 'Content-Encoding': 'identity' } }));

const refused: readonly RawRequest[] = [
  ...[
    undefined,
    'text/plain',
    'application/jsonx',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8x',
    'application/json; version=1; charset="utf-16"',
  ].map((type) => ({ 'Content-Type': type })),
  ...['gzip', 'GZIP', 'br', 'identity, gzip', 'x-unknown'].map((coding) => ({ 'Content-Encoding': coding })),
].map((headers) => ({ headers }));
