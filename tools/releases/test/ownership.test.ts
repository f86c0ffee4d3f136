import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOwnersRules, committedRules, ownerOf } from '../src/code-owners.ts';
import { parseReadme, readmeSections } from '../src/readme.ts';
import { root, workspacePackages } from '../src/workspace.ts';

const packages = workspacePackages();
const tracked = String(execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root }))
  .split('\n')
  .filter((file) => file && existsSync(join(root, file)));

const portReports = tracked.filter((file) => /^packages\/[^/]+\/api\/[^/]+\.contract\.md$/.test(file));

describe('CODEOWNERS', () => {
  const rules = committedRules();

  test('names every package folder', () => {
    expect(packages.length).toBeGreaterThan(9);
    const named = new Set(rules.map(({ pattern }) => pattern));
    expect(packages.filter(({ folder }) => !named.has(`/${folder}/`)).map(({ folder }) => folder)).toEqual([]);
  });

  test('gives every file an owner', () => {
    expect(tracked.length).toBeGreaterThan(400);
    expect(tracked.filter((file) => ownerOf(file, rules) === undefined)).toEqual([]);
  });

  test('has no line that decides nothing', () => {
    const idle = rules.filter((rule) => !tracked.some((file) => rules.findLast((each) => owns(each, file)) === rule));
    expect(idle).toEqual([]);
  });

  test('lets the last line that matches decide', () => {
    const some = codeOwnersRules('* @o/all\n/a/ @o/a\n/a/b.ts @o/b\n');
    const owners = ['x.ts', 'a/x.ts', 'a/b.ts', 'a/b.ts.bak', 'ab/x.ts'].map((file) => ownerOf(file, some));
    expect(owners).toEqual(['@o/all', '@o/a', '@o/b', '@o/a', '@o/all']);
  });

  test.each([
    '*.ts @o/a',
    'docs/ @o/a',
    '/a/**/b @o/a',
    '/a/',
    '/a/ @o/a @o/b',
    '/a/ someone@example.org',
    '!/a/ @o/a',
  ])('with the line "%s" is refused, and the line is named', (line) => {
    expect(() => codeOwnersRules(`* @o/all\n${line}\n`)).toThrow(`.github/CODEOWNERS:2: write "*"`);
  });

  test.each(portReports)('gives the port of %s owners of its own, in lines of their own', (report) => {
    const [folder = '', port = ''] = report.split(/\/api\/|\.contract\.md$/);
    const owner = ownerOf(report, rules);
    expect(rules.map(({ pattern }) => pattern)).toContain(`/${report}`);
    expect(owner).not.toBe(ownerOf(`${folder}/package.json`, rules));
    const others = portReports.filter((other) => other !== report);
    expect(others.map((other) => ownerOf(other, rules))).not.toContain(owner);
    const contract = `${folder}/src/contract/${port}-contract.ts`;
    const declared = `${folder}/src/${port}.ts`;
    const files = [contract, ...tracked.filter((file) => file === declared)];
    expect(files.map((file) => [file, ownerOf(file, rules)])).toEqual(files.map((file) => [file, owner]));
  });

  test('gives a file of a contract to the port that alone uses it, and never to the package', () => {
    const users = new Map<string, string[]>();
    for (const report of portReports) {
      const contract = report.replace('/api/', '/src/contract/').replace('.contract.md', '-contract.ts');
      for (const file of usedBy(contract)) users.set(file, [...(users.get(file) ?? []), report]);
    }
    const files = tracked.filter((file) => /^packages\/[^/]+\/src\/contract\//.test(file));
    expect(files.length).toBeGreaterThan(40);
    const teams = new Set(portReports.map((report) => ownerOf(report, rules)));
    const astray = files.filter((file) => {
      const [only, ...others] = users.get(file) ?? [];
      const owner = ownerOf(file, rules);
      return only !== undefined && others.length === 0 ? owner !== ownerOf(only, rules) : !teams.has(owner);
    });
    expect(astray).toEqual([]);
  });

  test("gives the HTTP port's description to its team", () => {
    const [of, ...files] = ['api/http.contract.md', 'openapi.json', 'openapi.released.json'].map(
      (file) => `packages/adapters-http/${file}`,
    );
    expect(files.map((file) => ownerOf(file, rules))).toEqual(files.map(() => ownerOf(of ?? '', rules)));
  });

  function owns(rule: (typeof rules)[number], file: string): boolean {
    return ownerOf(file, [rule]) !== undefined;
  }
});

// What is in deploy is no code that others build on, and its README is the operators' page.
const codePackages = packages.filter(({ folder }) => folder !== 'deploy');

describe.each(codePackages)('$folder', ({ folder, name, isPrivate, entryPoints, scripts }) => {
  const read = (file: string) => readFileSync(join(root, folder, file), 'utf8');

  test('has a README in the one form', () => {
    const { title, sections } = parseReadme(read('README.md'));
    expect(title).toBe(name);
    expect([...sections.keys()]).toEqual(readmeSections);
    expect([...sections].filter(([, body]) => body === '').map(([heading]) => heading)).toEqual([]);
  });

  test('names the owner that CODEOWNERS names', () => {
    const said = parseReadme(read('README.md'))
      .sections.get('Who owns it')
      ?.match(/@plant-store\/[\w-]+-owners/g);
    const rules = committedRules();
    // Ports in the package may have owners of their own.
    const owners = new Set(tracked.filter((file) => file.startsWith(`${folder}/`)).map((file) => ownerOf(file, rules)));
    expect(said?.[0]).toBe(ownerOf(`${folder}/package.json`, rules));
    expect(new Set(said)).toEqual(owners);
  });

  test('has scripts of its own for test, typecheck, lint and build, and names them', () => {
    const { commands } = parseReadme(read('README.md'));
    const own = ['test', 'typecheck', 'lint', 'build'];
    expect(own.filter((script) => scripts[script] === undefined)).toEqual([]);
    const from = commands.indexOf(`cd ${folder}`);
    expect(commands.slice(from, from + 5)).toEqual([
      `cd ${folder}`,
      ...own.map((script) => `npx -y pnpm@12 ${script}`),
    ]);
  });

  test('says no command that is not there', () => {
    const atRoot = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
    const named = [...read('README.md').matchAll(/pnpm@12 (?:run )?([a-z:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts || script in atRoot || script === 'install'))).toEqual([]);
  });

  if (isPrivate) return;

  test('has a CHANGELOG that begins with 1.0.0', () => {
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^# ${name}\n`));
    expect(
      read('CHANGELOG.md')
        .match(/^## .*$/gm)
        ?.at(-1),
    ).toBe('## 1.0.0');
  });

  test('has a committed report of each entry point', () => {
    const reports = [...entryPoints.keys()].map((path) => (path === '.' ? 'index' : path.slice(2)));
    const missing = reports.filter((report) => !tracked.includes(`${folder}/api/${report}.api.md`));
    expect(missing).toEqual([]);
  });
});

/** A file of a contract, and those in the same folder that it imports, and that these import. */
function usedBy(file: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imported = readFileSync(join(root, file), 'utf8').matchAll(/ from '\.\/(.+)';$/gm);
  for (const [, name = ''] of imported) usedBy(join(dirname(file), name), found);
  return found;
}
