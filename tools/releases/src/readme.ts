/** The sections that the README of every package has, in this order, and nothing else on that level. */
export const readmeSections: readonly string[] = [
  'What it promises',
  'What it needs',
  'Who owns it',
  'How to test it alone',
  'How to change it',
];

/** A README in the one form, taken apart. */
export interface Readme {
  readonly title: string;
  readonly sections: ReadonlyMap<string, string>;
  /** The lines of its fenced `sh` blocks. */
  readonly commands: readonly string[];
}

/** Takes a README apart at its headings. */
export function parseReadme(text: string): Readme {
  const [head = '', ...sections] = text.split(/^## /m);
  const parted = sections.map((section): [string, string] => {
    const [heading = '', ...body] = section.split('\n');
    return [heading, body.join('\n').trim()];
  });
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return {
    title: /^# (.*)$/m.exec(head)?.[1] ?? '',
    sections: new Map(parted),
    commands: blocks.flatMap((block) => block.split('\n').filter(Boolean)),
  };
}
