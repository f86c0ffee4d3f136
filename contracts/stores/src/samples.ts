import { hardTexts, lookalikes } from '@plant-store/contracts-kit';
import { INT64_MAX, INT64_MIN, type NewPlant, optionalTextFields, type Plant, textFields } from '@plant-store/domain';

/** A plant with a text in every field. */
export function plantWith(id: bigint, textOf: (field: keyof Plant) => string): NewPlant {
  // Not by `plantOf`: what a store may use itself would forget the same fields.
  return { id, ...Object.fromEntries(textFields.map((field) => [field, textOf(field)])) } as unknown as NewPlant;
}

/** One with plain texts. No two such plants have a text in common. */
export function plantUnder(id: bigint): NewPlant {
  return plantWith(id, (field) => `${field} ${id}`);
}

/** The same plant without one of its optional texts. */
export function without(field: keyof Plant, plant: NewPlant): NewPlant {
  const { [field]: _, ...others } = plant;
  return others as NewPlant;
}

/** For each optional text, a plant without it and one in which it is empty; with consecutive ids. */
export function plantsWithAbsentAndEmptyTexts(firstId: bigint): NewPlant[] {
  return optionalTextFields.flatMap((field, nth) => {
    const id = firstId + 2n * BigInt(nth);
    return [without(field, plantUnder(id)), { ...plantUnder(id + 1n), [field]: '' }];
  });
}

/** Plants with nothing special about them: every store that works at all stores them. */
export function plainPlants(count: number, first = 1): NewPlant[] {
  return Array.from({ length: count }, (_, at) => plainPlant(first + at));
}

/** One of them. Their ids are far apart, so that no two are neighbours. */
export function plainPlant(at: number): NewPlant {
  return plantUnder(BigInt(at) * 7_919n);
}

/** One plant for every place where a JavaScript number, an int32 or a sign goes wrong, each with its neighbours. */
export function plantsWithHardIds(): NewPlant[] {
  const edges = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 10n ** 15n, 10n ** 18n];
  const ids = edges
    .flatMap((edge) => [edge, -edge])
    .flatMap((edge) => [edge - 1n, edge, edge + 1n, edge + 2n])
    .concat(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX);
  return [...new Set(ids)].map(plantUnder);
}

/**
 * Plants with every hard text in each field: both texts of a pair are in one place, where a store that keeps each text
 * once may mistake one for the other. An empty optional text is for PR-3.
 */
export function plantsWithHardTexts(): NewPlant[] {
  const texts = [...new Set([...hardTexts, ...longTexts, ...lookalikes.flat()])];
  const hard = textFields.flatMap((field, nth) =>
    texts
      .map((text, at) => ({ ...plantUnder(BigInt(1_001 + 1_000 * nth + at)), [field]: text }))
      .filter((plant) => plant[field] !== '' || !optionalTextFields.includes(field)),
  );
  // For whoever has raised the limit of a request body: in UTF-8 they end a little below 1 MiB.
  const [ascii, japanese] = [noise(20_000).repeat(50), `x${'日本語'.repeat(115_000)}`];
  const huge = textFields.map((field, nth) => ({ ...plantUnder(BigInt(902 + nth)), [field]: japanese }));
  return [...hard, { ...plantUnder(901n), name: ascii }, ...huge];
}

/** All of these. */
export function hardPlants(): NewPlant[] {
  return [...plantsWithHardIds(), ...plantsWithHardTexts(), ...plantsWithAbsentAndEmptyTexts(100_001n)];
}

/** Texts that are too long for a part of a store, or of its driver. */
const longTexts: readonly string[] = [
  'x'.repeat(100_000),
  // Two, three and four bytes a character: wherever a chunk of UTF-8 ends, it ends within a character of one of them.
  `x${'é'.repeat(50_000)}`,
  `x${'日'.repeat(50_000)}`,
  `x${'🌱'.repeat(20_000)}`,
  // Cannot be compressed: an index on a text rejects long ones unless they shrink (PostgreSQL: 2,704 bytes).
  noise(20_000),
];

/** Letters that look random and are the same every time: a linear congruential generator (Numerical Recipes). */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(48 + (state >>> 26));
  }).join('');
}
