import { issued } from './issued.ts';
import type { VerifierMutant } from './mutant.ts';
import { others } from './others.ts';
import { outages } from './outages.ts';
import { refusals } from './refusals.ts';
import { sideBySide } from './side-by-side.ts';
import { subjects } from './subjects.ts';

/** Every mutant, in the order of the clauses that they break. */
export const verifierMutants: readonly VerifierMutant[] = [
  ...issued,
  ...others,
  ...sideBySide,
  ...refusals,
  ...subjects,
  ...outages,
];
