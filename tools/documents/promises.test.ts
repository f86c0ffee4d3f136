import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { files, read, root, run } from '../repository.ts';

const list = read('PROMISES.md');
const faults = [...list.matchAll(/^\| (F\d+) \|/gm)].map(([, id = '']) => id);
/** Each promise, with the faults that its row names: `F1–F5, F10`. */
const promises = [...list.matchAll(/^\| (P\d+) \|.*\| (F[^|]*) \|$/gm)].map(([, id = '', under = '']) => {
  const ranges = under.split(', ').map((range) => range.split('–').map((fault) => faults.indexOf(fault)));
  return { id, under: ranges.flatMap(([from = 0, to = from]) => faults.slice(from, to + 1)) };
});
const pairs = promises.flatMap(({ id, under }) => under.map((fault) => `${id}/${fault}`));

/** The ids that begin a title or an oracle, or `shows` of a clause, after its own id. Not those of a test that may be skipped. */
const IDS = /(?<!skipIf\(.*\)\()(?:id: '?([A-Z][\w-]+)'?,\s+shows: )?['"`]((?:P\d+(?:\/F\d+)?[ '"`])+)/g;
const tests = files('contracts/*/src/**/*.ts', '{apps,clients,libraries,packages}/*/test/**/!(mutants).ts');
const shown = tests.flatMap((path) =>
  [...read(path).matchAll(IDS)].flatMap(([, by = basename(path), ids = '']) =>
    (ids.match(/[\w/]+/g) ?? []).map((id) => ({ id, by })),
  ),
);

test('tests show every pair of a promise and a fault, and no other', () => {
  expect(pairs.filter((pair) => !shown.some(({ id }) => id === pair))).toEqual([]);
  expect(shown.filter(({ id }) => ![...pairs, ...promises.map((each) => each.id)].includes(id))).toEqual([]);
});

test('every test of test:faults begins with a pair', () => {
  const listed = run(root, 'vitest', 'list', '--root', 'apps/api/test/faults', '--json', '--no-static-parse');
  expect(JSON.parse(listed).filter(({ name }: { name: string }) => !/^(P\d+\/F\d+ )+\S/.test(name))).toEqual([]);
});

test('docs/reliability.md has what shows each pair; otherwise run docs:update', async () => {
  const cell = (pair: string) => [...new Set(shown.flatMap(({ id, by }) => (id === pair ? by : [])))].join('<br>');
  const rows = promises.map(({ id }) => [id, ...faults.map((fault) => cell(`${id}/${fault}`))]);
  const table = [['', ...faults], rows[0]?.map(() => '-') ?? [], ...rows].map((row) => `|${row.join('|')}|\n`).join('');
  const document = read('docs/reliability.md').replace(/(?<=generated: pairs -->\n).*?(?=<!--)/s, `\n${table}\n`);
  await expect(document).toMatchFileSnapshot(join(root, 'docs/reliability.md'));
});
