import type { Clause } from '@plant-store/contracts-kit';
import { DEFAULT_BODY_LIMIT, type DeployedService, getBodyLimit, maxPadding } from '../deployed-service.ts';
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
import * as change from '../mutation.ts';
import { aPlant, toJson } from '../new-plants.ts';

/** The body of a request: JSON in UTF-8, its size, its media type and its content coding. */
export const bodyClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-14',
    shows: 'P4/F7',
    title: 'a body that is absent, not JSON, not valid UTF-8, or begins with a byte order mark is rejected',
    check: async (service) => {
      await forEachCase(invalidJson, async (body) => expectError(await create(service, body), 'malformed-json'));
      await expectOutcomes(service, 'a body that is not UTF-8', invalidUtf8, 'malformed-json');
      const absent = { headers: { 'Content-Length': undefined }, body: '' };
      await expectOutcome(service, 'a request without a body', absent, 'malformed-json');
    },
    mutants: {
      'treats an absent body as an empty object': change.text((text) => text || '{}'),
      'tolerates a comma after the last member': change.text((text) => text.replace(/,\s*\}$/, '}')),
      'sends a stack trace': change.record('malformed-json', ({ message }) => ({ message: Error(message).stack })),
      'drops a byte order mark': {
        bytes: (bytes) => (bytes.indexOf('\ufeff') === 0 ? bytes.subarray(3) : bytes),
      },
      'puts U+FFFD for bytes that are not UTF-8': { bytes: (bytes) => bytes.toString() },
    },
  },
  {
    id: 'HC-15',
    shows: 'P4/F7 P6/F7',
    title: 'brackets nested as deeply as the body limit allows get a response',
    check: async (service) => {
      const depth = Math.floor(maxPadding(service) / 2);
      const plant = aPlant();
      const brackets = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const deep = await create(service, `${toJson(plant).slice(0, -1)},"x":${brackets}}`);
      // A parser may limit the depth of nesting (RFC 8259 section 9).
      if (deep.status === 200) expectPlant(deep, plant);
      else if (!isError(deep, ['malformed-json', 'not-a-new-plant']))
        fail(deep, 'the plant is created, or rejected as too deep with 400 and the error 40001 or 40002');
      await expectCreated(service, plant, deep, 'the plant without the brackets');
    },
    mutants: {
      'walks through the body by recursion, and overflows the stack': change.text((text) => {
        if (text.endsWith('}')) JSON.parse(text, (_, value) => value);
        return text;
      }),
    },
  },
  {
    id: 'HC-16',
    shows: 'P4/F7 P6/F7',
    title:
      'a body as large as the limit, 64 KiB by default, is accepted; a larger one is rejected in either framing, and before it is sent if its length is declared',
    check: async (service) => {
      const limit = getBodyLimit(service);
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
    mutants: {
      'accepts a byte less than 64 KiB': { options: { bodyLimit: DEFAULT_BODY_LIMIT - 1 } },
      'accepts a byte more than 64 KiB': { options: { bodyLimit: DEFAULT_BODY_LIMIT + 1 } },
      'trusts Content-Length and counts nothing': {
        options: { bodyLimit: 2 ** 40 },
        // Only the first of these limits is left.
        ...change.header('content-length', (size) => (Number(size) > DEFAULT_BODY_LIMIT ? String(2 ** 50) : size)),
      },
      'ignores Content-Length': change.header('content-length', (size) =>
        Number(size) > DEFAULT_BODY_LIMIT ? undefined : size,
      ),
    },
  },
  {
    id: 'HC-17',
    shows: 'P4',
    title:
      'application/json is accepted in any case, with charset=utf-8 or utf8, quoted or not, and other parameters, and Content-Encoding: identity',
    check: (service) => expectOutcomes(service, 'a media type', supported),
    mutants: {
      'recognizes media types in lower case only': change.inHeader('content-type', /^(?!application.json).*/, 'x'),
      'rejects parameters': change.inHeader('content-type', /^a\w+(?=.*;(?! *charset=))/i, 'x'),
      'rejects identity too': change.inHeader('content-encoding', 'identity', 'none'),
    },
  },
  {
    id: 'HC-18',
    shows: 'P4/F7',
    title: 'any other media type, charset or Content-Encoding is rejected, and so is a body without a media type',
    check: async (service) => {
      await expectOutcomes(service, 'another media type or coding', unsupported, 'unsupported-media-type');
      const kinds = ['unsupported-media-type', 'malformed-http'] as const;
      await expectOutcome(service, 'two media types', { lines: ['Content-Type: text/plain'] }, kinds);
    },
    mutants: {
      'treats a missing media type as JSON': change.header('content-type', (type) => type ?? 'application/json'),
      'ignores what follows json': change.inHeader('content-type', /(?<=^.*json).*/, ''),
      'ignores Content-Encoding': change.header('content-encoding', () => undefined),
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
