import { files, read } from '../root.ts';

/** A port or a use case, and the module that declares it. */
export interface Declared {
  readonly name: string;
  readonly file: string;
}

/** What the domain's modules call a use case or a driven port in the first words of its comment. */
export function portsAndUseCases(): { readonly useCases: readonly Declared[]; readonly ports: readonly Declared[] } {
  const useCases = declared(/\/\*\*\s+\* The use case\b(?:(?!\*\/).)*\*\/\s*export type (\w+)/s);
  const ports = declared(/\/\*\*\s+\* The driven port\b(?:(?!\*\/).)*\*\/\s*export interface (\w+)/s);
  if (useCases.length === 0 || ports.length === 0) {
    throw new Error('found none in packages/domain/src: their comments begin with "The use case" or "The driven port"');
  }
  return { useCases, ports };
}

function declared(pattern: RegExp): readonly Declared[] {
  return files(':(glob)packages/domain/src/*.ts').flatMap((file) => {
    const name = pattern.exec(read(file))?.[1];
    return name === undefined ? [] : [{ name, file }];
  });
}
