import { type Clause, hardTexts, lookalikes } from '@plant-store/contracts-kit';
import { type NewPlant, optionalTextFields, textFields } from '@plant-store/domain';
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
import { aFullPlant, anyId, anyUnroundableId, aPlant, jsonOf, plantWithout } from '../new-plants.ts';

/** The records NewPlant and Plant, their texts, and creating: it is idempotent, and an id always belongs to one plant. */
export const plantClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-1',
    title: 'a NewPlant gets 200 with the Plant, which has its texts and not its id',
    check: async (service) => {
      await expectCreated(service, aFullPlant());
      await expectCreated(service, aPlant());
    },
  },
  {
    id: 'HC-2',
    title: 'an absent text is absent from the response, and differs from an empty one',
    check: (service) =>
      forEachCase(optionalTextFields, async (field) => {
        const [without, empty] = [plantWithout(field, aPlant()), aPlant({ [field]: '' })];
        for (const [plant, other] of [
          [without, { ...without, [field]: '' }],
          [empty, plantWithout(field, empty)],
        ] as const) {
          const stored = await expectCreated(service, plant);
          await expectIdTaken(service, other, stored, `the same plant, but for an empty or absent ${field},`);
          await expectCreated(service, plant, stored);
        }
      }),
  },
  {
    id: 'HC-3',
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
  },
  {
    id: 'HC-4',
    title: 'unknown members are ignored, whatever their values; __proto__ and constructor never change an object',
    check: async (service) => {
      await forEachCase(unknownMembers, async (member) => {
        const plant = aPlant({ id: anyUnroundableId() });
        const stored = await expectReadAs(service, plant, `${jsonOf(plant).slice(0, -1)},${member}}`);
        await expectCreated(service, aPlant(), stored, 'a plant like any other');
        const first = aPlant({ id: anyUnroundableId() });
        await expectReadAs(service, first, `{${member},${jsonOf(first).slice(1)}`);
      });
      const inherited = '{"__proto__":{"id":1,"name":"n"},"constructor":{"prototype":{"id":1,"name":"n"}}}';
      expectError(await create(service, inherited), 'not-a-new-plant');
    },
  },
  {
    id: 'HC-5',
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
  },
  {
    id: 'HC-6',
    title: 'texts that only look alike are different texts',
    check: (service) =>
      forEachCase(lookalikes, async ([text, other]) => {
        for (const field of textFields) {
          const plant = aPlant({ [field]: text });
          const stored = await expectCreated(service, plant);
          await expectIdTaken(service, { ...plant, [field]: other }, stored, `a ${field} that looks alike`);
        }
      }),
  },
  {
    id: 'HC-7',
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
  },
  {
    id: 'HC-8',
    title: 'the same NewPlant sent again gets the same response',
    check: async (service) => {
      for (const plant of [aPlant(), aFullPlant(), aFullPlant(anyId(), () => '')]) {
        const first = await expectCreated(service, plant);
        for (let time = 2; time <= 4; time += 1) await expectCreated(service, plant, first);
      }
    },
  },
  {
    id: 'HC-9',
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
  },
  {
    id: 'HC-10',
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
