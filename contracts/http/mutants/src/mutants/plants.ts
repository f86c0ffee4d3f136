import { setImmediate } from 'node:timers/promises';
import { type ErrorKind, errorCatalogue, HttpError } from '@plant-store/adapters-http';
import { textFields } from '@plant-store/domain';
import * as change from '../changes.ts';
import type { Mutants, Mutation } from '../mutation.ts';

const LIMIT = 2 ** 16;
const tooLarge = errorCatalogue.find(({ name }) => name === 'body-too-large') as ErrorKind;

/** Mutants of HC-1 to HC-18: records, texts, ids, creating, and bodies. */
export const plants: Mutants = {
  'HC-1 returns 201': change.created((plant) => plant, 201),
  'HC-1 returns an id': change.created((plant) => ({ id: 7, ...plant })),
  'HC-2 returns an absent tag as null': change.created((plant) => ({ tag: null, ...plant })),
  'HC-2 drops an empty tag': change.plant(({ tag, ...plant }) => (tag ? { ...plant, tag } : plant)),
  'HC-2 stores an absent text as an empty one': comparingTexts((text = '') => text),
  'HC-3 expects a brace as the first byte': change.text((text) => (/^\s+\S/.test(text) ? `!${text}` : text)),
  'HC-3 accepts the members in the order of the description only': change.members((members) => {
    const order = Object.keys(members).filter((name) => fields.includes(name));
    return order.join() === fields.filter((name) => order.includes(name)).join() ? members : undefined;
  }),
  'HC-3 takes the first of two ids': change.text((text) => text.replace(/("id":-?\d+)(.*)"id":-?\d+/, '$1$2$1')),
  'HC-3 looks for "id" in the text, and rounds an id whose name has an escape': change.text((text) =>
    /"id"/.test(text) ? text : text.replace(/-?\d{16,}/, rounded),
  ),
  'HC-3 treats a "tag" as one wherever it is': change.text((text) =>
    text.replace(/^(\{.*?"tag":("[^"]*"|\d+).*)\}/, '$1,"tag":$2}'),
  ),
  'HC-3 keeps the backslash of \\/': change.text((text) => text.replaceAll('a\\/', 'a\\\\/')),
  'HC-3 replaces each escaped surrogate, paired or not': change.text((text) =>
    text.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\\ufffd'),
  ),
  'HC-4 rejects members that NewPlant does not have': change.members((members) =>
    Object.keys(members).every((name) => fields.includes(name)) ? members : undefined,
  ),
  'HC-4 copies members one by one, so that __proto__ sets the prototype': change.members((members) => {
    const copy: change.Members = {};
    for (const name of Object.keys(members)) copy[name] = members[name];
    return copy;
  }),
  'HC-4 merges constructor.prototype into the record, as a deep merge does': change.members((members) => {
    const { prototype } = Object(members['constructor']);
    return { ...prototype, ...members };
  }),
  'HC-5 trims names and tags': change.plant((plant) => mapTexts(plant, (text) => text.trim())),
  'HC-5 cuts names at 255 characters': change.plant((plant) => mapTexts(plant, (text) => text.slice(0, 255))),
  'HC-5 compares the first 32 KiB of texts': comparingTexts((text) => text?.slice(0, 2 ** 15)),
  'HC-6 compares without case': comparingTexts((text) => text?.toLowerCase()),
  'HC-6 compares without trailing spaces, as SQL does for CHAR': comparingTexts((text) => text?.replace(/ +$/, '')),
  'HC-7 drops U+0000': change.members((members) => mapTexts(members, (text) => text.replaceAll('\u0000', ''))),
  'HC-7 puts U+FFFD for lone surrogates': change.members((members) => mapTexts(members, (text) => text.toWellFormed())),
  'HC-7 names one field only': change.record('not-a-new-plant', ({ message }) => ({ message: message.split(';')[0] })),
  'HC-7 treats a null tag as absent': change.members(({ tag, ...rest }) => (tag === null ? rest : { ...rest, tag })),
  'HC-7 sends errors as problem+json': change.errorHeaders('any', { 'content-type': 'application/problem+json' }),
  'HC-7 adds the status to the Error record': change.record('any', () => ({ statusCode: 400 })),
  'HC-7 stores what it rejects': {
    server: (app, createPlant) =>
      app.addHook('onError', async ({ body }) => {
        const { id } = Object(body);
        if (typeof id === 'bigint') await createPlant({ id, name: 'rejected' });
      }),
  },
  'HC-7 treats the only element of an array as the record': change.body((body) =>
    Array.isArray(body) && body[0]?.id ? { ...body[0], id: BigInt(body[0].id) } : body,
  ),
  'HC-8 compares the plants by reference': change.comparison((a, b) => a === b),
  'HC-9 compares the name only': change.comparison((a, b) => a.name === b.name),
  'HC-9 rejects another plant, but overwrites the stored one': change.repository(async (rows, id, plant) => {
    const stored = rows.get(id);
    rows.set(id, plant);
    return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
  }),
  'HC-10 looks up, then writes, and lets another write in between': change.repository(async (rows, id, plant) => {
    const stored = rows.get(id);
    if (stored) return { outcome: 'exists', plant: stored };
    await setImmediate();
    rows.set(id, plant);
    return { outcome: 'added' };
  }),
  'HC-10 returns id-taken to the loser of a race without comparing the plants': {
    createPlant: (create) => {
      const racing = new Set<bigint>();
      return async (plant) => {
        if (racing.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
        racing.add(plant.id);
        await setImmediate();
        return create(plant).finally(() => racing.delete(plant.id));
      };
    },
  },
  'HC-11 rounds the id to a double': change.plant(({ id, ...plant }) => ({ ...plant, id: BigInt(Number(id)) })),
  'HC-11 rejects 0 as if it were absent': change.members((members) => members['id'] !== 0n && members),
  'HC-12 accepts only digits as an integer': change.idLiteral((id) => (/^-?\d+$/.test(id) ? id : '"not plain"')),
  'HC-12 rounds an id with an exponent to a double': roundingIds(/.*e.*/i),
  'HC-12 rounds an id of more than a hundred characters to a double': roundingIds(/.{101,}/),
  'HC-13 uses Number.isInteger, for which a tiny fraction is lost': roundingIds(/.*\..*/),
  'HC-13 wraps an id beyond int64 around': change.members(({ id, ...plant }) => ({
    ...plant,
    id: typeof id === 'bigint' ? BigInt.asIntN(64, id) : id,
  })),
  'HC-13 accepts digits in quotes': change.text((text) => text.replace(/"id":"(\d+)"/, '"id":$1')),
  'HC-13 makes up an id if there is none': change.members((members) => ({ id: 7n, ...members })),
  'HC-13 reads the first thousand characters of a number': change.idLiteral((id) =>
    id.length > 1_000 ? rounded(id.slice(0, 1_000)) : id,
  ),
  'HC-14 treats an absent body as an empty object': change.text((text) => text || '{}'),
  'HC-14 tolerates a comma after the last member': change.text((text) => text.replace(/,\s*\}$/, '}')),
  'HC-14 sends a stack trace': change.record('malformed-json', ({ message }) => ({ message: Error(message).stack })),
  'HC-14 drops a byte order mark': change.bytes((bytes) => (bytes.indexOf('\ufeff') === 0 ? bytes.subarray(3) : bytes)),
  'HC-14 puts U+FFFD for bytes that are not UTF-8': change.bytes((bytes) => bytes.toString()),
  'HC-15 walks through the body by recursion, and overflows the stack': change.text((text) => {
    if (text.endsWith('}')) JSON.parse(text, (_, value) => value);
    return text;
  }),
  'HC-16 accepts a byte less than 64 KiB': { options: { bodyLimit: LIMIT - 1 } },
  'HC-16 accepts a byte more than 64 KiB': { options: { bodyLimit: LIMIT + 1 } },
  'HC-16 trusts Content-Length and counts nothing': {
    options: { bodyLimit: 2 ** 40 },
    server: (app) =>
      app.addHook('preParsing', async ({ headers }) => {
        if (Number(headers['content-length']) > LIMIT) throw new HttpError(tooLarge);
      }),
  },
  'HC-16 ignores Content-Length': change.header('content-length', (size) => (Number(size) > LIMIT ? undefined : size)),
  'HC-17 recognizes media types in lower case only': change.inHeader('content-type', /^(?!application.json).*/, 'x'),
  'HC-17 rejects parameters': change.inHeader('content-type', /^a\w+(?=.*;(?! *charset=))/i, 'x'),
  'HC-17 rejects identity too': change.inHeader('content-encoding', 'identity', 'none'),
  'HC-18 treats a missing media type as JSON': change.header('content-type', (type) => type ?? 'application/json'),
  'HC-18 ignores what follows json': change.inHeader('content-type', /(?<=^.*json).*/, ''),
  'HC-18 ignores Content-Encoding': change.header('content-encoding', () => undefined),
};

/** The members of NewPlant, in the order of the description. */
const fields: readonly string[] = ['id', ...textFields];

/** The part of an id's literal that matches is read as a double. */
function roundingIds(part: RegExp): Mutation {
  return change.idLiteral((id) => id.replace(part, rounded));
}

/** A number as JavaScript reads it, an integer with all of its digits. */
function rounded(literal: string): string {
  const value = Number(literal);
  return Number.isInteger(value) ? String(BigInt(value)) : literal;
}

/** The object with its texts changed. */
function mapTexts<T extends object>(object: T, rewrite: (text: string) => string): T {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    typeof value === 'string' ? rewrite(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** Compares plants by rewritten texts. */
function comparingTexts(rewrite: (text: string | undefined) => string | undefined): Mutation {
  return change.comparison((a, b) => textFields.every((field) => rewrite(a[field]) === rewrite(b[field])));
}
