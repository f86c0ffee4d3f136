// What speaks HTTP byte by byte, and the cases that the clauses send, for tests of a service that go beyond the contract.

export { descriptionClauses } from './clauses/description-clauses.ts';
export { edges, notInt64, notNumbers, writings, writingsOfZero } from './clauses/id-cases.ts';
export { texts, unstorable } from './clauses/text-cases.ts';
export { expectDescribed, toAnythingElse, toThePlants } from './expectations/described-response.ts';
export { create } from './expectations/expectations.ts';
export { type PublishedDescription, readDescription } from './expectations/published-description.ts';
export { onConnection } from './http/connection.ts';
export { expectNothingStray } from './http/exchange.ts';
export { type HttpResponse, saysClose } from './http/http-response.ts';
export { type Parsed, parseResponse } from './http/response-parser.ts';
