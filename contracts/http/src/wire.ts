// What tests of a service need that go beyond the contract: its description and raw requests.

export { readDescription } from './expectations/published-description.ts';
export { type RawRequest, rawRequest } from './http/raw-request.ts';
