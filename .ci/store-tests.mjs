// Prints the tests that need a server. Each folder testing/src/<engine> lists its images in images.json, the newest first.
//
//   tasks     their turbo tasks, on one line
//   newest    the newest image of each engine as NAME=image lines, for the environment of a job
//   older     the other images in JSON, for the matrix of a job
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const engines = globSync('testing/src/*/images.json', { cwd: root })
  .toSorted()
  .map((path) => {
    const engine = path.replace(/^testing\/src\/|\/images\.json$/g, '');
    const variable = `TEST_${engine.toUpperCase().replaceAll('-', '_')}_IMAGE`;
    return { engine, variable, images: JSON.parse(readFileSync(join(root, path), 'utf8')) };
  });

const answers = {
  tasks: () => engines.map(({ engine }) => `test:${engine}`).join(' '),
  newest: () => engines.flatMap(({ variable, images }) => (images[0] ? [`${variable}=${images[0]}`] : [])).join('\n'),
  older: () => {
    const rows = engines.flatMap(({ engine, variable, images }) =>
      images.slice(1).map((image) => ({ name: image.replace(/@.*/, ''), task: `test:${engine}`, variable, image })),
    );
    return JSON.stringify(rows);
  },
};

const answer = answers[process.argv[2]];
if (!answer) throw new Error(`one of ${Object.keys(answers).join(', ')} is expected`);
process.stdout.write(`${answer()}\n`);
