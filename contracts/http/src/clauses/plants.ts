import { setImmediate } from 'node:timers/promises';
import { type Clause, hardTexts, lookalikes } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, textFields, type UseCases, type ValidNewPlant } from '@plant-store/domain';
import { type DeployedService, maxPadding } from '../deployed-service.ts';
import {
  create,
  expectCreated,
  expectError,
  expectIdTaken,
  expectNotStored,
  expectPlant,
  expectReadAs,
  fail,
  forEachCase,
} from '../expectations/expectations.ts';
import { race } from '../http/raw-request.ts';
import * as change from '../mutation.ts';
import { aFullPlant, anyId, anyUnroundableId, aPlant, plantWithout, toJson } from '../new-plants.ts';

/** The records NewPlant and Plant, their texts, and creating: it is idempotent, and an id always belongs to one plant. */
export const plantClauses: readonly Clause<DeployedService, change.HttpMutation>[] = [
  {
    id: 'HC-1',
    shows: 'P4',
    title: 'a NewPlant gets 200 with the Plant, which has its texts and not its id',
    check: async (service) => {
      await expectCreated(service, aFullPlant());
      await expectCreated(service, aPlant());
    },
    mutants: {
      'returns 201': change.created((plant) => plant, 201),
      'returns an id': change.created((plant) => ({ id: 7, ...plant })),
    },
  },
  {
    id: 'HC-2',
    shows: 'P2',
    title: 'an absent text is absent from the response, and differs from an empty one',
    check: (service) =>
      forEachCase(optionalTextFields, async (field) => {
        const without = plantWithout(field, aPlant());
        const empty = aPlant({ [field]: '' });
        for (const [plant, other] of [
          [without, { ...without, [field]: '' }],
          [empty, plantWithout(field, empty)],
        ] as const) {
          const stored = await expectCreated(service, plant);
          await expectIdTaken(service, other, stored, `the same plant, but for an empty or absent ${field},`);
          await expectCreated(service, plant, stored);
        }
      }),
    mutants: {
      'returns an absent tag as null': change.created((plant) => ({ tag: null, ...plant })),
      'drops an empty tag': change.plant(({ tag, ...plant }) => (tag ? { ...plant, tag } : plant)),
      'stores an absent text as an empty one': comparingTexts((text = '') => text),
    },
  },
  {
    id: 'HC-3',
    shows: 'P2/F7',
    title:
      'JSON is read by RFC 8259: white space, escapes in names and texts, members in any order, nested members ignored; of duplicate members the last one counts',
    check: async (service) => {
      await forEachCase(layouts, async (write) => {
        const plant = aFullPlant(anyUnroundableId());
        const texts = textFields.map((field) => `"${field}":"${plant[field]}"`).join();
        await expectReadAs(service, plant, write(`"id":${plant.id}`, texts));
      });
      await forEachCase(escapes, async ([text, escaped]) => {
        const plant = aFullPlant(anyUnroundableId(), () => text);
        const texts = textFields.map((field) => `"${field}":"${escaped}"`);
        await expectReadAs(service, plant, `{"id":${plant.id},${texts}}`);
      });
    },
    mutants: {
      'expects a brace as the first byte': change.text((text) => (/^\s+\S/.test(text) ? `!${text}` : text)),
      'accepts the members in the order of the description only': change.members((members) => {
        const order = Object.keys(members).filter((name) => newPlantMembers.includes(name));
        return order.join() === newPlantMembers.filter((name) => order.includes(name)).join() ? members : undefined;
      }),
      'takes the first of two ids': change.text((text) => text.replace(/("id":-?\d+)(.*)"id":-?\d+/, '$1$2$1')),
      'looks for "id" in the text, and rounds an id whose name has an escape': change.text((text) =>
        /"id"/.test(text) ? text : text.replace(/-?\d{16,}/, change.rounded),
      ),
      'treats a "tag" as one wherever it is': change.text((text) =>
        text.replace(/^(\{.*?"tag":("[^"]*"|\d+).*)\}/, '$1,"tag":$2}'),
      ),
      'keeps the backslash of \\/': change.text((text) => text.replaceAll('a\\/', 'a\\\\/')),
      'replaces each escaped surrogate, paired or not': change.text((text) =>
        text.replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\\ufffd'),
      ),
    },
  },
  {
    id: 'HC-4',
    shows: 'P2/F7',
    title: 'unknown members are ignored; __proto__ and constructor change no object',
    check: async (service) => {
      await forEachCase(unknownMembers, async (member) => {
        const plant = aPlant({ id: anyUnroundableId() });
        const stored = await expectReadAs(service, plant, `${toJson(plant).slice(0, -1)},${member}}`);
        await expectCreated(service, aPlant(), stored, 'a plant like any other');
        const first = aPlant({ id: anyUnroundableId() });
        await expectReadAs(service, first, `{${member},${toJson(first).slice(1)}`);
      });
      const inherited = '{"__proto__":{"id":1,"name":"n"},"constructor":{"prototype":{"id":1,"name":"n"}}}';
      expectError(await create(service, inherited), 'not-a-new-plant');
    },
    mutants: {
      'rejects members that NewPlant does not have': change.members((members) =>
        Object.keys(members).every((name) => newPlantMembers.includes(name)) ? members : undefined,
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
  },
  {
    id: 'HC-5',
    shows: 'P2/F7',
    title: 'texts are stored and returned exactly: no trimming, no normalization, no limit other than the body limit',
    check: async (service) => {
      await forEachCase(hardTexts, async (text) => {
        for (const plant of textFields.map((field) => aPlant({ [field]: text })))
          await expectCreated(service, plant, await expectCreated(service, plant));
      });
      for (const [plant, other] of largestPlants(service)) {
        const stored = await expectCreated(service, plant);
        await expectCreated(service, plant, stored);
        await expectIdTaken(service, other, stored, 'the plant before, but for its last character');
      }
    },
    mutants: {
      'trims names and tags': change.plant((plant) => mapTexts(plant, (text) => text.trim())),
      'cuts names at 255 characters': change.plant((plant) => mapTexts(plant, (text) => text.slice(0, 255))),
      'compares the first 32 KiB of texts': comparingTexts((text) => text?.slice(0, 2 ** 15)),
    },
  },
  {
    id: 'HC-6',
    shows: 'P2/F7',
    title: 'texts that only look alike are different texts',
    check: (service) =>
      forEachCase(lookalikes, async ([text, other]) => {
        for (const field of textFields) {
          const plant = aPlant({ [field]: text });
          const stored = await expectCreated(service, plant);
          await expectIdTaken(service, { ...plant, [field]: other }, stored, `a ${field} that looks alike`);
        }
      }),
    mutants: {
      'compares without case': comparingTexts((text) => text?.toLowerCase()),
      'compares without trailing spaces, as SQL does for CHAR': comparingTexts((text) => text?.replace(/ +$/, '')),
    },
  },
  {
    id: 'HC-7',
    shows: 'P4/F7',
    title:
      'JSON that is not a NewPlant is rejected, and so are U+0000 and unpaired surrogates; the message names every faulty field',
    check: (service) =>
      forEachCase(
        [...notObjects.map((json): Faulty => [json, []]), ...faultyTexts, ...severalFaults],
        async ([json, fields]) => {
          const id = anyId();
          const rejected = await create(service, json.replace('ID', String(id)));
          expectError(rejected, 'not-a-new-plant', fields);
          await expectNotStored(service, id, rejected);
        },
      ),
    mutants: {
      'drops U+0000': change.members((members) => mapTexts(members, (text) => text.replaceAll('\u0000', ''))),
      'puts U+FFFD for lone surrogates': change.members((members) => mapTexts(members, (text) => text.toWellFormed())),
      'names one field only': change.record('not-a-new-plant', ({ message }) => ({ message: message.split(';')[0] })),
      'treats a null tag as absent': change.members(({ tag, ...rest }) => (tag === null ? rest : { ...rest, tag })),
      'sends errors as problem+json': change.errorHeaders('any', { 'content-type': 'application/problem+json' }),
      'adds the status to the Error record': change.record('any', () => ({ statusCode: 400 })),
      'stores what it rejects': storingRejected(),
      'treats the only element of an array as the record': {
        body: (body) => (Array.isArray(body) && body[0]?.id ? { ...body[0], id: BigInt(body[0].id) } : body),
      },
    },
  },
  {
    id: 'HC-8',
    shows: 'P3/F6',
    title: 'the same NewPlant sent again gets the same response',
    check: async (service) => {
      for (const plant of [aPlant(), aFullPlant(), aFullPlant(anyId(), () => '')]) {
        const first = await expectCreated(service, plant);
        for (let time = 2; time <= 4; time += 1) await expectCreated(service, plant, first);
      }
    },
    mutants: {
      'compares the plants by reference': change.comparison((a, b) => a === b),
    },
  },
  {
    id: 'HC-9',
    shows: 'P3/F6',
    title: 'an id that another plant has gets 400, and the stored plant is unchanged',
    check: async (service) => {
      const plant = aFullPlant();
      const stored = await expectCreated(service, plant);
      const otherTexts = textFields.flatMap((field) => [`other ${field}`, ''].map((text) => ({ [field]: text })));
      for (const other of [
        ...otherTexts.map((text) => ({ ...plant, ...text })),
        ...optionalTextFields.map((field) => plantWithout(field, plant)),
        aPlant({ id: plant.id }),
        aFullPlant(plant.id, (field) => `other ${field}`),
      ]) {
        const rejected = await expectIdTaken(service, other, stored);
        await expectCreated(service, plant, rejected, 'the plant that was stored');
      }
    },
    mutants: {
      'compares the name only': change.comparison((a, b) => a.name === b.name),
      'rejects another plant, but overwrites the stored one': change.repository(async (rows, id, plant) => {
        const stored = rows.get(id);
        rows.set(id, plant);
        return stored ? { outcome: 'exists', plant: stored } : { outcome: 'added' };
      }),
    },
  },
  {
    id: 'HC-10',
    shows: 'P3/F6',
    title: 'of plants that race for one id exactly one is stored: equal ones get 200, all others 400',
    check: async (service) => {
      for (const racers of races) {
        const equal = aFullPlant();
        const about = `one of ${racers} plants with one id at once`;
        for (const response of await race(service, about, Array(racers).fill(equal))) expectPlant(response, equal);
        const id = anyId();
        const plants = Array.from({ length: racers }, () => aPlant({ id }));
        const responses = await race(service, about, plants);
        const first = responses.findIndex(({ status }) => status === 200);
        for (const [at, response] of responses.entries()) {
          const winner = plants[first] ?? fail(response, 'exactly one gets 200');
          if (at === first) await expectCreated(service, winner, response, 'the plant that was stored');
          else expectError(response, 'id-taken');
        }
      }
    },
    mutants: {
      'looks up, then writes, and lets another write in between': change.repository(async (rows, id, plant) => {
        const stored = rows.get(id);
        if (stored) return { outcome: 'exists', plant: stored };
        await setImmediate();
        rows.set(id, plant);
        return { outcome: 'added' };
      }),
      'returns id-taken to the loser of a race without comparing the plants': {
        useCases({ createPlant }) {
          const racing = new Set<bigint>();
          return {
            async createPlant(plant) {
              if (racing.has(plant.id)) return { outcome: 'id-taken', id: plant.id };
              racing.add(plant.id);
              await setImmediate();
              return createPlant(plant).finally(() => racing.delete(plant.id));
            },
          };
        },
      },
    },
  },
];

/** Ways to write a plant, given its id and its texts as members. */
const layouts: readonly ((id: string, texts: string) => string)[] = [
  (id, texts) => `{${texts},${id}}`,
  (id, texts) => ` \t\r\n{\n  ${`${id},${texts}`.replaceAll(',', ' ,\r\n\t').replaceAll('":', '" :\t')}\n}\n\n `,
  (id, texts) => `{${id.replace('id', '\\u0069\\u0064')},${texts.replace('name', 'n\\u0061me')}}`,
  (id, texts) => `{"x":{"id":1,"tag":7},${id},${texts}}`,
  (id, texts) => `{${id},"x":[{"id":9007199254740993},{"id":"7","name":null}],${texts}}`,
  (id, texts) => `{"x":"\\"id\\":9007199254740993,\\\\",${id},${texts},"y":"\\",\\"id\\":7,\\"tag\\":\\"t\\""}`,
  (id, texts) => `{"id":${anyUnroundableId()},"name":"first",${id},${texts}}`,
];

/** Texts, and a JSON notation of each with escapes. */
const escapes: readonly (readonly [text: string, escaped: string])[] = [
  ['🌱', '\\ud83c\\uDF31'],
  ['a/b', 'a\\/b'],
  ['\b\f\n\r\t"\\', '\\b\\f\\n\\r\\t\\"\\\\'],
  ['\u0001\u001f', '\\u0001\\u001F'],
  ['\\u0041', '\\\\u0041'],
];

const unknownMembers = [
  '"colour":"green"',
  '"x":null',
  '"x":1e999999999',
  '"\\udc00":"\\ud800"',
  '"toJSON":{}',
  '"__proto__":{"tag":"polluted"}',
  '"\\u005f_proto__":{"tag":"polluted"}',
  '"constructor":{"prototype":{"tag":"polluted"}}',
  '"x":{"__proto__":{"tag":"polluted"}}',
];

/** Plants almost as large as the body limit, each with another that differs in the last character of a text. */
function largestPlants(service: DeployedService): readonly (readonly [NewPlant, NewPlant])[] {
  return textFields.map((field) => {
    // The name has one byte per character, the other texts four.
    const text = field === 'name' ? 'x'.repeat(maxPadding(service)) : '🌱'.repeat(maxPadding(service) / 4);
    const plant = aPlant({ [field]: text });
    return [plant, { ...plant, [field]: text.replace(/.$/u, 'y') }];
  });
}

/** A JSON text, in which ID stands for a valid id, and the faulty fields. */
type Faulty = readonly [json: string, fields: readonly string[]];

const notObjects = ['[]', '[{"id":ID,"name":"n"}]', '"x"', '"{\\"id\\":7,\\"name\\":\\"n\\"}"', '7', '1e400', ' null '];

/** U+0000, lone surrogates (RFC 7493 section 2.1), and other types, each in one field. */
const faultyTexts: readonly Faulty[] = [
  ...['\\u0000', 'a\\u0000b', '\\ud800', '\\uDFFF', '\\udf31\\ud83c', '\\ud83c\\ud83c\\udf31', '🌱\\ud83c'].map(
    (text) => `"${text}"`,
  ),
  ...['null', '7', 'true', '["n"]', '{}'],
].flatMap((value): Faulty[] => [
  [`{"id":ID,"name":${value}}`, ['name']],
  ...optionalTextFields.map((field): Faulty => [`{"id":ID,"name":"n","${field}":${value}}`, [field]]),
]);

const severalFaults: readonly Faulty[] = [
  ['{}', ['id', 'name']],
  ['{"id":ID,"Name":"n"}', ['name']],
  ['{"name":"n"}', ['id']],
  ['{"id":ID,"name":"n","id":"7"}', ['id']],
  ['{"id":ID,"name":"n","name":null}', ['name']],
  [`{"id":7${'0'.repeat(1_000)},"name":"n"}`, ['id']],
  [`{"id":ID,${textFields.map((field) => `"${field}":7`)}}`, textFields],
  [`{"id":7.5,${textFields.map((field) => `"${field}":"\\ud800"`)}}`, ['id', ...textFields]],
];

/** How many plants race. Two often meet between a lookup and a write; a hundred fill queues and batches. */
const races = [2, 2, 2, 2, 2, 20, 20, 100];

/** The object with its texts changed. */
function mapTexts<T extends object>(object: T, rewrite: (text: string) => string): T {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    typeof value === 'string' ? rewrite(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** Compares plants by rewritten texts. */
function comparingTexts(rewrite: (text: string | undefined) => string | undefined): change.HttpMutation {
  return change.comparison((a, b) => textFields.every((field) => rewrite(a[field]) === rewrite(b[field])));
}

/** Stores a plant without a name before it rejects that. */
function storingRejected(): change.HttpMutation {
  let create: UseCases['createPlant'] | undefined;
  return {
    useCases({ createPlant }) {
      create = createPlant;
      return {};
    },
    async body(body) {
      const { id, name } = Object(body);
      if (typeof id === 'bigint' && typeof name !== 'string') await create?.({ id, name: 'rejected' } as ValidNewPlant);
      return body;
    },
  };
}

/** The members of NewPlant, in the order of the description. */
const newPlantMembers: readonly string[] = ['id', ...textFields];
