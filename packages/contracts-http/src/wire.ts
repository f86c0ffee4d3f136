// What speaks HTTP byte by byte, and the cases that the clauses send, for tests of a service that go beyond the contract.
export { type Answer, saysClose } from './http/http-response.ts';
export { onConnection } from './http/connection.ts';
export { expectDescribed, toAnythingElse, toThePlants } from './expectations/described-response.ts';
export { descriptionClauses } from './clauses/description-clauses.ts';
export { expectNothingStray } from './http/exchange.ts';
export { create } from './expectations/expectations.ts';
export { edges, notInt64, notNumbers, writings, writingsOfZero } from './clauses/id-cases.ts';
export { type PublishedDescription, readDescription } from './expectations/published-description.ts';
export { type Parsed, parseResponse } from './http/response-parser.ts';
export { texts, unstorable } from './clauses/text-cases.ts';
