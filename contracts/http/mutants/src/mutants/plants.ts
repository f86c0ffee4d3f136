import { setImmediate } from 'node:timers/promises';
import { HttpError } from '@plant-store/adapters-http';
import { textFields } from '@plant-store/domain';
import * as change from '../changes.ts';
import type { Mutants, Mutation } from '../mutation.ts';

const LIMIT = 2 ** 16;

/** Break HC-1 to HC-18: records, ids, texts, creating, and bodies. */
export const plants: Mutants = {
  'HC-1': {
    'returns 201 for 200': change.created((plant) => plant, 201),
    'has an id in the 200': change.created((plant) => ({ id: 7, ...plant })),
  },
  'HC-2': {
    'returns an absent tag as null': change.created((plant) => ({ tag: null, ...plant })),
    'drops an empty tag': change.plant(({ tag, ...plant }) => (tag ? { ...plant, tag } : plant)),
    'stores an absent text as an empty one': comparingTexts((text = '') => text),
  },
  'HC-3': {
    'looks for the opening brace in the first byte': change.text((text) => (/^\s+\S/.test(text) ? `!${text}` : text)),
    'takes the members in the order of the description only': change.members((members) => {
      const order = Object.keys(members).filter((name) => fields.includes(name));
      return order.join() === fields.filter((name) => order.includes(name)).join() ? members : undefined;
    }),
    'takes the first of two ids': change.text((text) => text.replace(/("id":-?\d+)(.*)"id":-?\d+/, '$1$2$1')),
    'looks for "id" in the text, and rounds an id whose name has an escape': change.text((text) =>
      /"id"/.test(text) ? text : text.replace(/-?\d{16,}/, rounded),
    ),
    'treats a "tag" as one wherever it is': change.text((text) =>
      text.replace(/^(\{.*?"tag":("[^"]*"|\d+).*)\}/, '$1,"tag":$2}'),
    ),
    'keeps the backslash of \\/': change.text((text) => text.replaceAll('a\\/', 'a\\\\/')),
    'treats each escape as a character of its own, so that surrogates lose their partners': change.text((text) =>
      text.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\\ufffd'),
    ),
  },
  'HC-4': {
    'refuses members that NewPlant does not have': change.members((members) =>
      Object.keys(members).every((name) => fields.includes(name)) ? members : undefined,
    ),
    'copies members one by one, so that __proto__ sets the prototype': change.members((members) => {
      const copy: change.Members = {};
      for (const name of Object.keys(members)) copy[name] = members[name];
      return copy;
    }),
    'merges constructor.prototype into the record, as a deep merge does': change.members((members) => {
      const { prototype } = Object(members['constructor']);
      return { ...prototype, ...members };
    }),
  },
  'HC-5': {
    'trims names and tags': change.plant((plant) => mapTexts(plant, (text) => text.trim())),
    'cuts names at 255 characters': change.plant((plant) => mapTexts(plant, (text) => text.slice(0, 255))),
    'compares texts to their first 32 KiB': comparingTexts((text) => text?.slice(0, 2 ** 15)),
  },
  'HC-6': {
    'compares without case': comparingTexts((text) => text?.toLowerCase()),
    'compares without the spaces at the end, as SQL does for CHAR': comparingTexts((text) => text?.replace(/ +$/, '')),
  },
  'HC-7': {
    'drops U+0000': change.members((members) => mapTexts(members, (text) => text.replaceAll('\u0000', ''))),
    'puts U+FFFD for unpaired surrogates': change.members((members) =>
      mapTexts(members, (text) => text.toWellFormed()),
    ),
    'names one faulty field only': change.record('not-a-new-plant', (record) => ({
      ...record,
      message: record.message.replace(/;.*/, ''),
    })),
    'treats a null tag as absent': change.members(({ tag, ...members }) =>
      tag === null ? members : { ...members, ...(tag === undefined ? {} : { tag }) },
    ),
    'sends errors as problem+json': change.errorHeaders('any', { 'content-type': 'application/problem+json' }),
    'adds the status to the Error record': change.record('any', (record) => ({ ...record, statusCode: 400 })),
    'stores what it refuses': {
      server: (app, createPlant) =>
        app.addHook('onError', async ({ body }) => {
          const { id } = Object(body);
          if (typeof id === 'bigint') await createPlant({ id, name: 'refused' });
        }),
    },
    'treats the only element of an array as the record': change.body((body) =>
      Array.isArray(body) && body[0]?.id ? { ...body[0], id: BigInt(body[0].id) } : body,
    ),
  },
  'HC-8': {
    'compares the plants by reference, so that the same one is another': change.comparison((a, b) => a === b),
  },
  'HC-9': {
    'compares the name only': change.comparison((a, b) => a.name === b.name),
    'refuses another plant, but has overwritten the one that was there': change.repository(
      (rows) =>
        async ({ id, ...plant }) => {
          const stored = rows.get(id);
          rows.set(id, plant);
          return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
        },
    ),
  },
  'HC-10': {
    'looks up, then writes, and lets another write in between': change.repository(
      (rows) =>
        async ({ id, ...plant }) => {
          const stored = rows.get(id);
          if (stored) return { outcome: 'exists', plant: stored };
          await setImmediate();
          rows.set(id, plant);
          return { outcome: 'added' };
        },
    ),
    'returns id-taken to the loser of a race without comparing the plants': {
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
  },
  'HC-11': {
    'takes the id through a JavaScript number': change.plant((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })),
    'refuses 0, because it checks whether there is an id': change.members(({ id, ...plant }) => id && { id, ...plant }),
  },
  'HC-12': {
    'accepts only digits as an integer': change.idLiteral((id) => (/^-?\d+$/.test(id) ? id : '"not plain"')),
    'takes an id with an exponent through a JavaScript number': change.idLiteral((id) =>
      /e/i.test(id) ? rounded(id) : id,
    ),
    'takes a number of more than a hundred characters through a JavaScript number': change.idLiteral((id) =>
      id.length > 100 ? rounded(id) : id,
    ),
  },
  'HC-13': {
    'uses Number.isInteger, which no longer sees the fraction': change.idLiteral((id) =>
      id.includes('.') ? rounded(id) : id,
    ),
    'wraps an id beyond int64 around': change.members(({ id, ...plant }) => ({
      ...plant,
      id: typeof id === 'bigint' ? BigInt.asIntN(64, id) : id,
    })),
    'accepts digits in quotes': change.text((text) => text.replace(/"id":"(\d+)"/, '"id":$1')),
    'makes up an id if there is none': change.members((members) => ({ id: 7n, ...members })),
    'reads the first thousand characters of a number': change.idLiteral((id) =>
      id.length > 1_000 ? rounded(id.slice(0, 1_000)) : id,
    ),
  },
  'HC-14': {
    'treats an absent body as an empty object': change.text((text) => text || '{}'),
    'tolerates a comma after the last member': change.text((text) => text.replace(/,\s*\}$/, '}')),
    'puts a stack into messages': change.record('malformed-json', (record) => ({
      ...record,
      message: new SyntaxError(record.message).stack,
    })),
    'drops a byte order mark': change.bytes((bytes) => (bytes.indexOf('\ufeff') === 0 ? bytes.subarray(3) : bytes)),
    'puts U+FFFD for bytes that are not UTF-8': change.bytes((bytes) => bytes.toString()),
  },
  'HC-15': {
    'walks through the body by recursion, and overflows the stack': change.text((text) => {
      if (text.endsWith('}')) JSON.parse(text, (_, value) => value);
      return text;
    }),
  },
  'HC-16': {
    'accepts a byte less than 64 KiB': { options: { bodyLimit: LIMIT - 1 } },
    'accepts a byte more than 64 KiB': { options: { bodyLimit: LIMIT + 1 } },
    'trusts Content-Length and counts nothing': {
      options: { bodyLimit: 2 ** 40 },
      server: (app) =>
        app.addHook('preParsing', async ({ headers }) => {
          if (Number(headers['content-length']) > LIMIT) throw new HttpError('body-too-large');
        }),
    },
    'ignores Content-Length': change.header('content-length', (size) => (Number(size) > LIMIT ? undefined : size)),
  },
  'HC-17': {
    'recognizes media types in lower case only': change.header('content-type', (type) =>
      type?.startsWith('application/json') ? type : 'text/plain',
    ),
    'refuses parameters': change.header('content-type', (type) => type?.replace(/^a\w+(?=.*;(?! *charset=))/i, 'x')),
    'refuses identity too': change.header('content-encoding', (coding) => coding?.replace('identity', 'none')),
  },
  'HC-18': {
    'treats a body without a media type as JSON': change.header('content-type', (type) => type ?? 'application/json'),
    'ignores what follows json': change.header('content-type', (type) => type?.replace(/(?<=^.*json).*/, '')),
    'ignores Content-Encoding': change.header('content-encoding', () => undefined),
  },
};

/** The members of NewPlant, in the order of the description. */
const fields: readonly string[] = ['id', ...textFields];

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

function comparingTexts(rewrite: (text: string | undefined) => string | undefined): Mutation {
  return change.comparison((a, b) => textFields.every((field) => rewrite(a[field]) === rewrite(b[field])));
}
