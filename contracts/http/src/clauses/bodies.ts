import type { Clause } from '@plant-store/contracts-kit';
import { bodyLimitOf, type DeployedService, maxPadding } from '../deployed-service.ts';
import { expectOutcome, expectOutcomes } from '../expectations/exchange.ts';
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

/** The body of a request: JSON in UTF-8, its size, its media type and its content coding. */
export const bodyClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-14',
    title: 'a body that is absent, not JSON, not valid UTF-8, or begins with a byte order mark is rejected',
    check: async (service) => {
      await forEachCase(invalidJson, async (body) => expectError(await create(service, body), 'malformed-json'));
      await expectOutcomes(service, 'a body that is not UTF-8', invalidUtf8, 'malformed-json');
      const absent = { headers: { 'Content-Length': undefined }, body: '' };
      await expectOutcome(service, 'a request without a body', absent, 'malformed-json');
    },
  },
  {
    id: 'HC-15',
    title: 'brackets nested as deeply as the body limit allows get a response as soon as any other body',
    check: async (service) => {
      const depth = Math.floor(maxPadding(service) / 2);
      const plant = aPlant();
      const brackets = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const deep = await create(service, `${jsonOf(plant).slice(0, -1)},"x":${brackets}}`);
      // A parser may limit the depth of nesting (RFC 8259 section 9).
      if (deep.status === 200) expectPlant(deep, plant);
      else if (!isError(deep, ['malformed-json', 'not-a-new-plant']))
        fail(deep, 'the plant is created, or rejected as too deep with 400 and the error 40001 or 40002');
      await expectCreated(service, plant, deep, 'the plant without the brackets');
    },
  },
  {
    id: 'HC-16',
    title:
      'a body as large as the limit, 64 KiB by default, is accepted; a larger one is rejected in either framing, and before it is sent if its length is declared',
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
        // Trailing white space makes the body longer, but is not stored.
        const ofLength = (length: number) => ({ headers, body: (json: string) => frame(json.padEnd(length)) });
        await expectOutcome(service, `a body of ${limit} bytes, the limit,`, ofLength(limit));
        const larger = `a body of ${limit + 1} bytes, over the limit,`;
        await expectOutcome(service, larger, ofLength(limit + 1), 'body-too-large');
      }
    },
  },
  {
    id: 'HC-17',
    title:
      'application/json is accepted in any case, with charset=utf-8 or utf8, quoted or not, and other parameters, and Content-Encoding: identity',
    check: (service) => expectOutcomes(service, 'a media type', supported),
  },
  {
    id: 'HC-18',
    title: 'any other media type, charset or Content-Encoding is rejected, and so is a body without a media type',
    check: async (service) => {
      await expectOutcomes(service, 'another media type or coding', unsupported, 'unsupported-media-type');
      const kinds = ['unsupported-media-type', 'malformed-http'] as const;
      await expectOutcome(service, 'two media types', { lines: ['Content-Type: text/plain'] }, kinds);
    },
  },
];

/** Texts that are not JSON (RFC 8259), of the kinds that clients send. */
const invalidJson: readonly string[] = [
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
const invalidUtf8: readonly RawRequest[] = [
  { what: 'a character of two bytes without its second', body: withBytesInName(0xc3) },
  { what: 'an overlong U+0000', body: withBytesInName(0xc0, 0x80) },
  { what: 'Latin-1', body: withBytesInName(0x46, 0xfc, 0x72) },
  { what: 'a byte order mark before the text', body: (json) => `\ufeff${json}` },
  { what: 'UTF-16 with a byte order mark', body: (json) => Buffer.from(`\ufeff${json}`, 'utf16le') },
];

function withBytesInName(...bytes: readonly number[]): (json: string) => Buffer {
  return (json) =>
    Buffer.from(
      json.replace('"name":"', (name) => name + String.fromCharCode(...bytes)),
      'latin1',
    );
}

/** Media types and a content coding that are accepted. */
const supported: readonly RawRequest[] = [
  'APPLICATION/Json',
  'APPLICATION/JSON; CHARSET="UTF-8"',
  'application/json;charset=utf8',
  'application/json;odata.metadata=minimal',
  'application/json; version=1; charset="utf8"; odata.metadata=minimal',
].map((type) => ({ headers: { 'Content-Type': type, 'Content-Encoding': 'identity' } }));

/** Media types and content codings that are rejected. */
const unsupported: readonly RawRequest[] = [
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
