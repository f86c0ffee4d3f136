import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scratch-copy.ts';

/** A worked change as its page tells it: what a reader would do, in the order of the page. */
export interface Recipe {
  readonly path: string;
  readonly steps: readonly Step[];
}

/** A section of the page. */
export interface Step {
  readonly title: string;
  readonly actions: readonly Action[];
}

/** A patch to apply, or commands to run. */
export type Action =
  | { readonly kind: 'patch'; readonly patch: string }
  /** Commands that succeed, or do not (a block that is marked `sh fails`), and lines that they print. */
  | { readonly kind: 'run'; readonly commands: string; readonly succeeds: boolean; readonly prints: readonly string[] };

/** Reads the page of a recipe. @throws {Error} when there is a block that nobody would replay. */
export function readRecipe(path: string, read: (path: string) => string = pageAt): Recipe {
  const [, ...sections] = read(path).split(/^## /m);
  const steps = sections.map((section) => ({ title: section.split('\n', 1)[0] ?? '', actions: actionsIn(section) }));
  return { path, steps: steps.filter(({ actions }) => actions.length > 0) };
}

function pageAt(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function actionsIn(section: string): readonly Action[] {
  const actions: Action[] = [];
  for (const [, language = '', text = ''] of section.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const before = actions.at(-1);
    if (language === 'diff') actions.push({ kind: 'patch', patch: text });
    else if (language === 'sh' || language === 'sh fails')
      actions.push({ kind: 'run', commands: text, succeeds: language === 'sh', prints: [] });
    else if (language === 'text' && before?.kind === 'run')
      actions.splice(-1, 1, { ...before, prints: text.trimEnd().split('\n') });
    else throw new Error(`a block of «${language}» is not replayed: use diff, sh, sh fails, or text behind one of sh`);
  }
  return actions;
}
