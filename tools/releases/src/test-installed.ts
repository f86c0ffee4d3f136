// Packs every package that a release would publish, installs the tarballs with npm into empty projects, and uses them
// there: in plain JavaScript, and in strict TypeScript of two versions.
//
//   npx -y pnpm@12 test:packages-installed
//
// OLDER_NODE is the path of another Node to try the domain on, which promises to run on older ones than the workspace's.

import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDedicatedServer } from '@plant-store/testing-postgres';
import { type InstalledProject, installProject } from './installed-project.ts';
import { packTarballs, type Tarball } from './tarballs.ts';
import { root } from './workspace.ts';

/** Kept here and not in the catalog: what others may have, whatever we have. */
const compilers = { typescript: '7.0.2', 'typescript-5': 'npm:typescript@5.9.3' };
const nodeTypes = { '@types/node': '26.6.6' };

const directory = mkdtempSync(join(tmpdir(), 'plant-store-installed-'));
const fixtures = join(root, 'tools/releases/consumer');
try {
  say('packing …');
  const tarballs = await packTarballs(directory);
  await testDomain(tarballs);
  await testService(tarballs);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function testDomain(tarballs: readonly Tarball[]): Promise<void> {
  say('domain alone: npm install …');
  const domain = tarballs.filter(({ name }) => name === '@plant-store/domain');
  const project = await installProject(join(directory, 'domain'), join(fixtures, 'domain'), domain, compilers);
  const printed = await project.runModule('store.js', [], {}, process.env['OLDER_NODE']);
  deepStrictEqual(JSON.parse(printed), {
    outcome: 'created',
    plant: { name: 'Fern' },
    again: 'id-taken',
    failed: 0,
    passed: 10,
    notPromised: 7,
  });
  say(`domain alone: ${printed}`);
  await typecheckAll('domain alone', project);
}

async function testService(tarballs: readonly Tarball[]): Promise<void> {
  say('every package: npm install …');
  const packages = { ...compilers, ...nodeTypes };
  const project = await installProject(join(directory, 'service'), join(fixtures, 'service'), tarballs, packages);
  await using resources = new AsyncDisposableStack();
  const postgres = await startDedicatedServer();
  resources.defer(() => postgres.stop());
  // Whoever sets the condition that leads to sources in the workspace must get what was built, too.
  for (const options of [[], ['--conditions=development']]) {
    const printed = await project.runModule('service.js', options, { DATABASE_URL: postgres.url });
    const answers = ['200 {"name":"Fern","tag":""}', '400 {"error":40005,', 'passed'];
    deepStrictEqual(JSON.parse(printed), { answers: [answers, answers, answers], crash: 'passed' });
    say(`every package, node ${options.join(' ')}: ${printed}`);
    rmSync(join(directory, 'service/plants.db'), { force: true });
  }
  await typecheckAll('every package', project);
}

async function typecheckAll(what: string, project: InstalledProject): Promise<void> {
  for (const compiler of Object.keys(compilers)) {
    for (const moduleResolution of ['nodenext', 'bundler'] as const) {
      await project.typecheck(compiler, moduleResolution);
      say(`${what}: ${compiler}, ${moduleResolution}: no error`);
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
