// What tests of a service need that go beyond the contract: its description, raw requests, requests that get an error, and
// responses read strictly.

export { refusals } from './clauses/description-cases.ts';
export { expectDescribed } from './expectations/described-response.ts';
export { readDescription } from './expectations/published-description.ts';
export { type RawRequest, rawRequest } from './http/raw-request.ts';
export { parseResponse, type Response } from './http/response-parser.ts';
