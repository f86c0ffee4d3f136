/** A step of the sequence: a call of a function, or a message that is none. */
export type Step = Call | Message;

/** One package, or one and the same, calls a function. */
export interface Call {
  readonly from: string;
  readonly to: string;
  /** The function's name. */
  readonly calls: string;
  /** Where it is declared, in the package of `to`. */
  readonly file: string;
  /** Where it is called, in the package of `from`. */
  readonly calledIn: string;
  readonly does: string;
}

/** What goes over a wire, or comes back from a call. */
interface Message {
  readonly from: string;
  readonly to: string;
  readonly does: string;
  /** Drawn with a broken line. */
  readonly answer: boolean;
}

/** Who takes part, from the caller to the disk. The caller is a person or a program. */
export const participants: readonly { readonly id: string; readonly title: string; readonly folder?: string }[] = [
  { id: 'http', title: 'adapters-http', folder: 'packages/adapters-http' },
  { id: 'tokens', title: 'adapters-tokens', folder: 'packages/adapters-tokens' },
  { id: 'domain', title: 'domain', folder: 'packages/domain' },
  { id: 'sqlite', title: 'adapters-sqlite', folder: 'packages/adapters-sqlite' },
  { id: 'file', title: 'a SQLite file' },
];

/** One request's way, from the socket to the commit and back. */
export const steps: readonly Step[] = [
  message('caller', 'http', 'POST /plants'),
  inside('http', 'refuseAmbiguousFraming', 'framing', 'http-server', 'one way to read it?'),
  inside('http', 'enter', 'requests-in-flight', 'http-server', 'is there room?'),
  inside('http', 'authenticate', 'bearer', 'plants-route', 'who asks?'),
  across('http', 'bearer', 'tokens', 'verify', 'digest/digest-verifier', 'is the token listed?'),
  answer('tokens', 'http', 'accepted'),
  inside('http', 'requireJson', 'media-type', 'plants-route', 'is it JSON?'),
  inside('http', 'parseJsonBody', 'json-body', 'plants-route', 'ids exact'),
  inside('http', 'readNewPlant', 'records', 'plants-route', 'a NewPlant?'),
  across('http', 'plants-route', 'domain', 'createPlant', 'create-plant', 'the use case'),
  across('domain', 'create-plant', 'sqlite', 'add', 'sqlite-store', 'the port'),
  across('sqlite', 'sqlite-store', 'domain', 'add', 'gathered-adds', 'waits with others'),
  message('domain', 'sqlite', 'one batch of those that wait'),
  inside('sqlite', 'run', 'session', 'sqlite-store', 'one after the other'),
  inside('sqlite', 'addPlants', 'add-plants', 'sqlite-store', 'those whose ids are free'),
  message('sqlite', 'file', 'insert … on conflict do nothing'),
  answer('file', 'sqlite', 'committed and synced'),
  answer('sqlite', 'domain', 'added'),
  inside('domain', 'isSamePlant', 'plant', 'create-plant', 'this very plant?'),
  answer('domain', 'http', 'created'),
  inside('http', 'sendJson', 'send-json', 'plants-route', 'the Plant'),
  answer('http', 'caller', '200'),
];

/** Whether a step calls a function. */
export function isCall(step: Step): step is Call {
  return 'calls' in step;
}

function inside(of: string, calls: string, file: string, calledIn: string, does: string): Call {
  return across(of, calledIn, of, calls, file, does);
}

function across(from: string, calledIn: string, to: string, calls: string, file: string, does: string): Call {
  return { from, to, calls, does, file: modulePath(to, file), calledIn: modulePath(from, calledIn) };
}

function modulePath(id: string, name: string): string {
  const folder = participants.find((each) => each.id === id)?.folder;
  if (folder === undefined) throw new Error(`${id} is no package`);
  return `${folder}/src/${name}.ts`;
}

function message(from: string, to: string, does: string): Message {
  return { from, to, does, answer: false };
}

function answer(from: string, to: string, does: string): Message {
  return { from, to, does, answer: true };
}
