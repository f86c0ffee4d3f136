import {
  edges,
  notInt64,
  notNumbers,
  texts,
  unstorable,
  writings,
  writingsOfZero,
} from '@plant-store/contracts-http/wire';
import { optionalTextFields } from '@plant-store/domain';
import fc from 'fast-check';

/** JSON like NewPlant: valid, with an invalid member, or any other JSON. */
export function newPlantTexts(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 12, arbitrary: newPlant },
    { weight: 1, arbitrary: fc.json() },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '{', 'null', '[]', '{"id":7,"name":"n"}}', '\ufeff{"id":7,"name":"n"}'),
    },
  );
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

const id = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(int64, fc.constantFrom(...writings)).map(([value, write]) => write(value)) },
  { weight: 3, arbitrary: fc.constantFrom(...edges.map(String), ...writingsOfZero) },
  { weight: 1, arbitrary: fc.constantFrom(...notInt64, ...notNumbers) },
  { weight: 2, arbitrary: fc.stringMatching(/^-?(0|[1-9]\d{0,22})(\.\d{1,20})?([eE][-+]?\d{1,4})?$/) },
);

/** What fast-check's own unit `binary` generates, but that builds a table of all of Unicode: half a second of CPU. */
const unit = fc
  .nat({ max: 0x10ffff })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => character.isWellFormed());

const text = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .oneof(fc.string(), fc.string({ unit }))
      .filter((value) => !value.includes('\0'))
      .map((value) => JSON.stringify(value)),
  },
  { weight: 4, arbitrary: fc.constantFrom(...texts).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...unstorable).map((written) => `"${written}"`) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
);

const member = (name: string, value: fc.Arbitrary<string>) =>
  value.map((written) => `${JSON.stringify(name)}:${written}`);

const other = fc
  .tuple(
    fc.oneof(fc.constantFrom('__proto__', 'constructor', 'ID', 'toString', 'id', ...optionalTextFields), fc.string()),
    fc.json({ maxDepth: 2 }),
  )
  .map(([name, value]) => `${JSON.stringify(name)}:${value}`);

const newPlant = fc
  .tuple(
    member('id', id),
    member('name', text),
    fc.tuple(...optionalTextFields.map((field) => fc.array(member(field, text), { maxLength: 1 }))),
    fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, fc.array(other, { maxLength: 3 })),
  )
  .map(([first, second, optional, others]) => [first, second, ...optional.flat(), ...others])
  .chain((members) => fc.shuffledSubarray(members, { minLength: members.length }))
  .chain((members) => fc.constantFrom(',', ' , ', ',\r\n\t').map((comma) => `{${members.join(comma)}}`));
