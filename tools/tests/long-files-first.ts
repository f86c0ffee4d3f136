import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests run in the order of what they took the last time, the longest first, so that none is left alone at the end. Where no
 * run was before, vitest goes by the size of their files, and those of contracts are small: they come first, too.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // The files of a project stay together: a worker serves one project.
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) => [
      ...ofProject.filter(isLong),
      ...ofProject.filter((file) => !isLong(file)),
    ]);
  }
}

const isLong = ({ moduleId }: TestSpecification) =>
  /(contract|\/mutants\/test\/.*|verify-store|workers|shutdown)\.test\.ts$/.test(moduleId);
