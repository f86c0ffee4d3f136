// What speaks HTTP byte by byte, and the cases that the clauses send, for tests of a service that go beyond the contract.
export { type Answer, saysClose } from './answer.ts';
export { onConnection } from './connection.ts';
export { expectDescribed, toAnythingElse, toThePlants } from './described-answer.ts';
export { descriptionClauses } from './description-clauses.ts';
export { expectNothingStray } from './exchange.ts';
export { create } from './expectations.ts';
export { edges, notInt64, notNumbers, writings, writingsOfZero } from './id-cases.ts';
export { type PublishedDescription, readDescription } from './published-description.ts';
export { type Parsed, parseResponse } from './response-parser.ts';
export { texts, unstorable } from './text-cases.ts';
