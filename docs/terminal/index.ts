import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Dispatcher } from '../../engine/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Address, Person, Platform } from '../../port/index.ts';
import { TerminalAdapter } from './adapter.ts';
import { createReply } from './reply.ts';

export { TerminalAdapter } from './adapter.ts';

export interface TerminalOptions {
  readonly dispatcher: Pick<Dispatcher, 'commands' | 'prepare'>;
  readonly clock: Clock;
  readonly input: Readable;
  readonly print: (line: string) => void;
}

const address: Address = { platform: 'terminal', workspace: 'terminal', channel: 'terminal' };
const requester: Person = { id: 'me', name: 'Me', locale: 'en', administrator: true, moderator: true };

/** Reads commands from `input`, a line each (`/ask hello`), and prints what comes of them. */
export function createTerminal({ dispatcher, clock, input, print }: TerminalOptions): Platform {
  const adapter = new TerminalAdapter(print);
  const lines = createInterface({ input });
  lines.on('line', (line) => {
    take(line).catch((error: unknown) => print(String(error)));
  });

  async function take(line: string): Promise<void> {
    const [, name = 'ask', text = line] = /^\/(\S+) *(.*)$/.exec(line) ?? [];
    const textOption = dispatcher.commands.find((command) => command.name === name)?.textOption;
    const eventId = randomUUID();
    const options = textOption === undefined ? {} : { [textOption]: text };
    const prepared = await dispatcher.prepare({ eventId, command: name, options, address, requester });
    if (prepared.kind === 'refused') return print(prepared.text);
    if (prepared.kind !== 'accepted' || !(await prepared.record())) return;
    await prepared.run(createReply(adapter, clock, address, eventId));
  }

  return {
    adapter,
    operators: async () => [{ platform: 'terminal', workspace: 'terminal', person: requester.id }],
    notReady: () => undefined,
    stopReceiving: async () => lines.close(),
    close: async () => {},
  };
}
