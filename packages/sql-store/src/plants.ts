import type { NewPlant, Plant } from '@plant-store/domain';
import { type Column, int64, optional, type Table, table, text } from './table.ts';

/** The table of plants. The compiler demands a column for every field. */
export const plants: Table<NewPlant, bigint, Plant> = table({
  name: 'plants',
  key: 'id',
  columns: { id: int64, name: text, tag: optional(text) } satisfies Readonly<Record<keyof NewPlant, Column>>,
});
