import type { ItemSpec } from '../src/batch-engine.ts';

/** What the tests write. */
export interface Note {
  readonly id: number;
  readonly text: string;
}

/** Whether it was added, or else the text of the note that has its id. */
export type Added = 'added' | { readonly has: string };

export const notes: ItemSpec<Note, number, Added> = {
  keyOf: ({ id }) => id,
  sizeOf: ({ text }) => text.length,
  snapshot: ({ id, text }) => ({ id, text }),
  repeat: (result, first) => (result === 'added' ? { has: first.text } : result),
};

export const note = (id: number, text = `note ${id}`): Note => ({ id, text });
