import type { VerifierMember } from './member.ts';
import { issued } from './verifiers/issued.ts';
import { others } from './verifiers/others.ts';
import { outages } from './verifiers/outages.ts';
import { refusals } from './verifiers/refusals.ts';
import { sideBySide } from './verifiers/side-by-side.ts';
import { subjects } from './verifiers/subjects.ts';

/** Every broken verifier, in the order of the clauses that they break. */
export const brokenVerifiers: readonly VerifierMember[] = [
  ...issued,
  ...others,
  ...sideBySide,
  ...refusals,
  ...subjects,
  ...outages,
];
