import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/domain';
import { hardTexts, lookalikes, noise } from './hard-texts.ts';

/** Plants with nothing special about them: every store that works at all keeps them. */
export function plainPlants(count: number, first = 1): NewPlant[] {
  return Array.from({ length: count }, (_, at) => plainPlant(first + at));
}

/** One of them. Ids are apart from each other, so that no two are neighbours. */
export function plainPlant(at: number): NewPlant {
  return { id: BigInt(at) * 7_919n, name: `plant ${at}`, tag: `tag ${at}` };
}

/** One plant for every place where a JavaScript number, an int32 or a sign goes wrong, each with its neighbours. */
export function plantsWithHardIds(): NewPlant[] {
  const edges = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 10n ** 15n, 10n ** 18n];
  const ids = edges
    .flatMap((edge) => [edge, -edge])
    .flatMap((edge) => [edge - 1n, edge, edge + 1n, edge + 2n])
    .concat(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX);
  return [...new Set(ids)].map((id) => ({ id, name: `plant ${id}`, tag: 'tag' }));
}

/**
 * Plants with every hard text, once as the name and once as the tag: both texts of a pair are in one place, where a
 * store that keeps each text once may find the one for the other. The empty tag is for PR-3.
 */
export function plantsWithHardTexts(): NewPlant[] {
  const texts = [...new Set([...hardTexts, ...lookalikes.flat()])];
  const asName = texts.map((text, at): NewPlant => ({ id: BigInt(1_001 + at), name: text, tag: 'tag' }));
  const asTag = texts.map((text, at): NewPlant => ({ id: BigInt(2_001 + at), name: `name ${at}`, tag: text }));
  return [...asName, ...asTag.filter(({ tag }) => tag !== '')];
}

/**
 * Plants with a text as long as a request may bring: its body ends at 1 MiB by default, and these, in UTF-8, end a little
 * below. One in which each character is a byte, one in which each but the first takes three.
 */
export function plantsWithHugeTexts(): NewPlant[] {
  const latin = noise(20_000).repeat(50);
  const japanese = `x${'日本語'.repeat(115_000)}`;
  return [
    { id: 3_001n, name: latin, tag: 'tag' },
    { id: 3_002n, name: japanese, tag: 'tag' },
    { id: 3_003n, name: 'a name', tag: japanese },
  ];
}
