import type { NewPlant } from '@plant-store/domain';

/** The bytes are not a JSON text. The message is what follows «the body is» or «the line is»: `not valid JSON`. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson';
}

/** The JSON value is not a NewPlant. */
export class InvalidPlant extends Error {
  override readonly name = 'InvalidPlant';
  readonly faults: readonly RecordFault[];

  constructor(faults: readonly RecordFault[]) {
    super('not a NewPlant');
    this.faults = faults;
  }

  /** Every fault, for a person. @param whole what the value is called: «the body». */
  describe(whole: string): string {
    return this.faults.map(({ field = whole, expected }) => `${field}: expected ${expected}`).join('; ');
  }
}

/** What is wrong with a record. */
export interface RecordFault {
  /** Undefined if the value is no record at all. */
  readonly field: keyof NewPlant | undefined;
  /** For a person: `a string of well-formed Unicode`. */
  readonly expected: string;
}
