import { type Contract, ContractViolation, show } from '@plant-store/contracts-kit';
import { describeContract, describeMutants } from '@plant-store/contracts-kit/vitest';

// The example in the README: a port that has nothing to do with plants.

/**
 * Carries messages from senders to a receiver.
 * - **MB-1** Messages MUST be received in the order in which they were sent.
 * - **MB-2** [`durable`] A message MUST be there after the mailbox was closed and opened again.
 */
interface Mailbox {
  send(text: string): Promise<void>;
  /** The next message, or undefined if there is none. */
  receive(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Gives the contract empty places for messages. Mailboxes that are opened in the same place share its messages. */
interface MailboxHarness {
  readonly capabilities: { readonly durable: boolean };
  prepare(): Promise<{ open(): Promise<Mailbox> }>;
}

const mailboxContract: Contract<MailboxHarness, Mistakes> = {
  name: 'Mailbox',
  clauses: [
    {
      id: 'MB-1',
      shows: 'P2',
      title: 'messages are received in the order in which they were sent',
      async check(harness) {
        const mailbox = await (await harness.prepare()).open();
        await mailbox.send('b');
        await mailbox.send('a');
        expectNext('sent "b" and "a", and received', await mailbox.receive(), 'b');
      },
      mutants: { 'hands out the newest': { receive: (messages) => messages.pop() } },
    },
    {
      id: 'MB-2',
      shows: 'P1/F1',
      title: 'a message is there after the mailbox was closed and opened again',
      appliesTo: ({ capabilities }) => capabilities.durable,
      async check(harness) {
        const place = await harness.prepare();
        const mailbox = await place.open();
        await mailbox.send('a');
        await mailbox.close();
        expectNext('sent "a", closed, opened again and received', await (await place.open()).receive(), 'a');
      },
      mutants: { 'forgets what is left when it is closed': { forgets: true } },
    },
  ],
};

function expectNext(action: string, actual: string | undefined, expected: string | undefined): void {
  if (actual !== expected) throw new ContractViolation(action, show(actual), show(expected));
}

type Receive = (messages: string[]) => string | undefined;
type Mistakes = { readonly receive?: Receive; readonly forgets?: boolean };
const oldest: Receive = (messages) => messages.shift();

/** A harness for mailboxes that keep their messages in an array. */
function arrayHarness({ receive = oldest, forgets = false }: Mistakes = {}): MailboxHarness {
  const place = (messages: string[] = []) => ({
    open: async (): Promise<Mailbox> => ({
      send: async (text) => void messages.push(text),
      receive: async () => receive(messages),
      close: async () => void messages.splice(0, forgets ? messages.length : 0),
    }),
  });
  return { capabilities: { durable: true }, prepare: async () => place() };
}

describeContract(mailboxContract, arrayHarness());

describeMutants(mailboxContract, { 'hands out the oldest message': {} }, arrayHarness);
