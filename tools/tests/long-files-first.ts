import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files run in the order of what they took the last time, the longest first, so that none is left alone at the end. Of files
 * that have not run before, as in a new clone, vitest takes the largest first; those of contracts are small and take long,
 * so here they come before the others.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = (file: TestSpecification) => isLong(file) && !this.ctx.cache.getTestSpecificationResult(file);
    // The files of a project stay together: a worker serves one project.
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) => [
      ...ofProject.filter(isFirst),
      ...ofProject.filter((file) => !isFirst(file)),
    ]);
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return /(contract[^/]*|\/mutants\/test\/.*|workers|shutdown)\.test\.ts$/.test(moduleId);
}
